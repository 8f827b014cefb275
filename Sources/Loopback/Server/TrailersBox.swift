import SwiftletCore
import Synchronization

/// The trailing metadata of a call, set by its handler at any time before the end.
final class TrailersBox: Sendable {
    private let state = Mutex(Metadata())

    func set(_ metadata: Metadata) { state.withLock { $0 = metadata } }

    var metadata: Metadata { state.withLock { $0 } }
}
