import SwiftletTransport
import Synchronization

/// The end of a call for the tracker that a picker returned with its choice, to be reported outside of every lock.
struct TrackedEnd: ~Copyable, Sendable {
    let tracker: any CallTracker
    let code: StatusCode
    var trailers = Metadata()
    /// Whether the call had a stream.
    let wasSent: Bool

    /// - Parameter isUnsent: Whether the stream of the call was never opened.
    func report(isUnsent: Bool = false) {
        var outcome = CallOutcome(code: code, load: LoadReport(trailers: trailers))
        outcome.wasSent = wasSent && !isUnsent
        HeldLocks.assertNone(calling: "call tracker")
        tracker.callEnded(outcome)
    }
}

extension CallCore {
    /// Sets the tracker of the subchannel that a picker has chosen; nil when that subchannel had no
    /// connection. Reports to the tracker of an earlier choice that its subchannel did not carry
    /// the call. If the call has ended in the meantime, reports its end to the new tracker at once.
    func track(_ tracker: (any CallTracker)?) {
        let end = state.withLock { $0.lifetime.replaceTracker(by: tracker) }
        end?.report()
    }
}
