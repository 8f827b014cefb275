/// Writes the requests of a call that takes many.
public struct RequestWriter<Message: Sendable>: Sendable {
    @usableFromInline let outlet: RequestOutlet
    @usableFromInline let codec: Codec<Message>

    init(_ call: any CallRequests, _ inbox: ResponseInbox, _ codec: Codec<Message>) {
        outlet = RequestOutlet(call, inbox)
        self.codec = codec
    }

    /// Sends a message; returns when there is room for the next, so that a writer does not outrun
    /// its server. Throws when the call has ended, or the request was finished.
    ///
    /// - Parameters:
    ///   - message: What is sent.
    ///   - mayCompress: False sends this message as it is on a call that compresses.
    @inlinable
    public func write(_ message: Message, mayCompress: Bool = true) async throws(RPCError) {
        try outlet.check()
        let octets = try codec.encode(message)
        if try outlet.write(octets, andFinish: false, mayCompress: mayCompress) { return }
        try await outlet.waitForRoom()
    }

    /// Sends the last message. Cheaper than ``write(_:mayCompress:)`` and ``finish()`` one after the other.
    @inlinable
    public func finish(with message: Message) throws(RPCError) {
        try outlet.check()
        let octets = try codec.encode(message)
        outlet.willFinish()
        _ = try outlet.write(octets, andFinish: true, mayCompress: true)
    }

    /// Says that no more messages follow. Calling it twice is harmless.
    public func finish() {
        outlet.willFinish()
        outlet.call.finish()
    }
}

/// Where the requests of a streaming call leave as octets.
@usableFromInline struct RequestOutlet: Sendable {
    let call: any CallRequests
    /// The call, where it says at once what becomes of a message.
    private let core: CallCore?
    private let inbox: ResponseInbox

    init(_ call: any CallRequests, _ inbox: ResponseInbox) {
        self.call = call
        core = call.core
        self.inbox = inbox
    }

    /// Returns whether there is room for the next. Throws when the message goes nowhere.
    @usableFromInline
    func write(
        _ message: consuming EncodedMessage, andFinish: Bool, mayCompress: Bool
    ) throws(RPCError) -> Bool {
        if let core {
            switch core.put(message, andFinish: andFinish, mayCompress: mayCompress) {
            case .taken: return true
            case .ended:
                throw call.errorOfWriting(inbox.end) ?? .callHasEnded
            case .awaitsRoom:
                inbox.willWrite()
                return inbox.hasRoom
            }
        }
        guard !call.hasUnreadEnd else { throw .callHasEnded }
        // An interceptor may say more than once that a message was taken.
        inbox.willWriteFirst()
        call.write(message, andFinish: andFinish, mayCompress: mayCompress)
        return inbox.hasRoom
    }

    @usableFromInline
    func waitForRoom() async throws(RPCError) {
        await withTaskCancellationHandler {
            await Resumption.wait { inbox.wait(.forRoom($0)) }
        } onCancel: {
            call.cancel()
        }
        if inbox.hasLostMessage { throw call.errorOfWriting(inbox.end) ?? .callHasEnded }
    }

    /// Whether nothing that is written reaches the server any more.
    var isOver: Bool {
        inbox.end != nil || call.takesNoMore
    }

    /// Throws when nothing can be written any more. A task that was cancelled cancels the call,
    /// though there may always be room.
    @usableFromInline
    func check() throws(RPCError) {
        if Task.isCancelled { call.cancel() }
        if let obstacle = inbox.obstacle { throw obstacle }
    }

    @usableFromInline
    func willFinish() { inbox.requestWasFinished() }
}
