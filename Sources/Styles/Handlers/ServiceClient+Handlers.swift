public import SwiftletCore

// Calls with handlers, for code without `await`. Handlers run on the channel's queue and must not
// block it. The names begin with `start`, so that the compiler does not match a trailing closure to
// one of the `async` functions.

/// A running call.
public struct RunningCall: Sendable {
    package let call: any CallRequests
    var pausing: HandlerLease?

    /// Ends the call with CANCELLED.
    public func cancel() { call.cancel() }

    /// Asks for no more messages until ``resume()``, so that flow control stops the server. It has
    /// no effect on calls with one response.
    ///
    /// Keep the call until it is resumed: a paused call that the program has released ends with CANCELLED when the
    /// server sends another message.
    public func pause() { pausing?.control.pause() }

    /// Ends a ``pause()``. Has no effect on a call that is not paused.
    public func resume() { pausing?.control.resume() }

    /// Asks for more messages, if ``ResponseHandlers/initialDemand`` is set. Otherwise it has no
    /// effect.
    public func receiveNext(_ count: Int = 1) { pausing?.control.receiveNext(count) }
}

/// The program's hold on a call with handlers for a stream of responses.
final class HandlerLease: Sendable {
    let control: HandlerControl

    init(_ control: HandlerControl) { self.control = control }

    deinit { control.wasReleased() }
}

extension ServiceClient {
    /// Starts a call with one message in each direction. `completion` is called once, with the
    /// response or the error, in `context`; by default on the channel's queue, which it must not block.
    ///
    /// Throws, and does not call `completion`, if the request cannot be encoded or `method` is not unary:
    /// then no call was made. Every later error is passed to `completion`.
    @inlinable @discardableResult
    public func startUnary<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        options: consuming CallOptions = CallOptions(), context: SerialContext = .inline,
        completion: @escaping @Sendable (Result<Response<Reply>, RPCError>) -> Void
    ) throws(RPCError) -> RunningCall {
        try method.signature.check(.unary)
        let bytes = try method.requestCodec.encode(request)
        let codec = method.replyCodec
        guard context.isInline else {
            return channel.startRawUnary(method.signature, bytes, withDefaults(options)) { raw in
                let result = raw.takeResult(codec)
                context { completion(result) }
            }
        }
        return channel.startRawUnary(method.signature, bytes, withDefaults(options)) { raw in
            completion(raw.takeResult(codec))
        }
    }
}

extension Channel {
    @usableFromInline
    package func startRawUnary(
        _ method: MethodSignature, _ message: consuming EncodedMessage,
        _ options: consuming CallOptions,
        completion: @escaping @Sendable (inout RawResponse) -> Void
    ) -> RunningCall {
        let call = makeCall(method, options, observer: SingleResponse(for: completion))
        call.start(only: consume message)
        return RunningCall(call: call)
    }
}

extension ServiceClient {
    /// Starts a call with one request and any number of responses, which `handlers` receive. Throws, and calls
    /// no handler, if the request cannot be encoded or `method` has a stream of requests: then no call was made.
    @discardableResult
    public func startServerStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        options: CallOptions = CallOptions(), handlers: ResponseHandlers<Reply>
    ) throws(RPCError) -> RunningCall {
        try method.signature.check(.serverStreaming)
        let bytes = try method.requestCodec.encode(request)
        let observer = HandlerObserver(handlers, method.replyCodec)
        let call = makeCall(method.signature, options, observer: observer)
        call.write(bytes, andFinish: true)
        observer.begin(call)
        call.start()
        return RunningCall(call: call, pausing: HandlerLease(observer.control))
    }

    /// Starts a call with any number of requests, which the program writes to the result.
    /// `completion` is called once, with the response or the error, in `context`; by default on the channel's
    /// queue, which it must not block. It is called at once, with INVALID_ARGUMENT, if `method` has a stream of
    /// responses.
    public func startClientStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions(),
        context: SerialContext = .inline,
        completion: @escaping @Sendable (Result<Response<Reply>, RPCError>) -> Void
    ) -> WritingCall<Request> {
        let codec = method.replyCodec
        return startWriting(method, options, as: .clientStreaming) { response in
            let result = response.takeResult(codec)
            context { completion(result) }
        }
    }

    /// Starts a call in which both sides send any number of messages.
    public func startBidirectional<Request, Reply>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions(),
        handlers: ResponseHandlers<Reply>
    ) -> WritingCall<Request> {
        startWriting(method, options, handlers, as: .bidirectional)
    }

    /// Starts a call with one response, whose requests are written to the result.
    func startWriting<Request, Reply>(
        _ method: Method<Request, Reply>, _ options: CallOptions, as shape: CallShape,
        early: (@Sendable (Metadata) -> Void)? = nil,
        handler: @escaping SingleResponse.Handler
    ) -> WritingCall<Request> {
        let observer = WritingObserver(early: early, for: handler)
        let call = makeCall(method.signature, options, observer: observer)
        // One for the response, and one for a second message, which is an error.
        call.receiveNext()
        call.receiveNext()
        start(call, method.signature, as: shape)
        return WritingCall(
            running: RunningCall(call: call), writing: observer.control, codec: method.requestCodec)
    }

    /// Starts a call whose requests are written to the result.
    func startWriting<Request, Reply>(
        _ method: Method<Request, Reply>, _ options: CallOptions,
        _ handlers: ResponseHandlers<Reply>, as shape: CallShape
    ) -> WritingCall<Request> {
        let observer = HandlerObserver(handlers, method.replyCodec)
        let call = makeCall(method.signature, options, observer: observer)
        observer.begin(call)
        start(call, method.signature, as: shape)
        return WritingCall(
            running: RunningCall(call: call, pausing: HandlerLease(observer.control)),
            writing: observer.control, codec: method.requestCodec)
    }
}

extension RawResponse {
    @inlinable
    package mutating func takeResult<Reply>(
        _ codec: Codec<Reply>
    ) -> Result<Response<Reply>, RPCError> {
        do throws(RPCError) {
            return .success(try takeResponse(codec))
        } catch {
            return .failure(error)
        }
    }
}
