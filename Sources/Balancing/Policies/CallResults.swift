import SwiftletCore
import Synchronization

/// Counts the results of the calls to one endpoint, on any thread.
final class CallResults: CallTracker {
    struct Counts: Equatable {
        var successCount: Int
        var failureCount: Int

        var total: Int { successCount + failureCount }
        /// From 0 to 1; there is at least one call.
        var successRate: Double { Double(successCount) / Double(total) }
        var failurePercentage: Double { 100 * Double(failureCount) / Double(total) }
    }

    private let successCount = Atomic<Int>(0)
    private let failureCount = Atomic<Int>(0)

    func callEnded(_ outcome: CallOutcome) {
        guard outcome.wasSent else { return }
        if outcome.code == .ok {
            successCount.wrappingAdd(1, ordering: .relaxed)
        } else {
            failureCount.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// Returns the counts since the last call of this function.
    func take() -> Counts {
        Counts(
            successCount: successCount.exchange(0, ordering: .relaxed),
            failureCount: failureCount.exchange(0, ordering: .relaxed))
    }
}

/// Lets the inner picker choose, and counts the results of the calls.
final class OutlierPicker: Picker {
    private let inner: any Picker
    private let results: SubchannelTable<CallResults>

    init(_ inner: any Picker, _ results: SubchannelTable<CallResults>) {
        (self.inner, self.results) = (inner, results)
    }

    // Inlined into the protocol's function, which would copy the pick once more.
    @inline(__always)
    func pick(_ call: borrowing PickInfo) -> Pick {
        let pick = inner.pick(call)
        switch consume pick {
        case .subchannel(let subchannel, var trackers):
            if let results = results[subchannel] { trackers.add(results) }
            return .subchannel(subchannel, trackers: trackers)
        case let pick: return pick
        }
    }
}
