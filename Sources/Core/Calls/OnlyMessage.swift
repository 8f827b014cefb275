// The rule of calls with one response, in all styles: exactly one message arrives.

extension Optional {
    /// Keeps the only message. Throws if there is one already.
    package mutating func receiveOnly(
        _ message: consuming Wrapped, of method: MethodSignature?
    ) throws(RPCError) {
        guard self == nil else { throw .tooManyMessages.of(method) }
        self = message
    }

    /// Moves the only message out, after an end with OK. Throws if there is none.
    package mutating func takeOnly(
        of method: MethodSignature?, _ trailers: Metadata = Metadata()
    ) throws(RPCError) -> Wrapped {
        if let message = take() { return message }
        var error = RPCError.noMessage.of(method)
        error.metadata = trailers
        throw error
    }
}

extension RPCError {
    package static var noMessage: RPCError {
        RPCError(.unimplemented, "the server ended the call with OK without sending a message")
    }

    package static var tooManyMessages: RPCError {
        RPCError(.unimplemented, "the server sent more than one message")
    }
}
