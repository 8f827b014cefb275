extension MethodSignature {
    /// Throws if the method has a stream of messages where a function of the channel has one message: it could
    /// not write the other requests, or would drop the other responses. The opposite is allowed: a stream may
    /// have one message.
    @usableFromInline
    package func check(_ shape: CallShape) throws(RPCError) {
        if let error = shapeError(shape) { throw error }
    }

    /// The error of such a call; nil if the method fits.
    package func shapeError(_ shape: CallShape) -> RPCError? {
        let fits =
            (shape.hasRequestStream || !self.shape.hasRequestStream)
            && (shape.hasResponseStream || !self.shape.hasResponseStream)
        guard !fits else { return nil }
        let own = self.shape.name
        var error = RPCError.refused(
            .invalidArgument,
            "\(path) is a \(own) method and cannot be called as a \(shape.name) one; use the function for \(own) calls"
        )
        error.method = path
        return error
    }
}

extension CallShape {
    fileprivate var name: String {
        switch self {
        case .unary: "unary"
        case .clientStreaming: "client-streaming"
        case .serverStreaming: "server-streaming"
        case .bidirectional: "bidirectional"
        }
    }
}
