public import SwiftletCore

// Calls as values: a call starts when its value is created, and has a future for each part of its
// result.

/// The properties of every running call, whatever its shape and its messages.
public protocol FutureCall: Sendable {
    /// The initial metadata. Fails if the call ended with an error before this metadata arrived.
    /// Empty if the server sent none.
    var initialMetadata: CallFuture<Metadata> { get }
    /// The trailing metadata; for a call that failed, the metadata of its error. Never fails.
    var trailingMetadata: CallFuture<Metadata> { get }
    /// How the call ended. Never fails.
    var status: CallFuture<Status> { get }
    /// Ends the call with CANCELLED.
    func cancel()
}

/// A call whose properties are those of its parts.
package protocol CallOfParts: FutureCall {
    var parts: CallParts { get }
}

extension CallOfParts {
    public var initialMetadata: CallFuture<Metadata> { parts.futures.initialMetadata }
    public var trailingMetadata: CallFuture<Metadata> { parts.futures.trailingMetadata }
    public var status: CallFuture<Status> { parts.futures.status }
    public func cancel() { parts.running.cancel() }
}

/// A running unary call.
public struct UnaryCall<Request: Sendable, Reply: Sendable>: CallOfParts {
    /// The response message. Fails with the error of the call.
    public let response: CallFuture<Reply>
    package let parts: CallParts
}

/// A running call with one request and any number of responses, which a handler receives.
public struct ServerStreamingCall<Request: Sendable, Reply: Sendable>: CallOfParts {
    package let parts: CallParts
}

/// A running call with any number of requests and one response.
public struct ClientStreamingCall<Request: Sendable, Reply: Sendable>: CallOfParts {
    /// The response message. Fails with the error of the call.
    public let response: CallFuture<Reply>
    package let parts: CallParts
    fileprivate let writing: WritingCall<Request>
}

/// A running call with any number of messages in each direction.
public struct BidirectionalCall<Request: Sendable, Reply: Sendable>: CallOfParts {
    package let parts: CallParts
    fileprivate let writing: WritingCall<Request>
}

// MARK: - Parts of calls

/// The parts that running calls of all shapes have.
package struct CallParts: Sendable {
    fileprivate let futures: CallFutures
    fileprivate let running: RunningCall
}

/// The futures of the metadata and of the status.
private struct CallFutures: Sendable {
    let initialMetadata: CallFuture<Metadata>
    let trailingMetadata: CallFuture<Metadata>
    let status: CallFuture<Status>

    init(on queue: CompletionQueue) {
        initialMetadata = CallFuture(on: queue)
        trailingMetadata = CallFuture(on: queue)
        status = CallFuture(on: queue)
    }

    func end(_ end: Result<Metadata, RPCError>) {
        switch end {
        case .success(let trailers):
            initialMetadata.complete(.success(Metadata()))
            trailingMetadata.complete(.success(trailers))
            status.complete(.success(.ok))
        case .failure(let error):
            initialMetadata.complete(.failure(error))
            trailingMetadata.complete(.success(error.metadata))
            status.complete(.success(error.status))
        }
    }
}

extension ClientStreamingCall {
    /// Sends a message. The future completes when there is room for the next, and fails when the
    /// call has ended.
    @discardableResult
    public func sendMessage(_ message: Request) -> CallFuture<Void> {
        writing.send(message, endingWith: status)
    }

    /// Sends the values of a sequence without waiting for room. The future completes when there is room after the last
    /// one, and fails when the call has ended.
    @discardableResult
    public func sendMessages(_ messages: some Sequence<Request>) -> CallFuture<Void> {
        writing.send(contentsOf: messages, endingWith: status)
    }

    /// Ends the request: no more messages follow.
    public func sendEnd() { writing.finish() }
}

extension BidirectionalCall {
    /// Sends a message. The future completes when there is room for the next, and fails when the
    /// call has ended.
    @discardableResult
    public func sendMessage(_ message: Request) -> CallFuture<Void> {
        writing.send(message, endingWith: status)
    }

    /// Sends the values of a sequence without waiting for room. The future completes when there is room after the last
    /// one, and fails when the call has ended.
    @discardableResult
    public func sendMessages(_ messages: some Sequence<Request>) -> CallFuture<Void> {
        writing.send(contentsOf: messages, endingWith: status)
    }

    /// Ends the request: no more messages follow.
    public func sendEnd() { writing.finish() }
}

extension WritingCall {
    /// Sends a message of a call that ends with `status`.
    fileprivate func send(
        _ message: Request, endingWith status: CallFuture<Status>
    ) -> CallFuture<Void> {
        send(endingWith: status) { then throws(RPCError) in try write(message, then: then) }
    }

