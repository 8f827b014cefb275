import SwiftletTransport
import Synchronization

/// The end of a call for the trackers that a picker returned with its choice, to be reported outside of every lock.
struct TrackedEnd: ~Copyable, Sendable {
    let trackers: CallTrackers
    let code: StatusCode
    var trailers = Metadata()
    /// Whether the call had a stream.
    let wasSent: Bool

    /// - Parameter isUnsent: Whether the stream of the call was never opened.
    func report(isUnsent: Bool = false) {
        HeldLocks.assertNone(calling: "call tracker")
        var outcome = CallOutcome(code: code, wasSent: wasSent && !isUnsent)
        if let load = trailers.first(where: { $0.name == LoadReport.trailerName }),
            case .bytes(let bytes) = load.value
        {
            outcome.report = .encoded(bytes)
        }
        trackers.callEnded(outcome)
    }
}

extension CallCore {
    /// Sets the trackers of the subchannel that a picker has chosen; none when that subchannel had no
    /// connection. Reports to the trackers of an earlier choice that its subchannel did not carry
    /// the call. If the call has ended in the meantime, reports its end to the new ones at once.
    func track(_ trackers: consuming CallTrackers) {
        let end = state.withLock { $0.lifetime.replaceTrackers(by: &trackers) }
        end?.report()
    }
}
