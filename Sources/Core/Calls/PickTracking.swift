import SwiftletTransport
import Synchronization

/// The tracker that a picker returned with its choice, for as long as the call is open.
final class PickTracking: Sendable {
    private let tracker: any CallTracker

    init(_ tracker: any CallTracker) { self.tracker = tracker }

    /// The end of a call for its tracker, to be reported outside of every lock.
    struct End: Sendable {
        fileprivate let tracking: PickTracking
        fileprivate let code: StatusCode
        fileprivate let trailers: Metadata
        fileprivate let wasSent: Bool

        /// - Parameter isUnsent: Whether the stream of the call was never opened.
        func report(isUnsent: Bool = false) {
            var outcome = CallOutcome(code: code, load: LoadReport(trailers: trailers))
            outcome.wasSent = wasSent && !isUnsent
            HeldLocks.assertNone(calling: "call tracker")
            tracking.tracker.callEnded(outcome)
        }
    }

    func end(
        _ code: StatusCode, trailers: Metadata = Metadata(), wasSent: Bool = true
    ) -> End {
        End(tracking: self, code: code, trailers: trailers, wasSent: wasSent)
    }
}

extension CallCore {
    /// Sets the tracker of the subchannel that a picker has chosen; nil when that subchannel had no
    /// connection. Reports to the tracker of an earlier choice that its subchannel did not carry
    /// the call. If the call has ended in the meantime, reports its end to the new tracker at once.
    func track(_ tracker: (any CallTracker)?) {
        let tracking = tracker.map { PickTracking($0) }
        let end = state.withLock { $0.lifetime.replaceTracking(by: tracking) }
        end?.report()
    }
}
