import Synchronization

/// The response of a call that must have exactly one.
final class OnlyReply<Reply: Sendable>: Sendable {
    /// For errors; nil if it is not known.
    private let method: MethodSignature?

    private struct State {
        var initialMetadata = Metadata()
        var reply: Reply?
        var replyCount = 0
    }

    private let state = Mutex(State())

    init(of method: MethodSignature?) { self.method = method }

    func receive(initialMetadata: Metadata) {
        state.withLock { $0.initialMetadata = initialMetadata }
    }

    func receive(_ reply: Reply) {
        state.withLock { state in
            state.replyCount += 1
            if state.reply == nil { state.reply = reply }
        }
    }

    /// The result of the call, after its end.
    func result(at end: CallEnd) -> Result<Response<Reply>, RPCError> {
        let state = state.withLock { $0 }
        if let error = end.error { return .failure(error) }
        guard let reply = state.reply else { return .failure(.noMessage.of(method)) }
        guard state.replyCount == 1 else { return .failure(.tooManyMessages.of(method)) }
        return .success(
            Response(message: reply, initialMetadata: state.initialMetadata, end: end))
    }
}

extension RPCError {
    static var noMessage: RPCError {
        RPCError(.unimplemented, "the server ended the call with OK without sending a message")
    }

    static var tooManyMessages: RPCError {
        RPCError(.unimplemented, "the server sent more than one message")
    }
}
