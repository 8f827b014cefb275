// Calls with async and await.

extension ServiceClient {
    /// Sends one message and waits for the response.
    ///
    /// Cancelling the task cancels the call.
    @inlinable
    public func unary<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        options: consuming CallOptions = CallOptions()
    ) async throws(RPCError) -> Reply {
        try method.signature.check(.unary)
        let encoded = try method.requestCodec.encode(request)
        var response = await channel.rawUnary(
            method.signature, consume encoded, withDefaults(options))
        let bytes = try response.takeBytes(of: method.signature)
        return try method.replyCodec.decode(ContiguousArray(bytes).span)
    }

    /// Sends one message and waits for the response. Returns its metadata, too.
    @inlinable
    public func unaryResponse<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        options: consuming CallOptions = CallOptions()
    ) async throws(RPCError) -> Response<Reply> {
        try method.signature.check(.unary)
        let encoded = try method.requestCodec.encode(request)
        var response = await channel.rawUnary(
            method.signature, consume encoded, withDefaults(options))
        return try response.takeResponse(method.replyCodec)
    }

}

extension Channel {
    @usableFromInline
    package func rawUnary(
        _ method: MethodSignature, _ message: consuming EncodedMessage,
        _ options: consuming CallOptions
    ) async -> RawResponse {
        let observer = SingleResponse()
        let call = makeCall(method, options, observer: observer)
        // Moved into the call: its memory is used again for the response.
        var message = Optional(message)
        return await withTaskCancellationHandler {
            await Resumption.wait { resumption in
                observer.expect(for: resumption)
                if let message = message.take() { call.start(only: message) }
            }
        } onCancel: {
            call.cancel()
        }
    }

}

extension ServiceClient {
    /// Sends one message; the responses arrive as the stream is read.
    public func serverStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request, options: CallOptions = CallOptions()
    ) async throws(RPCError) -> ResponseStream<Reply> {
        try method.signature.check(.serverStreaming)
        let bytes = try method.requestCodec.encode(request)
        let inbox = ResponseInbox()
        let call = makeCall(method.signature, options, observer: inbox)
        call.write(bytes, andFinish: true)
        call.start()
        return ResponseStream(source: ResponseSource(call, inbox), codec: method.replyCodec)
    }

    /// Sends the messages that `produce` writes, and waits for the response. The request ends when
    /// `produce` returns; when `produce` throws, the call is cancelled and the error is thrown.
    ///
    /// ```swift
    /// let summary = try await channel.clientStreaming(recordRoute) { route in
    ///     for point in points { try await route.write(point) }
    /// }
    /// ```
    public func clientStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions(),
        _ produce: (RequestWriter<Request>) async throws -> Void
    ) async throws -> Reply {
        try await clientStreamingResponse(method, options: options, produce).message
    }

    /// Like ``clientStreaming(_:options:_:)``, but returns the response with its metadata and the
    /// timeline of the call.
    public func clientStreamingResponse<Request, Reply>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions(),
        _ produce: (RequestWriter<Request>) async throws -> Void
    ) async throws -> Response<Reply> {
        try method.signature.check(.clientStreaming)
        let conversation = open(method, options)
        do {
            try await conversation.write(with: produce)
        } catch {
            conversation.cancel()
            throw error
        }
        var only: Reply?
        for try await reply in conversation.responses {
            try only.receiveOnly(reply, of: method.signature)
        }
        return Response(
            message: try only.takeOnly(of: method.signature),
            initialMetadata: try await conversation.responses.initialMetadata,
            end: conversation.responses.source.end)
    }

    /// Opens a call in which both sides send any number of messages.
    ///
    /// ```swift
    /// let chat = try await channel.bidirectional(routeChat)
    /// try await chat.requests.write(note)
    /// for try await answer in chat.responses { … }
    /// ```
    public func bidirectional<Request, Reply>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions()
    ) async throws(RPCError) -> Conversation<Request, Reply> {
        try method.signature.check(.bidirectional)
        return open(method, options)
    }

    /// Opens a call with a stream of requests, and with any number of responses.
    private func open<Request, Reply>(
        _ method: Method<Request, Reply>, _ options: CallOptions
    ) -> Conversation<Request, Reply> {
        let inbox = ResponseInbox()
        let call = makeCall(method.signature, options, observer: inbox)
        call.start()
        return Conversation(
            requests: RequestWriter(call, inbox, method.requestCodec),
            responses: ResponseStream(
                source: ResponseSource(call, inbox), codec: method.replyCodec))
    }
}

/// A call in which both sides send any number of messages.
public struct Conversation<Request: Sendable, Reply: Sendable>: Sendable {
    /// Writes the requests.
    public let requests: RequestWriter<Request>
    /// Reads the responses.
    public let responses: ResponseStream<Reply>

    /// Ends the call with CANCELLED.
    public func cancel() { responses.cancel() }
}
