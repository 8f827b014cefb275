import Synchronization

// Calls with handlers, for code that does not await. Handlers run on the channel's queue and must
// not block it.

/// A call that is under way.
public struct RunningCall: Sendable {
    let call: any CallRequests
    var pausing: (any CallPausing)?

    /// Ends the call with CANCELLED.
    public func cancel() { call.cancel() }

    /// Asks for no more messages until ``resume()``; flow control then stops the server. Without
    /// an effect on calls that have one response.
    public func pause() { pausing?.pause() }

    /// Goes on after a ``pause()``; otherwise without an effect.
    public func resume() { pausing?.resume() }
}

extension Channel {
    /// Sends one message; `completion` gets the answer or the error, once.
    @inlinable @discardableResult
    public func unary<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        _ options: CallOptions = CallOptions(),
        completion: @escaping @Sendable (Result<Response<Reply>, RPCError>) -> Void
    ) throws(RPCError) -> RunningCall {
        let octets = try method.requestCodec.encode(request)
        let codec = method.replyCodec
        return startUnary(method.signature, octets, options) { raw in
            completion(raw.takeResult(codec))
        }
    }

    @usableFromInline
    func startUnary(
        _ method: MethodSignature, _ message: consuming EncodedMessage,
        _ options: consuming CallOptions,
        completion: @escaping @Sendable (inout RawResponse) -> Void
    ) -> RunningCall {
        let call = makeCall(method, options, observer: SingleResponse(for: completion))
        call.start(only: consume message)
        return RunningCall(call: call)
    }

    /// Sends one message; the handlers get the answers as they come.
    @discardableResult
    public func serverStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        _ options: CallOptions = CallOptions(), handlers: ResponseHandlers<Reply>
    ) throws(RPCError) -> RunningCall {
        let octets = try method.requestCodec.encode(request)
        let observer = HandlerObserver(handlers, method.replyCodec)
        let call = makeCall(method.signature, options, observer: observer)
        call.write(octets, andFinish: true)
        observer.begin(call)
        call.start()
        return RunningCall(call: call, pausing: observer)
    }

    /// Opens a call whose requests are written as they come up; `completion` gets the one answer
    /// or the error, once.
    public func clientStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, _ options: CallOptions = CallOptions(),
        completion: @escaping @Sendable (Result<Reply, RPCError>) -> Void
    ) -> WritingCall<Request> {
        let only = OnlyReply<Reply>()
        return bidirectional(
            method, options,
            handlers: ResponseHandlers(
                message: { only.receive($0) },
                end: { completion(only.result(at: $0)) }))
    }

    /// Opens a call in which both sides send as they like.
    public func bidirectional<Request, Reply>(
        _ method: Method<Request, Reply>, _ options: CallOptions = CallOptions(),
        handlers: ResponseHandlers<Reply>
    ) -> WritingCall<Request> {
        let observer = HandlerObserver(handlers, method.replyCodec)
        let call = makeCall(method.signature, options, observer: observer)
        observer.begin(call)
        call.start()
        return WritingCall(
            running: RunningCall(call: call, pausing: observer),
            writing: observer, codec: method.requestCodec)
    }
}

/// The one response of a call that is to have one.
final class OnlyReply<Reply: Sendable>: Sendable {
    private let state = Mutex<(reply: Reply?, count: Int)>((nil, 0))

    func receive(_ reply: Reply) {
        state.withLock { state in
            state.count += 1
            if state.reply == nil { state.reply = reply }
        }
    }

    /// What the call came to, once it has ended.
    func result(at end: Result<Metadata, RPCError>) -> Result<Reply, RPCError> {
        let (reply, count) = state.withLock { ($0.reply, $0.count) }
        if case .failure(let error) = end { return .failure(error) }
        guard let reply else { return .failure(.noMessage) }
        return count == 1 ? .success(reply) : .failure(.tooManyMessages)
    }
}

extension RPCError {
    static var noMessage: RPCError {
        RPCError(.unimplemented, "the server sent no message with its status OK")
    }

    static var tooManyMessages: RPCError {
        RPCError(.unimplemented, "the server sent more than one message")
    }
}
