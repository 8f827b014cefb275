import SwiftletTransport
import Synchronization

/// The failed attempts of a call with a retry policy (proposal A6), and what it needs for the next one. Made when the
/// first attempt fails; for a call that is measured, at its start, because its first attempt may have headers of its own.
/// The attempts follow one another, so they are streams of one ``CallCore``.
final class CallRetries: Sendable {
    fileprivate struct State: ~Copyable {
        var policy: RetryState
        /// The failed attempts so far.
        var failures: [RPCError.Attempt] = []
        /// Whether a server may have executed one of them.
        var mayHaveBeenExecuted = false
        /// That of the present attempt; nil if it is that of the call.
        var metadata: Metadata?
    }

    /// Runs until the next attempt is due.
    let timer = TimerSlot()
    private let state: Mutex<State>

    /// - Parameter metadata: That of the first attempt; nil if it is that of the call.
    init(_ policy: RetryState, _ metadata: Metadata? = nil) {
        state = Mutex(State(policy: policy, metadata: metadata))
    }
}

extension CallRetries {
    /// The metadata of the present attempt; nil if it is that of the call.
    var metadata: Metadata? { state.withLock { $0.metadata } }

    /// Whether a server may have executed an attempt that has failed.
    var mayHaveBeenExecuted: Bool { state.withLock { $0.mayHaveBeenExecuted } }

    /// The delay of the next attempt after one that has failed; nil if none follows.
    ///
    /// - Parameters:
    ///   - peer: The server of the attempt, for the list of failures.
    ///   - isCommitted: Whether the server has begun to answer, or the request is no longer kept.
    func delay(
        after error: RPCError, _ trailers: Metadata, peer: String?, isCommitted: Bool
    ) -> Duration? {
        guard error.finality == nil else { return nil }
        return state.withLock { state in
            let delay = state.policy.attemptFailed(
                error.code, RetryPushback(trailers), isCommitted: isCommitted)
            guard let delay else { return nil }
            state.failures.append(
                RPCError.Attempt(address: error.peer ?? peer ?? "", cause: error.summary))
            if error.mayHaveBeenExecuted { state.mayHaveBeenExecuted = true }
            return delay
        }
    }

    /// Adds the failures of the earlier attempts to an error of the call.
    func withFailures(_ error: RPCError) -> RPCError {
        state.withLock { state in
            guard !state.failures.isEmpty else { return error }
            var error = error
            error.attempts = state.failures + error.attempts
            if state.mayHaveBeenExecuted { error.mayHaveBeenExecuted = true }
            return error
        }
    }

    /// No other attempt follows.
    func callHasEnded(_ call: CallCore) {
        timer.close()
        call.backend.openCalls.remove(call)
    }

    /// The next attempt begins.
    ///
    /// - Parameter metadata: That of the call, and what its meter adds.
    func beginNext(_ metadata: consuming Metadata) {
        var own = metadata
        state.withLock { state in
            own.append(
                received: .text("\(state.policy.previousAttemptCount)"),
                for: "grpc-previous-rpc-attempts")
            state.metadata = own
        }
    }
}

extension RPCError {
    /// Code and message, as one of several failures.
    package var summary: String {
        message.isEmpty ? "\(code)" : "\(code): \(Self.shown(message))"
    }
}
