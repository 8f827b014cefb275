import SwiftletTransport
import Synchronization

/// The handlers of a call with a stream of responses. They are called one at a time and in order,
/// on the channel's queue, which a handler must not block. An event that is caused by a write, a
/// cancellation or a resumption, or by a request that cannot be sent, is delivered on the thread
/// that caused it. That thread must not hold a lock that a handler needs.
///
/// The next message is asked for when the handler of the previous one has returned. So a slow
/// handler slows the server down, and ``RunningCall/pause()`` stops the server. With
/// ``initialDemand`` the program limits the number of messages that are asked for.
public struct ResponseHandlers<Reply: Sendable>: Sendable {
    /// Receives the initial metadata.
    public var initialMetadata: (@Sendable (Metadata) -> Void)?
    /// Receives each response.
    public var message: @Sendable (Reply) -> Void
    /// Receives the end of the call, once: the trailing metadata, or the error.
    public var end: @Sendable (Result<Metadata, RPCError>) -> Void
    /// Where the handlers are called; by default on the thread that delivers the event.
    public var context = SerialContext.inline
    /// The number of messages that are received at first. ``RunningCall/receiveNext(_:)`` adds to
    /// it. Nil, the default, and `Int.max` receive all messages.
    public var initialDemand: Int?
    /// Replaces ``end`` for a caller inside this module that needs the whole end.
    var wholeEnd: (@Sendable (CallEnd) -> Void)?

    public init(
        initialMetadata: (@Sendable (Metadata) -> Void)? = nil,
        message: @escaping @Sendable (Reply) -> Void,
        end: @escaping @Sendable (Result<Metadata, RPCError>) -> Void
    ) {
        self.initialMetadata = initialMetadata
        self.message = message
        self.end = end
    }
}

/// Calls the handlers of a streaming call.
final class HandlerObserver<Reply: Sendable>: CallObserver {
    fileprivate struct State {
        var call: (any CallRequests)?
        var isPaused = false
        /// The number of messages that the program wants and that were not asked for yet. The
        /// largest number means all messages.
        var wantedCount: Int
        /// Whether a message was asked for whose handler has not returned yet. At most one message
        /// is asked for at a time.
        var isAsking = false
        var writeHandlers = Backlog<@Sendable (Bool) -> Void>()
        var requestIsFinished = false
        var isOver = false
    }

    private let handlers: ResponseHandlers<Reply>
    private let codec: Codec<Reply>
    private let state: Mutex<State>

    init(_ handlers: ResponseHandlers<Reply>, _ codec: Codec<Reply>) {
        self.handlers = handlers
        self.codec = codec
        state = Mutex(State(wantedCount: max(0, handlers.initialDemand ?? .max)))
    }
}

extension HandlerObserver: CallPausing, CallWriting {
    /// Asks for the first messages of a call that starts.
    func begin(_ call: any CallRequests) {
        askIfWanted { $0.call = call }
    }

    func receiveNext(_ count: Int) {
        askIfWanted { $0.want(max(0, count)) }
    }

    func pause() { state.withLock { $0.isPaused = true } }

    func resume() {
        askIfWanted { $0.isPaused = false }
    }

    /// Changes the state, and asks for the next message if that is now due.
    private func askIfWanted(after change: (inout State) -> Void) {
        let call = state.withLock { state in
            change(&state)
            return state.takeNextRequest()
        }
        call?.receiveNext()
    }

    func requestWasFinished() { state.withLock { $0.requestIsFinished = true } }

    func willWrite(
        isDropped: Bool, _ handler: @escaping @Sendable (Bool) -> Void
    ) throws(RPCError) -> Bool {
        let result: Result<Bool, RPCError> = state.withLock { state in
            // Checked first: a write to a finished request is a mistake of the program, even if the
            // call has ended in the meantime.
            guard !state.requestIsFinished else { return .failure(.requestIsFinished) }
            guard !isDropped, !state.isOver else { return .success(false) }
            state.writeHandlers.append(handler)
            return .success(true)
        }
        return try result.get()
    }
}

extension HandlerObserver {
    var runsHandlers: Bool { true }

