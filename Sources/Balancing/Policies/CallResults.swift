package import SwiftletCore
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

/// Reports the end of a call to two trackers.
package struct TrackerPair: CallTracker {
    let first: any CallTracker
    let second: any CallTracker

    package init(first: any CallTracker, second: any CallTracker) {
        (self.first, self.second) = (first, second)
    }

    package func callEnded(_ outcome: CallOutcome) {
        first.callEnded(outcome)
        second.callEnded(outcome)
    }
}

/// Lets the inner picker choose, and counts the results of the calls.
struct OutlierPicker: Picker {
    let inner: any Picker
    let results: [Subchannel: CallResults]

    func pick(_ call: borrowing PickInfo) -> Pick {
        let pick = inner.pick(call)
        guard case .subchannel(let subchannel, let tracker) = pick,
            let results = results[subchannel]
        else { return pick }
        guard let tracker else { return .subchannel(subchannel, tracker: results) }
        return .subchannel(subchannel, tracker: TrackerPair(first: tracker, second: results))
    }
}
