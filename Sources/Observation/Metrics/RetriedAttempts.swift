package import SwiftletCore
package import SwiftletTransport
import Synchronization

/// Measures a call with a retry policy: gives each of its attempts a meter of its own. While the call waits for the
/// next attempt, nothing is measured.
final class RetriedAttempts: AttemptMeter {
    fileprivate struct State: ~Copyable {
        /// Nil between two attempts, and after the end was delivered.
        var attempt: (any AttemptMeter)?
        var isOver = false
        /// When the present attempt began; nil if it began with the call.
        var begun: MonotonicInstant?
        /// The streams of the earlier attempts.
        var streamCount = 0
        /// The messages so far, which the next attempt sends again; nil once no attempt follows.
        var sent: [MessageSize]? = []
    }

    private let call: any CallMeter
    let measuresMessages: Bool
    private let state: Mutex<State>

    init(_ call: any CallMeter) {
        let first = call.attempt(.first)
        self.call = call
        measuresMessages = first.measuresMessages
        state = Mutex(State(attempt: first))
    }

    private var attempt: (any AttemptMeter)? { state.withLock { $0.attempt } }
}

// MARK: - The present attempt

extension RetriedAttempts {
    func addHeaders(to metadata: inout Metadata) { attempt?.addHeaders(to: &metadata) }

    func started(at now: MonotonicInstant) { attempt?.started(at: now) }

    func isRouted(to labels: BackendLabels) { attempt?.isRouted(to: labels) }

    func sent(_ size: MessageSize) {
        let attempt = state.withLock { state in
            state.sent?.append(size)
            return state.attempt
        }
        attempt?.sent(size)
    }

    func received(_ size: MessageSize) { attempt?.received(size) }

    func isSentAgain(after error: RPCError, _ tally: CallTally) {
        let (attempt, tally) = state.withLock { ($0.attempt, $0.own(tally)) }
        attempt?.isSentAgain(after: error, tally)
    }

    func ended(_ error: RPCError?, _ tally: CallTally) {
        let (attempt, tally) = state.withLock { state in
            state.isOver = true
            return (state.attempt, state.own(tally))
        }
        attempt?.ended(error, tally)
    }

    func endIsDelivered(_ error: RPCError?) {
        let attempt = state.withLock { $0.attempt.take() }
        attempt?.endIsDelivered(error)
    }
}

// MARK: - One attempt after the other

extension RetriedAttempts {
    func attemptFailed(_ error: RPCError, _ tally: CallTally) {
        let (attempt, own) = state.withLock { state in
            let own = state.own(tally)
            state.streamCount = tally.streamCount
            return (state.attempt.take(), own)
        }
        attempt?.ended(error, own)
        attempt?.endIsDelivered(error)
    }

    func beginNext(at now: MonotonicInstant) {
        let isOver = state.withLock { $0.isOver }
        guard !isOver else { return }
        let next = call.attempt(.retry)
        let sent: [MessageSize]? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.attempt = next
            state.begun = now
            return state.sent ?? []
        }
        guard let sent else { return next.endIsDelivered(nil) }
        next.started(at: now)
        for size in sent { next.sent(size) }
    }

    func forgetMessages() { state.withLock { $0.sent = nil } }
}

extension RetriedAttempts.State {
    /// The counts and times of the present attempt alone.
    fileprivate func own(_ tally: CallTally) -> CallTally {
        tally.ofAttempt(begun: begun, after: streamCount)
    }
}

extension CallMeter {
    /// A meter of this module.
    package func retried() -> any AttemptMeter { RetriedAttempts(self) }
}

extension AttemptMeter {
    package var measuresMessages: Bool { false }
    package func addHeaders(to metadata: inout Metadata) {}
    package func isRouted(to labels: BackendLabels) {}
    package func sent(_ size: MessageSize) {}
    package func received(_ size: MessageSize) {}
    package func endIsDelivered(_ error: RPCError?) {}
    package func attemptFailed(_ error: RPCError, _ tally: CallTally) {}
    package func beginNext(at now: MonotonicInstant) {}
    package func forgetMessages() {}
}