    func receive(initialMetadata: Metadata) {
        guard let handler = handlers.initialMetadata else { return }
        if handlers.context.isInline { return handler(initialMetadata) }
        handlers.context { handler(initialMetadata) }
    }

    func receive(message: [UInt8], from call: any CallRequests) {
        do throws(RPCError) {
            let reply = try codec.decode(message.contiguous.span)
            if handlers.context.isInline { return deliver(reply) }
            handlers.context { [self] in deliver(reply) }
        } catch {
            let call = state.withLock { $0.call }
            call?.fail(error)
        }
    }

    private func deliver(_ reply: Reply) {
        handlers.message(reply)
        askIfWanted { $0.isAsking = false }
    }

    func messageWasWritten(wasAccepted: Bool) {
        let handler = state.withLock { $0.writeHandlers.popFirst() }
        handler?(wasAccepted)
    }

    func receive(end: CallEnd) {
        var waiting = state.withLock { state in
            state.isOver = true
            state.call = nil
            defer { state.writeHandlers = Backlog() }
            return state.writeHandlers
        }
        while let handler = waiting.popFirst() { handler(false) }
        if let wholeEnd = handlers.wholeEnd {
            if handlers.context.isInline { return wholeEnd(end) }
            return handlers.context { wholeEnd(end) }
        }
        let result: Result<Metadata, RPCError> =
            end.error.map { .failure($0) } ?? .success(end.trailers)
        if handlers.context.isInline { return handlers.end(result) }
        handlers.context { [handlers] in handlers.end(result) }
    }
}

extension HandlerObserver.State {
    fileprivate mutating func want(_ count: Int) {
        let (sum, isTooLarge) = wantedCount.addingReportingOverflow(count)
        wantedCount = isTooLarge ? .max : sum
    }

    /// Returns the call if its next message is to be asked for now.
    fileprivate mutating func takeNextRequest() -> (any CallRequests)? {
        guard let call, wantedCount > 0, !isPaused, !isAsking else { return nil }
        isAsking = true
        if wantedCount < .max { wantedCount -= 1 }
        return call
    }
}

/// A call that can be paused.
protocol CallPausing: AnyObject, Sendable {
    func pause()
    func resume()
    func receiveNext(_ count: Int)
}

/// Receives the reports of messages that are written to a call.
protocol CallWriting: AnyObject, Sendable {
    /// Called before a message is written. Keeps `handler` and returns true. Returns false without
    /// keeping it if the message is dropped or the call has ended. Throws if the request was
    /// finished.
    ///
    /// - Parameters:
    ///   - isDropped: Whether the call drops messages that are written.
    ///   - handler: Called when there is room for the next message.
    func willWrite(
        isDropped: Bool, _ handler: @escaping @Sendable (Bool) -> Void
    ) throws(RPCError) -> Bool
    func requestWasFinished()
}

/// A running call with handlers, whose requests the program writes.
public struct WritingCall<Request: Sendable>: Sendable {
    let running: RunningCall
    let writing: any CallWriting
    let codec: Codec<Request>

    /// Sends a message. `then` is called with `true` when there is room for the next, or with
    /// `false` if the call has ended. A writer that waits for `then` does not write faster than the
    /// server reads. Throws after ``finish()``.
    public func write(
        _ message: Request, then: @escaping @Sendable (_ hasRoom: Bool) -> Void = { _ in }
    ) throws(RPCError) {
        let bytes = try codec.encode(message)
        let isDropped = running.call.dropsWrites
        guard try writing.willWrite(isDropped: isDropped, then) else { return then(false) }
        running.call.write(bytes, andFinish: false)
    }

    /// Ends the request: no more messages follow.
    public func finish() {
        writing.requestWasFinished()
        running.call.finish()
    }

    /// Ends the call with CANCELLED.
    public func cancel() { running.cancel() }

    /// Asks for no more messages until ``resume()``, so that flow control stops the server.
    public func pause() { running.pause() }

    /// Ends a ``pause()``. Has no effect on a call that is not paused.
    public func resume() { running.resume() }

    /// Asks for more messages, if ``ResponseHandlers/initialDemand`` is set. Otherwise it has no
    /// effect.
    public func receiveNext(_ count: Int = 1) { running.receiveNext(count) }
}
