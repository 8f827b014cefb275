public import SwiftletCore
import SwiftletTransport

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
    /// it. Nil, the default, and `Int.max` receive all messages. If the program has released the call, one message more
    /// ends it with CANCELLED.
    public var initialDemand: Int?

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

/// Calls the handlers of a streaming call. The call releases it, and so the handlers, at its end.
final class HandlerObserver<Reply: Sendable>: CallObserver {
    private let handlers: ResponseHandlers<Reply>
    private let codec: Codec<Reply>
    /// The part that the program uses.
    let control: HandlerControl

    init(_ handlers: ResponseHandlers<Reply>, _ codec: Codec<Reply>) {
        self.handlers = handlers
        self.codec = codec
        control = HandlerControl(initialDemand: handlers.initialDemand)
    }

    /// Asks for the first messages of a call that starts.
    func begin(_ call: any CallRequests) { control.begin(call) }
}

extension HandlerObserver {
    var runsHandlers: Bool { true }

    func receive(initialMetadata: Metadata) {
        guard let handler = handlers.initialMetadata else { return }
        if handlers.context.isInline { return handler(initialMetadata) }
        handlers.context { handler(initialMetadata) }
    }

    func receive(message: [UInt8], from call: any CallRequests) {
        guard !control.refusesMessage() else { return }
        do throws(RPCError) {
            let reply = try codec.decode(message.contiguous.span)
            if handlers.context.isInline { return deliver(reply) }
            handlers.context { [self] in deliver(reply) }
        } catch {
            control.call?.fail(error)
        }
    }

    private func deliver(_ reply: Reply) {
        handlers.message(reply)
        control.messageWasHandled()
    }

    func messageWasWritten(wasAccepted: Bool) {
        control.messageWasWritten(wasAccepted: wasAccepted)
    }

    func receive(end: CallEnd) {
        control.callHasEnded()
        let result: Result<Metadata, RPCError> =
            end.error.map { .failure($0) } ?? .success(end.trailers)
        if handlers.context.isInline { return handlers.end(result) }
        handlers.context { [handlers] in handlers.end(result) }
    }
}

/// A running call with handlers, whose requests the program writes.
public struct WritingCall<Request: Sendable>: Sendable {
    package let running: RunningCall
    let writing: HandlerControl
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
        running.call.write(bytes, andFinish: false, allowsCompression: true)
    }

    /// Sends the values of a sequence without waiting for room, so that all of them may be in memory. `then` is called
    /// once: with `true` when there is room after the last one, or with `false` if the call has ended.
    public func write(
        contentsOf messages: some Sequence<Request>,
        then: @escaping @Sendable (_ hasRoom: Bool) -> Void = { _ in }
    ) throws(RPCError) {
        var last: Request?
        for message in messages {
            if let last { try write(last) }
            last = message
        }
        if let last { try write(last, then: then) } else { then(!running.call.dropsWrites) }
    }

    /// Ends the request: no more messages follow.
    public func finish() {
        writing.requestWasFinished()
        running.call.finish()
    }

    /// Ends the call with CANCELLED.
    public func cancel() { running.cancel() }

    /// Asks for no more messages until ``resume()``, so that flow control stops the server. It has
    /// no effect on calls with one response.
    public func pause() { running.pause() }

    /// Ends a ``pause()``. Has no effect on a call that is not paused.
    public func resume() { running.resume() }

    /// Asks for more messages, if ``ResponseHandlers/initialDemand`` is set. Otherwise it has no
    /// effect.
    public func receiveNext(_ count: Int = 1) { running.receiveNext(count) }
}
