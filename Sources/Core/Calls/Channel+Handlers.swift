// Calls with handlers, for code that does not await. Handlers run on the channel's queue and must
// not block it.

/// A call that is under way.
public struct RunningCall: Sendable {
    let core: CallCore

    /// Ends the call with CANCELLED.
    public func cancel() { core.cancel() }
}

extension Channel {
    /// Sends one message; `completion` gets the answer or the error, once.
    @discardableResult
    public func unary<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        _ options: CallOptions = CallOptions(),
        completion: @escaping @Sendable (Result<Response<Reply>, RPCError>) -> Void
    ) throws(RPCError) -> RunningCall {
        let octets = try method.requestCodec.encode(request, MessagePrefix.byteCount)
        let observer = SingleResponse { raw in
            completion(Result { () throws(RPCError) in try raw.response(method.replyCodec) })
        }
        let core = makeCall(method, options, observer: observer)
        core.write(octets, andFinish: true)
        observer.expect(from: core)
        core.start()
        return RunningCall(core: core)
    }

    /// Sends one message and waits for the answer in the calling thread, for scripts and command
    /// lines. On a queue that is turned by hand this turns it, so that no other thread takes part.
    public func blockingUnary<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        _ options: CallOptions = CallOptions()
    ) throws(RPCError) -> Response<Reply> {
        let octets = try method.requestCodec.encode(request, MessagePrefix.byteCount)
        let queue = backend.queue
        let gate = BlockingGate()
        let observer = SingleResponse { _ in gate.open() }
        let core = makeCall(method, options, observer: observer)
        core.write(octets, andFinish: true)
        observer.expect(from: core)
        core.start()
        if queue.mode == .byHand {
            queue.turn { observer.response == nil }
        } else {
            gate.wait()
        }
        guard let raw = observer.response else {
            throw RPCError(.internal, "the call ended without an answer")
        }
        return try raw.response(method.replyCodec)
    }
}

extension RawResponse {
    func response<Reply>(_ codec: Codec<Reply>) throws(RPCError) -> Response<Reply> {
        let octets = try octets()
        return Response(
            message: try codec.decode(octets.span), initialMetadata: initialMetadata,
            trailingMetadata: end.trailers, wasCompressed: end.compressedMessages & 1 == 1)
    }
}