    fileprivate func send(
        contentsOf messages: some Sequence<Request>, endingWith status: CallFuture<Status>
    ) -> CallFuture<Void> {
        send(endingWith: status) { then throws(RPCError) in
            try write(contentsOf: messages, then: then)
        }
    }

    private func send(
        endingWith status: CallFuture<Status>,
        _ write: (@escaping @Sendable (_ hasRoom: Bool) -> Void) throws(RPCError) -> Void
    ) -> CallFuture<Void> {
        let written = CallFuture<Void>(on: status.queue)
        do throws(RPCError) {
            try write { hasRoom in
                guard !hasRoom else { return written.complete(.success(())) }
                status.whenComplete { end in
                    let error = RPCError((try? end.get()) ?? .ok) ?? .callHasEndedWell
                    written.complete(.failure(error))
                }
            }
        } catch {
            written.complete(.failure(error))
        }
        return written
    }

    /// Sends the only request. If it cannot be encoded, the call fails.
    fileprivate func sendOnly(_ request: Request) {
        do throws(RPCError) {
            try write(request)
            finish()
        } catch {
            running.call.fail(error)
        }
    }
}

// MARK: - Starting calls

extension ServiceClient {
    /// Starts a unary call. When the request cannot be encoded, the call fails with that error.
    ///
    /// ```swift
    /// let call = channel.unaryCall(sayHello, request)
    /// let reply = try call.response.wait()
    /// let status = try call.status.wait()
    /// ```
    public func unaryCall<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        options: CallOptions = CallOptions()
    ) -> UnaryCall<Request, Reply> {
        let (parts, response, writing) = startSingle(method, options, as: .unary)
        writing.sendOnly(request)
        return UnaryCall(response: response, parts: parts)
    }

    /// Starts a call with one request. `handler` receives the responses, one at a time and in
    /// order, on the channel's queue, which it must not block.
    public func serverStreamingCall<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        options: CallOptions = CallOptions(), handler: @escaping @Sendable (Reply) -> Void
    ) -> ServerStreamingCall<Request, Reply> {
        let (parts, writing) = startStreaming(
            method, options, handler, as: .serverStreaming)
        writing.sendOnly(request)
        return ServerStreamingCall(parts: parts)
    }

    /// Starts a call with any number of requests and one response.
    public func clientStreamingCall<Request, Reply>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions()
    ) -> ClientStreamingCall<Request, Reply> {
        let (parts, response, writing) = startSingle(method, options, as: .clientStreaming)
        return ClientStreamingCall(response: response, parts: parts, writing: writing)
    }

    /// Starts a call with any number of messages in each direction. `handler` receives the
    /// responses, one at a time and in order, on the channel's queue, which it must not block.
    public func bidirectionalCall<Request, Reply>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions(),
        handler: @escaping @Sendable (Reply) -> Void
    ) -> BidirectionalCall<Request, Reply> {
        let (parts, writing) = startStreaming(
            method, options, handler, as: .bidirectional)
        return BidirectionalCall(parts: parts, writing: writing)
    }

    /// Starts a call that has any number of responses.
    private func startStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, _ options: CallOptions,
        _ handler: @escaping @Sendable (Reply) -> Void, as shape: CallShape
    ) -> (CallParts, WritingCall<Request>) {
        let futures = CallFutures(on: channel.queue)
        let handlers = ResponseHandlers(
            initialMetadata: { futures.initialMetadata.complete(.success($0)) },
            message: handler, end: { futures.end($0) })
        let writing = startWriting(method, options, handlers, as: shape)
        return (CallParts(futures: futures, running: writing.running), writing)
    }

    /// Starts a call that has one response.
    private func startSingle<Request, Reply>(
        _ method: Method<Request, Reply>, _ options: CallOptions, as shape: CallShape
    ) -> (CallParts, CallFuture<Reply>, WritingCall<Request>) {
        let futures = CallFutures(on: channel.queue)
        let response = CallFuture<Reply>(on: channel.queue)
        let codec = method.replyCodec
        let early: @Sendable (Metadata) -> Void = { futures.initialMetadata.complete(.success($0)) }
        let writing = startWriting(method, options, as: shape, early: early) { raw in
            if let metadata = raw.initialMetadata { early(metadata) }
            let result = raw.takeResult(codec)
            response.complete(result.map(\.message))
            futures.end(result.map(\.trailingMetadata))
        }
        return (CallParts(futures: futures, running: writing.running), response, writing)
    }
}
