import SwiftletTransport

/// Why there is no connection: the addresses that were tried, and how each attempt ended.
struct ConnectionFailure: Sendable {
    var phase: RPCError.Phase
    /// The address of each attempt and why it failed, in the order in which the attempts ended.
    var attempts: [(address: String, cause: String)] = []
    /// A failure that concerns no single address: for example, the name look-up failed or the time
    /// limit has passed. Nil if there is none.
    var cause: String?
    /// How many times in a row the channel has failed to connect.
    var attemptNumber = 1
}

extension ConnectionFailure {
    /// The causes as text, the last one first.
    var causes: [String] {
        let last = cause.map { [$0] } ?? []
        return last + attempts.reversed().map(\.cause)
    }

    /// The attempts, address by address, for an ``RPCError``.
    var triedAddresses: [RPCError.Attempt] {
        attempts.map { RPCError.Attempt(address: $0.address, cause: $0.cause) }
    }

    /// The error of a call that could not be sent: `connect 127.0.0.1:50051: connection refused`.
    /// The message depends on the cause alone, so that errors can be counted by it.
    func error(target: Target, nextAttempt: MonotonicInstant?) -> RPCError {
        var error = RPCError(.unavailable, causes.first ?? "no address of \(target) answered")
        error.phase = phase
        error.causes = Array(causes.dropFirst())
        error.attempts = triedAddresses
        error.reconnection = RPCError.Reconnection(
            attemptNumber: attemptNumber,
            nextAttempt: nextAttempt.map { MonotonicInstant.now.duration(to: $0) })
        error.mayHaveBeenExecuted = false
        return error
    }
}
