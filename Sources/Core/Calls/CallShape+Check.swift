extension MethodSignature {
    /// Throws if the method has another shape than a function of the channel calls. Both sides would wait for
    /// messages that the other never sends, or drop them.
    @usableFromInline
    func check(_ shape: CallShape) throws(RPCError) {
        if self.shape != shape { throw wrongShape(shape) }
    }

    /// The error of such a call; nil if the shape is right.
    func shapeError(_ shape: CallShape) -> RPCError? {
        self.shape == shape ? nil : wrongShape(shape)
    }

    private func wrongShape(_ used: CallShape) -> RPCError {
        var error = RPCError.refused(
            .invalidArgument,
            "\(path) is a \(shape.name) method and cannot be called as a \(used.name) one; use the function for \(shape.name) calls"
        )
        error.method = path
        return error
    }
}

extension Channel {
    /// Starts a call, or fails it if its method has another shape than `shape`.
    func start(_ call: any CallRequests, _ method: MethodSignature, as shape: CallShape) {
        if let error = method.shapeError(shape) { return call.fail(error) }
        call.start()
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
