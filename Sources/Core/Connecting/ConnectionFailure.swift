import SwiftletTransport

/// Why there is no connection: the addresses that were tried, and how each attempt ended.
struct ConnectionFailure: Error {
    /// The most attempts that are kept. An error has text for each, and a resolver may report any number of
    /// addresses.
    static let maxAttemptCount = 16

    var phase: RPCError.Phase
    /// The address of each attempt and why it failed, in the order in which the attempts ended. Only the last
    /// ones are kept.
    private(set) var attempts: [RPCError.Attempt]
    /// The number of attempts before those in ``attempts``.
    private(set) var omittedCount: Int
    /// How many times in a row the channel has failed to connect.
    var attemptNumber = 1
    /// Whether a server was reached and has drained its connection at once, without an error.
    let wasDrained: Bool

    init(phase: RPCError.Phase, attempts: [RPCError.Attempt] = [], wasDrained: Bool = false) {
        self.phase = phase
        self.wasDrained = wasDrained
        self.attempts = attempts.suffix(Self.maxAttemptCount)
        omittedCount = max(0, attempts.count - Self.maxAttemptCount)
    }
}

extension ConnectionFailure {
    /// The causes as text, the last one first.
    var causes: [String] {
        var causes = attempts.reversed().map(\.cause)
        if omittedCount > 0 { causes.append("\(omittedCount) earlier attempts failed, too") }
        return causes
    }

    /// The state of the attempts to connect, for an ``RPCError``.
    func reconnection(nextAttempt: MonotonicInstant?) -> RPCError.Reconnection {
        RPCError.Reconnection(
            attemptNumber: attemptNumber,
            nextAttempt: nextAttempt.map { MonotonicInstant.now.duration(to: $0) })
    }

    /// The error of a call that could not be sent: `connect 127.0.0.1:50051: connection refused`.
    /// The message depends on the cause alone, so that errors can be counted by it.
    func error(target: Target, nextAttempt: MonotonicInstant?) -> RPCError {
        var error = RPCError(.unavailable, causes.first ?? "no address of \(target) answered")
        error.phase = phase
        error.causes = Array(causes.dropFirst())
        error.attempts = attempts
        error.reconnection = reconnection(nextAttempt: nextAttempt)
        error.mayHaveBeenExecuted = false
        return error
    }
}
