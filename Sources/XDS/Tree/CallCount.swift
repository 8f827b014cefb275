import SwiftletCore
import Synchronization

/// Counts the running calls to a cluster, of all channels of the process (A32).
final class CallCount: Sendable {
    struct Key: Hashable, Sendable {
        let cluster: ByteText
        /// Empty if the cluster does not set it.
        let serviceName: ByteText

        init(_ leaf: LeafCluster) {
            cluster = leaf.name
            serviceName = leaf.cluster.serviceName
        }
    }

    private static let table = WeakTable<Key, CallCount>()

    private let count = Atomic<UInt32>(0)

    static func shared(_ key: Key) -> CallCount { table.object(for: key) { CallCount() } }

    /// Counts a call. False, without counting it, if so many run already.
    func begin(upTo limit: UInt32) -> Bool {
        // Counted first, so that calls which begin at the same time are never more than the limit.
        guard count.wrappingAdd(1, ordering: .relaxed).oldValue < limit else {
            count.wrappingSubtract(1, ordering: .relaxed)
            return false
        }
        return true
    }

    func end() { count.wrappingSubtract(1, ordering: .relaxed) }
}

extension CallCount.Key: Comparable {
    static func < (left: Self, right: Self) -> Bool {
        (left.cluster, left.serviceName) < (right.cluster, right.serviceName)
    }
}
