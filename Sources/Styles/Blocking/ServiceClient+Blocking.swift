public import SwiftletCore

// Calls that block the calling thread. If the channel's queue is `.byHand`, the calling thread runs
// its event loop. In a handler or a task on the channel's queue they fail: the queue cannot
// continue until the handler returns.

extension ServiceClient {
    /// Sends one message, and blocks the calling thread until the response arrives. For scripts and
    /// command lines. If the channel's queue is `.byHand`, the calling thread runs its event loop
    /// meanwhile, so that no other thread is needed.
    ///
    /// Throws FAILED_PRECONDITION in a handler or a task on the channel's queue, as all blocking
    /// calls do. Any number of threads may block at the same time.
    @inlinable
    public func blockingUnary<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        options: consuming CallOptions = CallOptions()
    ) throws(RPCError) -> Response<Reply> {
        try method.signature.check(.unary)
        let encoded = try method.requestCodec.encode(request)
        var response = channel.rawBlockingUnary(
            method.signature, consume encoded, withDefaults(options))
        return try response.takeResponse(method.replyCodec)
    }

}

extension Channel {
    @usableFromInline
    func rawBlockingUnary(
        _ method: MethodSignature, _ message: consuming EncodedMessage,
        _ options: consuming CallOptions
    ) -> RawResponse {
        let queue = self.queue
        let observer = SingleResponse(isForTask: false)
        let call = makeCall(method, options, observer: observer)
        if queue.blocksItself { call.fail(.blockedQueue) }
        var message = Optional(message)
        return Resumption.block(on: queue) { resumption in
            observer.expect(for: resumption)
            if let message = message.take() { call.start(only: message) }
        }
    }

}

extension ServiceClient {
    /// Sends one message; the responses are read one after the other.
    ///
    /// ```swift
    /// let features = try channel.blockingServerStreaming(listFeatures, area)
    /// while let feature = try features.next() { print(feature.name) }
    /// ```
    public func blockingServerStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        options: CallOptions = CallOptions()
    ) throws(RPCError) -> BlockingCall<Request, Reply> {
        try method.signature.check(.serverStreaming)
        let bytes = try method.requestCodec.encode(request)
        let inbox = ResponseInbox(isForTask: false)
        let call = makeCall(method.signature, options, observer: inbox)
        call.write(bytes, andFinish: true)
        call.start()
        return BlockingCall(call, inbox, method, channel.queue)
    }

    /// Sends the messages that `produce` writes, and waits for the response.
    public func blockingClientStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions(),
        _ produce: (BlockingCall<Request, Reply>) throws -> Void
    ) throws -> Reply {
        try blockingClientStreamingResponse(method, options: options, produce).message
    }

    /// Like ``blockingClientStreaming(_:options:_:)``, but returns the response with its metadata
    /// and the timeline of the call.
    public func blockingClientStreamingResponse<Request, Reply>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions(),
        _ produce: (BlockingCall<Request, Reply>) throws -> Void
    ) throws -> Response<Reply> {
        let call = openBlocking(method, options, as: .clientStreaming)
        do {
            try produce(call)
        } catch is RPCError where call.isOver {
            // The server has ended the call: its status explains more than the failed write.
        } catch {
            call.cancel()
            throw error
        }
        call.finish()
        var only: Reply?
        while let reply = try call.next() { try only.receiveOnly(reply, of: method.signature) }
        return Response(
            message: try only.takeOnly(of: method.signature),
            initialMetadata: try call.initialMetadata(), end: call.end)
    }

    /// Opens a call in which both sides send any number of messages.
    public func blockingBidirectional<Request, Reply>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions()
    ) -> BlockingCall<Request, Reply> {
        openBlocking(method, options, as: .bidirectional)
    }

    private func openBlocking<Request, Reply>(
        _ method: Method<Request, Reply>, _ options: CallOptions, as shape: CallShape
    ) -> BlockingCall<Request, Reply> {
        let inbox = ResponseInbox(isForTask: false)
        let call = makeCall(method.signature, options, observer: inbox)
        start(call, method.signature, as: shape)
        return BlockingCall(call, inbox, method, channel.queue)
    }
}
