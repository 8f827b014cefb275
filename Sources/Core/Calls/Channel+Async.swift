// Calls with async and await.

extension Channel {
    /// Sends one message and waits for one.
    ///
    /// Cancelling the task cancels the call.
    @inlinable
    public func unary<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request, _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> Reply {
        let encoded = try method.requestCodec.encode(request)
        var response = await rawUnary(method.signature, encoded, options)
        let octets = try response.takeOctets()
        return try method.replyCodec.decode(octets.span)
    }

    /// Sends one message and waits for one, with the metadata that comes with it.
    @inlinable
    public func unaryResponse<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request, _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> Response<Reply> {
        let encoded = try method.requestCodec.encode(request)
        var response = await rawUnary(method.signature, encoded, options)
        return try response.takeResponse(method.replyCodec)
    }

    @usableFromInline
    func rawUnary(
        _ method: MethodSignature, _ message: EncodedMessage, _ options: consuming CallOptions
    ) async -> RawResponse {
        let observer = SingleResponse()
        let call = makeCall(method, options, observer: observer)
        return await withTaskCancellationHandler {
            await Resumption.wait { resumption in
                observer.expect(for: .continuation(resumption))
                call.start(only: message)
            }
        } onCancel: {
            call.cancel()
        }
    }

    /// Sends one message; the answers come as the stream is read.
    public func serverStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request, _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> ResponseStream<Reply> {
        let octets = try method.requestCodec.encode(request)
        let inbox = ResponseInbox()
        let call = makeCall(method.signature, options, observer: inbox)
        call.write(octets, andFinish: true)
        call.start()
        return ResponseStream(source: ResponseSource(call, inbox), codec: method.replyCodec)
    }

    /// Sends the messages that `produce` writes, and waits for one. The request ends when
    /// `produce` returns; when it throws, the call is cancelled.
    ///
    /// ```swift
    /// let summary = try await channel.clientStreaming(recordRoute) { route in
    ///     for point in points { try await route.write(point) }
    /// }
    /// ```
    public func clientStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, _ options: CallOptions = CallOptions(),
        _ produce: (RequestWriter<Request>) async throws -> Void
    ) async throws -> Reply {
        let conversation = try await bidirectional(method, options)
        do {
            try await produce(conversation.requests)
        } catch is RPCError where conversation.requests.outlet.isOver {
            // The server has ended the call; its status says more than the failure to write.
        } catch {
            conversation.cancel()
            throw error
        }
        conversation.requests.finish()
        var iterator = conversation.responses.makeAsyncIterator()
        guard let reply = try await iterator.next() else {
            throw RPCError.noMessage
        }
        guard try await iterator.next() == nil else {
            throw RPCError.tooManyMessages
        }
        return reply
    }

    /// Opens a call in which both sides send as they like.
    ///
    /// ```swift
    /// let chat = try await channel.bidirectional(routeChat)
    /// try await chat.requests.write(note)
    /// for try await answer in chat.responses { … }
    /// ```
    public func bidirectional<Request, Reply>(
        _ method: Method<Request, Reply>, _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> Conversation<Request, Reply> {
        let inbox = ResponseInbox()
        let call = makeCall(method.signature, options, observer: inbox)
        call.start()
        return Conversation(
            requests: RequestWriter(call, inbox, method.requestCodec),
            responses: ResponseStream(
                source: ResponseSource(call, inbox), codec: method.replyCodec))
    }
}

/// A call in which both sides send as they like.
public struct Conversation<Request: Sendable, Reply: Sendable>: Sendable {
    /// Where requests are written.
    public let requests: RequestWriter<Request>
    /// What the server answers.
    public let responses: ResponseStream<Reply>

    /// Ends the call with CANCELLED.
    public func cancel() { responses.cancel() }
}
