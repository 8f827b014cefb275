import Synchronization

/// The responses of a call, in order.
///
/// Reading drives the call: while no task reads, flow control stops the server. The call is
/// cancelled if the reading task is cancelled or the stream is released. One task at a time may
/// read; a second one gets FAILED_PRECONDITION. The responses can be read once: an iterator that begins after
/// another one has read the end gets FAILED_PRECONDITION, too.
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
        /// Whether another cancellation handler cancels the call when the task is cancelled.
        @usableFromInline let isScoped: Bool
        @usableFromInline var hasBegun = false

        @inlinable
        public mutating func next() async throws(RPCError) -> Message? {
            guard let bytes = try await source.next(isScoped: isScoped) else {
                guard source.noteEndWasRead(hasBegun) else { throw .secondIteration }
                hasBegun = true
                return nil
            }
            hasBegun = true
            do throws(RPCError) {
                return try codec.decode(ContiguousArray(bytes).span)
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

    /// The initial metadata. The getter waits for it. Empty if the response consists only of the
    /// status OK. Throws the error of a call that failed without initial metadata.
    public var initialMetadata: Metadata {
        get async throws(RPCError) { try await source.initialMetadata() }
    }

    /// The trailing metadata; nil before the end of the stream.
    public var trailingMetadata: Metadata? { source.end?.trailers }

    /// Bit n is set if message n, counted from 0 to 63, arrived compressed; nil before the end of
    /// the stream.
    package var compressedMessages: UInt64? { source.end?.compressedMessages }

    /// The times of the call; nil before the end of the stream.
    public var timeline: CallTimeline? { source.end?.timeline }

    /// Ends the call with CANCELLED.
    public func cancel() { source.call.cancel() }
}

/// Cancels a call when its response stream is released.
@usableFromInline package final class ResponseSource: Sendable {
    let call: any CallRequests
    /// The call, if it has neither interceptors nor retries; nil otherwise. It delivers at once all
    /// messages that have arrived.
    private let core: CallCore?
    private let inbox: ResponseInbox
    private let endWasRead = Atomic(false)

    package init(_ call: any CallRequests, _ inbox: ResponseInbox) {
        self.call = call
        core = call.core
        self.inbox = inbox
    }

    deinit { call.fail(RPCError(.cancelled, "the response stream was released before its end")) }

    /// Records that an iterator has read the end. False if another iterator has read it before this one had
    /// begun.
    @usableFromInline
    func noteEndWasRead(_ hasBegun: Bool) -> Bool {
        !endWasRead.exchange(true, ordering: .relaxed) || hasBegun
    }

    @usableFromInline
    package func fail(_ error: RPCError) {
        inbox.fail(error)
        call.fail(error)
    }

    /// - Parameter isScoped: Whether the caller's scope cancels the call when the task is
    ///   cancelled. If not, this function does it.
    @usableFromInline
    func next(isScoped: Bool) async throws(RPCError) -> [UInt8]? {
        var found = try takeReady()
        if case .nothing = found {
            found = isScoped ? await wait() : await waitCancellably()
        } else if case .message = found, !isScoped, Task.isCancelled {
            // If the server is fast, the reader may never wait, so cancellation is checked here as
            // well. If the inbox has received the end of the call already, its responses and this
            // end are still delivered.
            call.cancel()
            if let end = inbox.end, end.dropsUnread { found = .end(end) }
        }
        return try found.message
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

    /// The message or the end, if there is one now.
    package func takeReady() throws(RPCError) -> ResponseInbox.Found {
        let ready = inbox.poll()
        guard case .nothing = ready.found else {
            if ready.readByteCount > 0 { core?.wasRead(ready.readByteCount) }
            return ready.found
        }
        // Checked before the call is asked for another message: a second reader would drop that
        // message.
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
    @usableFromInline
    static var secondIteration: RPCError {
        RPCError(
            .failedPrecondition,
            "the responses were read to their end before; they can be read once, so keep them or make another call"
        )
    }

    static var secondReader: RPCError {
        RPCError(
            .failedPrecondition,
            "another task is reading the responses; only one task may read them at a time")
    }
}
