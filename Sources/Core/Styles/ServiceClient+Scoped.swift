import Synchronization

// Calls that last as long as a closure.

extension ServiceClient {
    /// Opens a call in which `produce` writes while `consume` reads. The request ends when `produce`
    /// returns.
    ///
    /// ```swift
    /// try await channel.bidirectional(routeChat) { notes in
    ///     for note in trip { try await notes.write(note) }
    /// } responses: { answers in
    ///     for try await answer in answers { print(answer.message) }
    /// }
    /// ```
    ///
    /// When `consume` returns, or one of the closures throws, the task of `produce` is cancelled,
    /// and so is a call that has not ended. The function returns after both closures have returned.
    /// It returns the result of `consume`, or throws the error of the closure that failed first. If
    /// the server ends the call while `produce` writes, the error of that write is ignored:
    /// `consume` receives the status. Cancelling the task cancels the call.
    public func bidirectional<Request, Reply, Result>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions(),
        isolation: isolated (any Actor)? = #isolation,
        requests produce: @escaping @Sendable (RequestWriter<Request>) async throws -> Void,
        responses consume: (ScopedResponses<Reply>) async throws -> Result
    ) async throws -> Result {
        let conversation = try await bidirectional(method, options: options)
        let failure = WriterFailure()
        return try await withTaskCancellationHandler {
            // Captures `isolation`, so that this closure runs on the actor of `consume`.
            _ = isolation
            async let _: Void = conversation.write(with: produce, notingFailureIn: failure)
            // Cancels the call before the end of the scope, which waits for the writer.
            defer { conversation.cancel() }
            do {
                return try await consume(ScopedResponses(conversation.responses))
            } catch {
                throw failure.error ?? error
            }
        } onCancel: {
            conversation.cancel()
        }
    }

    /// Opens a call in which both sides send any number of messages, for as long as `body` runs. When
    /// `body` returns or throws, a call that has not ended is cancelled.
    ///
    /// ```swift
    /// try await channel.bidirectional(routeChat) { notes, answers in
    ///     try await notes.write(note)
    ///     notes.finish()
    ///     for try await answer in answers { … }
    /// }
    /// ```
    ///
    /// Cancelling the task cancels the call. One handler is registered for that, instead of one for
    /// each message as in ``bidirectional(_:options:)``, so that messages cost less.
    public func bidirectional<Request, Reply, Result>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions(),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (RequestWriter<Request>, ScopedResponses<Reply>) async throws -> Result
    ) async throws -> Result {
        let conversation = try await bidirectional(method, options: options)
        defer { conversation.cancel() }
        return try await withTaskCancellationHandler {
            // Captures `isolation`, so that this closure runs on the actor of `body`.
            _ = isolation
            return try await body(conversation.requests, ScopedResponses(conversation.responses))
        } onCancel: {
            conversation.cancel()
        }
    }

    /// Sends one message, and passes the responses to `body`. When `body` returns or throws, a call
    /// that has not ended is cancelled.
    public func serverStreaming<Request, Reply, Result>(
        _ method: Method<Request, Reply>, _ request: Request,
        options: CallOptions = CallOptions(),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (ScopedResponses<Reply>) async throws -> Result
    ) async throws -> Result {
        let responses = try await serverStreaming(method, request, options: options)
        defer { responses.cancel() }
        return try await withTaskCancellationHandler {
            _ = isolation
            return try await body(ScopedResponses(responses))
        } onCancel: {
            responses.cancel()
        }
    }
}

extension Conversation {
    /// Runs `produce`, and ends the request when it returns. Throws the error of `produce`, unless the
    /// server has ended the call: its status explains more than a failed write.
    func write(with produce: (RequestWriter<Request>) async throws -> Void) async throws {
        do {
            try await produce(requests)
        } catch is RPCError where requests.outlet.isOver {
            return
        }
        requests.finish()
    }

    /// Like `write(with:)`, for a separate task: records a failure of `produce`, and cancels the
    /// call.
    fileprivate func write(
        with produce: (RequestWriter<Request>) async throws -> Void,
        notingFailureIn failure: WriterFailure
    ) async {
        do {
            try await write(with: produce)
        } catch {
            failure.note(error)
            cancel()
        }
    }
}

/// The error of the closure that writes, for the task that reads.
private final class WriterFailure: Sendable {
    private let noted = Mutex<(any Error)?>(nil)

    var error: (any Error)? { noted.withLock { $0 } }

    func note(_ error: any Error) { noted.withLock { $0 = error } }
}

/// The responses of a call that lasts as long as a closure, for the task that runs the closure. In
/// another task, read ``stream`` instead: cancelling that task would not end a wait for these
/// responses.
///
/// ```swift
/// for try await feature in responses { print(feature.name) }
/// ```
public struct ScopedResponses<Message: Sendable>: AsyncSequence {
    public typealias Element = Message
    public typealias Failure = RPCError

    /// The same responses for any task, with the metadata of the call.
    public let stream: ResponseStream<Message>

    init(_ stream: ResponseStream<Message>) { self.stream = stream }

    public func makeAsyncIterator() -> ResponseStream<Message>.AsyncIterator {
        ResponseStream<Message>.AsyncIterator(
            source: stream.source, codec: stream.codec, isScoped: true)
    }
}

@available(*, unavailable)
extension ScopedResponses: Sendable {}
