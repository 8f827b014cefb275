import SwiftletTransport
import Synchronization

/// What is called as the responses of a call come in: one at a time and in order, on the channel's
/// queue, which a handler must not block; and in the thread that writes to the call, cancels or
/// resumes it, or makes one that cannot be sent, for what comes of that at once. So no lock that a
/// handler takes may be held there.
///
/// The next message is asked for when the handler of the last has returned, so that a slow handler
/// slows its server down; ``RunningCall/pause()`` stops it altogether.
public struct ResponseHandlers<Reply: Sendable>: Sendable {
    /// What the server sent before its first message.
    public var initialMetadata: (@Sendable (Metadata) -> Void)?
    /// A response, each in its turn.
    public var message: @Sendable (Reply) -> Void
    /// The end of the call, once; nothing follows.
    public var end: @Sendable (Result<Metadata, RPCError>) -> Void

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
    private struct State {
        var call: (any CallRequests)?
        var isPaused = false
        /// A message was delivered, and the next one not asked for because of the pause.
        var owesDemand = false
        var writeHandlers = Backlog<@Sendable (Bool) -> Void>()
        var requestIsFinished = false
        var isOver = false
    }

    private let handlers: ResponseHandlers<Reply>
    private let codec: Codec<Reply>
    private let state = Mutex(State())

    init(_ handlers: ResponseHandlers<Reply>, _ codec: Codec<Reply>) {
        self.handlers = handlers
        self.codec = codec
    }
}

extension HandlerObserver: CallPausing, CallWriting {
    /// The call begins; its first message is asked for.
    func begin(_ call: any CallRequests) {
        state.withLock { $0.call = call }
        call.receiveNext()
    }

    func pause() { state.withLock { $0.isPaused = true } }

    func resume() {
        let call: (any CallRequests)? = state.withLock { state in
            state.isPaused = false
            guard state.owesDemand else { return nil }
            state.owesDemand = false
            return state.call
        }
        call?.receiveNext()
    }

    func requestWasFinished() { state.withLock { $0.requestIsFinished = true } }

    func willWrite(_ handler: @escaping @Sendable (Bool) -> Void) throws(RPCError) -> Bool {
        let result: Result<Bool, RPCError> = state.withLock { state in
            guard !state.isOver else { return .success(false) }
            guard !state.requestIsFinished else { return .failure(.requestIsFinished) }
            state.writeHandlers.append(handler)
            return .success(true)
        }
        return try result.get()
    }
}

extension HandlerObserver {
    var runsHandlers: Bool { true }

    func receive(initialMetadata: Metadata) { handlers.initialMetadata?(initialMetadata) }

    func receive(message: [UInt8], from call: any CallRequests) {
        do throws(RPCError) {
            handlers.message(try codec.decode(message.span))
        } catch {
            let call = state.withLock { $0.call }
            call?.fail(error)
            return
        }
        let call: (any CallRequests)? = state.withLock { state in
            guard state.isPaused else { return state.call }
            state.owesDemand = true
            return nil
        }
        call?.receiveNext()
    }

    func messageWasWritten(wasTaken: Bool) {
        let handler = state.withLock { $0.writeHandlers.popFirst() }
        handler?(wasTaken)
    }

    func receive(end: CallEnd) {
        var waiting = state.withLock { state in
            state.isOver = true
            state.call = nil
            defer { state.writeHandlers = Backlog() }
            return state.writeHandlers
        }
        while let handler = waiting.popFirst() { handler(false) }
        handlers.end(end.error.map { .failure($0) } ?? .success(end.trailers))
    }
}

/// Something that can be told to ask for no more messages.
protocol CallPausing: AnyObject, Sendable {
    func pause()
    func resume()
}

/// Who is told of the messages that are written to a call.
protocol CallWriting: AnyObject, Sendable {
    /// A message is about to be written. False when the call is over.
    func willWrite(_ handler: @escaping @Sendable (Bool) -> Void) throws(RPCError) -> Bool
    func requestWasFinished()
}

/// A call with handlers, and where its requests are written.
public struct WritingCall<Request: Sendable>: Sendable {
    let running: RunningCall
    let writing: any CallWriting
    let codec: Codec<Request>

    /// Sends a message. `then` is called when there is room for the next, or with `false` when the
    /// call has ended; a writer that waits for it does not outrun its server. Throws when the request
    /// was finished.
    public func write(
        _ message: Request, then: @escaping @Sendable (_ hasRoom: Bool) -> Void = { _ in }
    ) throws(RPCError) {
        let octets = try codec.encode(message)
        guard !running.call.takesNoMore, try writing.willWrite(then) else { return then(false) }
        running.call.write(octets, andFinish: false)
    }

    /// Says that no more messages follow.
    public func finish() {
        writing.requestWasFinished()
        running.call.finish()
    }

    /// Ends the call with CANCELLED.
    public func cancel() { running.cancel() }

    /// Asks for no more messages until ``resume()``; flow control then stops the server.
    public func pause() { running.pause() }

    /// Goes on after a ``pause()``; otherwise without an effect.
    public func resume() { running.resume() }
}
