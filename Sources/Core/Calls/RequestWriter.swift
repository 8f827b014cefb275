/// Writes the requests of a call that takes many.
public struct RequestWriter<Message: Sendable>: Sendable {
    let call: any CallRequests
    let inbox: ResponseInbox
    let codec: Codec<Message>

    /// Sends a message; returns when there is room for the next, so that a writer does not outrun
    /// its server. Throws when the call has ended.
    ///
    /// - Parameter mayCompress: False sends this message as it is on a call that compresses.
    public func write(_ message: Message, mayCompress: Bool = true) async throws(RPCError) {
        try writeNow(message, andFinish: false, mayCompress: mayCompress)
        guard !inbox.hasRoom else { return }
        await withTaskCancellationHandler {
            await Resumption.wait { inbox.wait(.forRoom($0)) }
        } onCancel: {
            call.cancel()
        }
        try checkEnd()
    }

    /// Sends the last message. Cheaper than ``write(_:)`` and ``finish()`` one after the other.
    public func finish(with message: Message) throws(RPCError) {
        try writeNow(message, andFinish: true, mayCompress: true)
    }

    /// Says that no more messages follow. Calling it twice is harmless.
    public func finish() { call.finish() }

    private func writeNow(
        _ message: Message, andFinish: Bool, mayCompress: Bool
    ) throws(RPCError) {
        try checkEnd()
        let octets = try codec.encode(message, MessagePrefix.byteCount)
        inbox.willWrite()
        call.write(octets, andFinish: andFinish, mayCompress: mayCompress)
    }

    private func checkEnd() throws(RPCError) {
        guard let end = inbox.end else { return }
        throw end.errorOfWriting
    }
}
