extension RPCError {
    /// The codes by which a server's application answers. The library, and whatever tells it where and how to
    /// send a call, must not produce them (gRPC's statuscodes.md, proposal A54): a program would take the
    /// NOT_FOUND of a name service for the answer to its own request.
    private static let applicationCodes: Set<StatusCode> = [
        .invalidArgument, .notFound, .alreadyExists, .failedPrecondition, .aborted, .outOfRange,
        .dataLoss,
    ]

    /// The error of a call that failed because of a resolver, a balancing policy, a picker or call
    /// credentials. Each error of theirs passes here before a call ends with it. If its code belongs to
    /// applications, the code becomes INTERNAL, and the message has the original.
    ///
    /// - Parameter source: What has failed the call, for the message.
    package func ofControlPlane(_ source: String) -> RPCError {
        guard origin == .server || Self.applicationCodes.contains(code) else { return self }
        var error = self
        error.origin = .client
        if phase == .server { error.phase = .connect }
        guard Self.applicationCodes.contains(code) else { return error }
        error.code = .internal
        error.message =
            "\(source) failed the call with \(code), a code that only a server's application may use: \(message)"
        return error
    }
}
