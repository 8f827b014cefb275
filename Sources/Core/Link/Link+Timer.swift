package import SwiftletTransport
import Synchronization

// The deadlines of a link's engine.

extension Link: TimerTarget {
    package func timerFired(now: MonotonicInstant) {
        pollTimer.hasFired(now: now)
        state.withLock { $0.pollDeadline = nil }
        poll(now: now)
    }

    /// Checks the engine's deadlines, and schedules the next check.
    func poll(now: MonotonicInstant) {
        enum Outcome {
            case goesOn(next: MonotonicInstant?, hasOutput: Bool), failed(LinkError), ended
        }
        let outcome: Outcome = state.withLock { state in
            guard state.ending == nil else { return .ended }
            let deadline = state.connection.poll(now: now)
            guard state.connection.hasFailed else {
                return .goesOn(
                    next: state.movePollDeadline(to: deadline),
                    hasOutput: state.connection.hasOutput)
            }
            while let event = state.connection.nextEvent() {
                guard case .failed(let error) = event else { continue }
                // No other deadline of the engine ends the connection without an error code.
                let kind: LinkError.Kind = error.code == .noError ? .keepAlive : .other
                return .failed(LinkError(phase: .http2, cause: error.message, kind: kind))
            }
            // Another thread has taken the failure event, and ends the link.
            return .ended
        }
        switch outcome {
        case .ended: break
        case .failed(let error): end(with: error)
        case .goesOn(let next, let hasOutput):
            if let next { pollTimer.schedule(self, at: next, on: loop, unlessEarlier: true) }
            // Writes a PING that is due.
            if hasOutput { flushSoon() }
        }
    }
}

extension Link.State {
    /// The time of the next poll, if it is earlier than the scheduled one. Arriving bytes postpone
    /// the engine's deadline; then the timer fires early, and the poll has no effect.
    fileprivate mutating func movePollDeadline(
        to deadline: MonotonicInstant?
    ) -> MonotonicInstant? {
        guard let deadline else { return nil }
        if let pollDeadline, pollDeadline <= deadline { return nil }
        pollDeadline = deadline
        return deadline
    }

    /// Whether the engine must be polled because a request was sent: an idle connection has no
    /// deadline for its keep-alive probe.
    func mustPoll() -> Bool {
        guard ending == nil, let due = connection.probeDeadline else { return false }
        guard let pollDeadline else { return true }
        return pollDeadline > due
    }
}
