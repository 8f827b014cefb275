// Calls that block the calling thread, for scripts and command lines. On a queue that is turned by
// hand they turn it, so that no other thread takes part. In a task or a handler they keep a thread
// from others; on the very thread of the channel's queue they fail, because they would wait for ever.

extension Channel {
    /// Sends one message and waits for the answer in the calling thread, for scripts and command
    /// lines. On a queue that is turned by hand this turns it, so that no other thread takes part.
    ///
    /// Not for tasks and handlers: those await, or get the answer handed. On the very thread of the
    /// channel's queue it fails with FAILED_PRECONDITION, and so do the other calls that block.
    @inlinable
    public func blockingUnary<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        _ options: CallOptions = CallOptions()
    ) throws(RPCError) -> Response<Reply> {
        let encoded = try method.requestCodec.encode(request)
        var response = rawBlockingUnary(method.signature, encoded, options)
        return try response.takeResponse(method.replyCodec)
    }

    @usableFromInline
    func rawBlockingUnary(
        _ method: MethodSignature, _ message: consuming EncodedMessage,
        _ options: consuming CallOptions
    ) -> RawResponse {
        let queue = backend.queue
        let gate = BlockingGate()
        let observer = SingleResponse(for: .gate(gate, queue))
        let call = makeCall(method, options, observer: observer)
        if queue.blocksItself { call.fail(.blockedQueue) } else { call.start(only: message) }
        while true {
            if let response = observer.response { return response }
            if queue.mode == .byHand {
                queue.turn { observer.response == nil }
            } else {
                gate.wait()
            }
        }
    }

    /// Sends one message; the answers are read one after the other.
    ///
    /// ```swift
    /// let features = try channel.blockingServerStreaming(listFeatures, area)
    /// while let feature = try features.next() { print(feature.name) }
    /// ```
    public func blockingServerStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        _ options: CallOptions = CallOptions()
    ) throws(RPCError) -> BlockingCall<Request, Reply> {
        let octets = try method.requestCodec.encode(request)
        let inbox = BlockingInbox(backend.queue)
        let call = makeCall(method.signature, options, observer: inbox)
        call.write(octets, andFinish: true)
        call.start()
        return BlockingCall(call, inbox, method)
    }

    /// Sends what `produce` writes, and waits for the one answer.
    public func blockingClientStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, _ options: CallOptions = CallOptions(),
        _ produce: (BlockingCall<Request, Reply>) throws -> Void
    ) throws -> Reply {
        let call = blockingBidirectional(method, options)
        do {
            try produce(call)
        } catch is RPCError where call.isOver {
            // The server has ended the call; its status says more than the failure to write.
        } catch {
            call.cancel()
            throw error
        }
        call.finish()
        guard let reply = try call.next() else { throw RPCError.noMessage }
        guard try call.next() == nil else { throw RPCError.tooManyMessages }
        return reply
    }

    /// Opens a call in which both sides send as they like.
    public func blockingBidirectional<Request, Reply>(
        _ method: Method<Request, Reply>, _ options: CallOptions = CallOptions()
    ) -> BlockingCall<Request, Reply> {
        let inbox = BlockingInbox(backend.queue)
        let call = makeCall(method.signature, options, observer: inbox)
        call.start()
        return BlockingCall(call, inbox, method)
    }
}

extension CompletionQueue {
    /// Whether the calling thread would wait for what it has to do itself.
    var blocksItself: Bool { mode == .ownThread && loop.isCurrent }
}

extension RPCError {
    static var blockedQueue: RPCError {
        .refused(
            .failedPrecondition,
            "a call that blocks the thread of its own completion queue would wait for ever")
    }
}
