/// Writes the requests of a call with a stream of requests.
public struct RequestWriter<Message: Sendable>: Sendable {
    @usableFromInline let outlet: RequestOutlet
    @usableFromInline let codec: Codec<Message>

    init(_ call: any CallRequests, _ inbox: ResponseInbox, _ codec: Codec<Message>) {
        outlet = RequestOutlet(call, inbox)
        self.codec = codec
    }

    /// Sends a message. Returns when there is room for the next, so that a writer does not write
    /// faster than the server reads. Throws after the end of the call, and after ``finish()``.
    ///
    /// - Parameters:
    ///   - message: The request.
    ///   - allowsCompression: False sends this message uncompressed on a call that compresses. The
    ///     default is true.
    @inlinable
    public func write(_ message: Message, allowsCompression: Bool = true) async throws(RPCError) {
        try outlet.check()
        let bytes = try codec.encode(message)
        if try outlet.write(bytes, andFinish: false, allowsCompression: allowsCompression) {
            return
        }
        try await outlet.waitForRoom()
    }

    /// Sends the values of a sequence, each when there is room for it.
    @inlinable
    public func write(contentsOf messages: some Sequence<Message>) async throws(RPCError) {
        for message in messages { try await write(message) }
    }

    /// Sends the values of an asynchronous sequence, each when there is room for it. Also throws the errors of the
    /// sequence; the request is not finished then.
    @inlinable
    public func write<Messages: AsyncSequence>(contentsOf messages: Messages) async throws
    where Messages.Element == Message {
        for try await message in messages { try await write(message) }
    }

    /// Sends the last message and ends the request. Cheaper than a write followed by ``finish()``:
    /// both are sent in one frame.
    @inlinable
    public func finish(with message: Message) throws(RPCError) {
        try outlet.check()
        let bytes = try codec.encode(message)
        outlet.willFinish()
        _ = try outlet.write(bytes, andFinish: true, allowsCompression: true)
    }

    /// Ends the request: no more messages follow. Further calls have no effect.
    public func finish() {
        outlet.willFinish()
        outlet.call.finish()
    }
}

/// Sends the encoded requests of a streaming call.
@usableFromInline package struct RequestOutlet: Sendable {
    package let call: any CallRequests
    /// The call, if it has neither interceptors nor retries; nil otherwise. It reports the outcome
    /// of a write at once.
    private let core: CallCore?
    private let inbox: ResponseInbox

    package init(_ call: any CallRequests, _ inbox: ResponseInbox) {
        self.call = call
        core = call.core
        self.inbox = inbox
    }

    /// Returns whether there is room for the next. Throws if the message was dropped.
    @usableFromInline
    package func write(
        _ message: consuming EncodedMessage, andFinish: Bool, allowsCompression: Bool
    ) throws(RPCError) -> Bool {
        if let core {
            switch core.put(message, andFinish: andFinish, allowsCompression: allowsCompression) {
            case .accepted: return true
            case .ended:
                throw call.errorOfWriting(inbox.end) ?? .callHasEnded
            case .awaitsRoom:
                inbox.willWrite()
                return inbox.hasRoom
            }
        }
        if let error = call.errorOfUnreadEnd { throw error }
        // An interceptor may report a message as written more than once.
        inbox.willWriteFirst()
        call.write(message, andFinish: andFinish, allowsCompression: allowsCompression)
        return inbox.hasRoom
    }

    @usableFromInline
    func waitForRoom() async throws(RPCError) {
        await withTaskCancellationHandler {
            await Resumption.wait { inbox.wait(.forRoom($0)) }
        } onCancel: {
            call.cancel()
        }
        try checkLoss()
    }

    /// Throws if a message was dropped, or the next would be.
    package func checkLoss() throws(RPCError) {
        if inbox.hasLostMessage { throw call.errorOfWriting(inbox.end) ?? .callHasEnded }
    }

    /// Whether messages that are written from now on are dropped.
    package var isOver: Bool {
        inbox.end != nil || call.dropsWrites
    }

    /// Throws if no message can be written. If the task was cancelled, cancels the call: a writer
    /// that always has room never waits, and would not notice the cancellation.
    @usableFromInline
    func check() throws(RPCError) {
        if Task.isCancelled { call.cancel() }
        if let failure = inbox.failureOfWriting { throw failure }
    }

    @usableFromInline
    package func willFinish() { inbox.requestWasFinished() }
}
