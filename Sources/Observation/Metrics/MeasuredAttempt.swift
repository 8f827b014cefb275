import SwiftletCore
import SwiftletTransport
import Synchronization

/// Measures the attempts of one `CallCore`: the first attempt, and each attempt that follows because a
/// server did not process the one before it.
final class MeasuredAttempt: AttemptMeter {
    enum Stage {
        case idle
        case running(Running)
        case ended
    }

    struct Running {
        let since: MonotonicInstant
        /// The number of streams of the earlier attempts.
        let streamCount: Int
        /// Where the balancer sends it; nil if that is not known or not recorded.
        var place: BackendLabels?
    }

    private let call: MeasuredCall
    private let kind: AttemptKind
    private let stage = Mutex(Stage.idle)

    init(_ call: MeasuredCall, _ kind: AttemptKind) {
        self.call = call
        self.kind = kind
    }
}

extension MeasuredAttempt {
    /// Records that the first attempt starts. Called when the call looks for a connection. Has no effect if
    /// the call has ended in the meantime.
    func started(at now: MonotonicInstant) {
        let isFirst = stage.withLock { stage in
            guard case .idle = stage else { return false }
            stage = .running(Running(since: now, streamCount: 0))
            return true
        }
        if isFirst { call.attemptStarted(kind, at: now) }
    }

    func isRouted(to labels: BackendLabels) {
        guard call.recordsPlaces else { return }
        stage.withLock { stage in
            guard case .running(var running) = stage else { return }
            running.place = labels
            stage = .running(running)
        }
    }

    /// Records that the attempt ended and the next one starts, because the server did not process it.
    func isSentAgain(after error: RPCError, _ tally: CallTally) {
        let now = MonotonicInstant.now
        let next = Stage.running(Running(since: now, streamCount: tally.streamCount))
        guard end(error.code, tally, next: next, at: now) else { return }
        call.attemptStarted(.transparent, at: now)
    }

    /// Records that the call has ended. Only the first end has an effect.
    func ended(_ error: RPCError?, _ tally: CallTally) {
        _ = end(error?.code ?? .ok, tally, next: .ended, at: .now)
    }

    /// Ends the running attempt and records its metrics. Returns false if no attempt was running.
    private func end(
        _ code: StatusCode, _ tally: CallTally, next: Stage, at now: MonotonicInstant
    ) -> Bool {
        let running: Running? = stage.withLock { stage in
            // A call that has ended, or never began, is not sent again.
            guard case .running(let running) = stage else {
                stage = .ended
                return nil
            }
            stage = next
            return running
        }
        guard let running else { return false }
        call.attemptEnded(
            code, since: running.since, at: now,
            // An attempt without a stream sent no messages.
            sentByteCount: tally.streamCount > running.streamCount ? tally.sentByteCount : 0,
            receivedByteCount: tally.receivedByteCount,
            place: running.place)
        return true
    }
}
