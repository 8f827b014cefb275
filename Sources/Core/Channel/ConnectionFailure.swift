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

    /// What a call is told that could not be sent: `connect 127.0.0.1:50051: connection refused
    /// (attempt 3, next in 1.6 s)`.
    func error(target: Target, nextIn delay: Duration?) -> RPCError {
        let what = causes.first ?? "no address of \(target) answered"
        var next = ""
        if let delay, delay > .zero {
            next = ", next in \(delay.text(in: .seconds(1), digitCount: 1)) s"
        }
        var error = RPCError(.unavailable, "\(what) (attempt \(attemptNumber)\(next))")
        error.phase = phase
        error.causes = Array(causes.dropFirst())
        error.attempts = triedAddresses
        error.mayHaveBeenExecuted = false
        return error
    }
}
