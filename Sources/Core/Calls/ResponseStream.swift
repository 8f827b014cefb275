import Synchronization

/// The responses of a call, as they come.
///
/// Reading drives the call: while nobody reads, the server is stopped by flow control. Cancelling
/// the task that reads cancels the call, and so does letting go of the stream. One task at a time
/// may read; another one is told FAILED_PRECONDITION.
///
/// ```swift
/// for try await feature in try await channel.serverStreaming(listFeatures, rectangle) {
///     print(feature.name)
/// }
/// ```
public struct ResponseStream<Message: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Message
    public typealias Failure = RPCError

    let source: ResponseSource
    let codec: Codec<Message>

    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline let source: ResponseSource
        @usableFromInline let codec: Codec<Message>
        /// Its task sees to its cancellation elsewhere.
        @usableFromInline let isScoped: Bool

        @inlinable
        public mutating func next() async throws(RPCError) -> Message? {
            guard let octets = try await source.next(isScoped: isScoped) else { return nil }
            do throws(RPCError) {
                return try codec.decode(octets.span)
            } catch {
                source.fail(error)
                throw error
            }
        }

        @inlinable
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RPCError) -> Message? {
            try await next()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source: source, codec: codec, isScoped: false)
    }

    /// What the server sent before its first message; waits for it. Empty when it has answered with
    /// a status alone that is OK, and an error's when the call failed without any.
    public var initialMetadata: Metadata {
        get async throws(RPCError) { try await source.initialMetadata() }
    }

    /// What came with the status; nil until the stream has ended.
    public var trailingMetadata: Metadata? { source.end?.trailers }

    /// Which of the first 64 messages came compressed, the first in the lowest bit; nil until the
    /// stream has ended.
    package var compressedMessages: UInt64? { source.end?.compressedMessages }

    /// When what happened in the course of the call; nil until the stream has ended.
    public var timeline: CallTimeline? { source.end?.timeline }

    /// Ends the call with CANCELLED.
    public func cancel() { source.call.cancel() }
}

/// Cancels a call when the last face of it is let go of.
@usableFromInline final class ResponseSource: Sendable {
    let call: any CallRequests
    /// The call, where it gives all that has arrived in one go.
    private let core: CallCore?
    private let inbox: ResponseInbox

    init(_ call: any CallRequests, _ inbox: ResponseInbox) {
        self.call = call
        core = call.core
        self.inbox = inbox
    }

    deinit { call.fail(RPCError(.cancelled, "nobody holds the call's responses any more")) }

    @usableFromInline
    func fail(_ error: RPCError) {
        inbox.fail(error)
        call.fail(error)
    }

    /// - Parameter isScoped: Whether the call is cancelled with the task that asks, whatever this does.
    @usableFromInline
    func next(isScoped: Bool) async throws(RPCError) -> [UInt8]? {
        var found = try takeReady()
        if case .nothing = found {
            found = isScoped ? await wait() : await waitCancellably()
        } else if case .message = found, !isScoped, Task.isCancelled {
            // A server may be so fast that there is never anything to wait for. Of a call that has
            // ended by itself all is read, with its end.
            call.cancel()
            if let end = inbox.end, end.dropsUnread { found = .end(end) }
        }
        switch found {
        case .message(let octets): return octets
        case .end(let end):
            if let error = end.error { throw error }
            return nil
        case .nothing:
            throw .secondReader
        }
    }

    private func wait() async -> ResponseInbox.Found {
        await Resumption.wait { inbox.wait(.forMessage($0)) }
    }

    private func waitCancellably() async -> ResponseInbox.Found {
        await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            call.cancel()
        }
    }

    /// What can be had without waiting.
    private func takeReady() throws(RPCError) -> ResponseInbox.Found {
        let ready = inbox.poll()
        guard case .nothing = ready.found else {
            if ready.readByteCount > 0 { core?.wasRead(ready.readByteCount) }
            return ready.found
        }
        // Before more is asked for, which would be for nobody.
        guard !ready.hasReader else { throw .secondReader }
        guard let core else {
            call.receiveNext()
            return inbox.poll().found
        }
        return core.receiveNext(afterReading: ready.readByteCount) ? inbox.poll().found : .nothing
    }

    func initialMetadata() async throws(RPCError) -> Metadata {
        let found = await withTaskCancellationHandler {
            await Resumption.wait { inbox.wait(.forInitialMetadata($0)) }
        } onCancel: {
            call.cancel()
        }
        return try found.get()
    }

    var end: CallEnd? { inbox.end }
}

extension RPCError {
    fileprivate static var secondReader: RPCError {
        RPCError(.failedPrecondition, "the responses are being read, and one task at a time may")
    }
}
