import SwiftletTransport

/// Why no connection came about: what was tried, and how each try ended.
struct ConnectionFailure: Sendable {
    var phase: RPCError.Phase
    /// The address of each attempt and what became of it, in the order in which they ended.
    var attempts: [(address: String, cause: String)] = []
    /// What failed when it was not an address: the look-up of the name, the time.
    var cause: String?
    /// How many times in a row the channel has failed to connect.
    var attemptNumber = 1
}

extension ConnectionFailure {
    /// In plain words, the last thing first.
    var causes: [String] {
        let last = cause.map { [$0] } ?? []
        return last + attempts.reversed().map(\.cause)
    }

    /// The same address by address.
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
