// Calls that last as long as a closure.

extension Channel {
    /// Opens a call in which both sides send as they like, for as long as `body` runs. What is left of
    /// it when `body` returns or throws is cancelled, so nothing of the call outlives this function.
    ///
    /// ```swift
    /// try await channel.bidirectional(routeChat) { notes, answers in
    ///     try await notes.write(note)
    ///     for try await answer in answers { … }
    /// }
    /// ```
    ///
    /// Cancelling the task cancels the call. That is seen to once, and not for each message, so that
    /// a conversation costs less than with ``bidirectional(_:_:)``.
    public func bidirectional<Request, Reply, Result>(
        _ method: Method<Request, Reply>, _ options: CallOptions = CallOptions(),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (RequestWriter<Request>, ScopedResponses<Reply>) async throws -> Result
    ) async throws -> Result {
        let conversation = try await bidirectional(method, options)
        defer { conversation.cancel() }
        return try await withTaskCancellationHandler {
            // Looked at, so that this closure runs where `body` has to.
            _ = isolation
            return try await body(conversation.requests, ScopedResponses(conversation.responses))
        } onCancel: {
            conversation.cancel()
        }
    }

    /// Sends one message, and has the answers read by `body`. What is left of the call when `body`
    /// returns or throws is cancelled.
    public func serverStreaming<Request, Reply, Result>(
        _ method: Method<Request, Reply>, _ request: Request,
        _ options: CallOptions = CallOptions(),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (ScopedResponses<Reply>) async throws -> Result
    ) async throws -> Result {
        let responses = try await serverStreaming(method, request, options)
        defer { responses.cancel() }
        return try await withTaskCancellationHandler {
            _ = isolation
            return try await body(ScopedResponses(responses))
        } onCancel: {
            responses.cancel()
        }
    }
}

/// The responses of a call that lasts as long as a closure, for the task that runs it: that one's
/// cancellation ends what is being waited for, and no other's. Others read ``stream``.
///
/// ```swift
/// for try await feature in responses { print(feature.name) }
/// ```
public struct ScopedResponses<Message: Sendable>: AsyncSequence {
    public typealias Element = Message
    public typealias Failure = RPCError

    /// The same for any task, and the metadata that came along.
    public let stream: ResponseStream<Message>

    init(_ stream: ResponseStream<Message>) { self.stream = stream }

    public func makeAsyncIterator() -> ResponseStream<Message>.AsyncIterator {
        ResponseStream<Message>.AsyncIterator(
            source: stream.source, codec: stream.codec, isScoped: true)
    }
}

@available(*, unavailable)
extension ScopedResponses: Sendable {}
