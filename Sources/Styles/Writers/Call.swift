public import SwiftletCore
import SwiftletTransport
import Synchronization

/// A call that gets its requests from a writer. The call itself is the writer of its responses.
///
/// ```swift
/// let call = Call(channel, routeChat, requests: notes)
/// try call.start(with: HandlerWriteable(
///     value: { print($0.message) },
///     completion: { error in print(error ?? "done", call.responseTrailers ?? [:]) }))
/// ```
///
/// Each request pauses its writer until there is room for the next request. Responses are read one
/// by one: when a response was delivered, the call asks for the next one. A paused call asks for
/// none, so that flow control stops the server. The call keeps itself alive until its end, so a paused
/// one must be resumed or stopped.
public final class Call<Request: Sendable, Reply: Sendable>: Writer {
    public typealias Value = Reply

    fileprivate struct State: ~Copyable {
        var state = WriterState.notStarted
        var options: CallOptions
        /// Nil after the start.
        var channel: Channel?
        /// Nil after the end.
        var requests: (any Writer<Request>)?
        var call: (any CallRequests)?
        var output: ConcurrentWriteable<Reply>?
        /// Whether the writer of the requests writes into this call.
        var feeds = false
        /// Whether a response was delivered, but the next one was not requested because of a pause.
        var owesDemand = false
        /// Messages that have not been delivered, for example because of a pause. ``heldEnd``
        /// follows them.
        var held = Backlog<[UInt8]>()
        var receivedCount = 0
        var heldEnd: CallEnd?
        /// The error with which this side ended the call. At that time, the end from the server may
        /// have been in delivery.
        var failure: RPCError?
        /// The thread that delivers held messages.
        var deliverer = SingleDeliverer()
        var responseHeaders: Metadata?
        var responseTrailers: Metadata?
    }

    private let method: Method<Request, Reply>
    private let context: SerialContext
    private let run: Mutex<State>

    /// Makes a call that is not started yet.
    ///
    /// - Parameters:
    ///   - channel: The channel of the call.
    ///   - method: The method to call.
    ///   - requests: Writes the requests.
    ///   - options: The options of the call.
    ///   - context: The thread on which the writeable passed to ``start(with:)`` is called. By
    ///     default, the thread that delivers the event.
    public init(
        _ channel: Channel, _ method: Method<Request, Reply>, requests: any Writer<Request>,
        options: CallOptions = CallOptions(), context: SerialContext = .inline
    ) {
        self.method = method
        self.context = context
        run = Mutex(State(options: options, channel: channel, requests: requests))
    }

    /// The server has ended the call, and it was released during a pause.
    deinit {
        let (requests, feeds) = run.withLock { ($0.requests, $0.feeds) }
        if feeds { requests?.stop() }
    }
}

extension ServiceClient {
    /// Makes a call without starting it. `requests` writes the requests. The call is itself the
    /// `Writer` of its responses: start it with `start(with:)`. Responses are written in `context`.
    public func call<Request, Reply>(
        _ method: Method<Request, Reply>, requests: any Writer<Request>,
        options: CallOptions = CallOptions(), context: SerialContext = .inline
    ) -> Call<Request, Reply> {
        Call(
            channel, method, requests: requests, options: withDefaults(options), context: context)
    }
}

// MARK: - Headers and trailers

extension Call {
    /// The headers of the request. The default is none.
    public var requestHeaders: Metadata { run.withLock { $0.options.metadata } }

    /// Changes the headers of the request. Throws FAILED_PRECONDITION after the start.
    public func changeRequestHeaders(_ change: (inout Metadata) -> Void) throws(RPCError) {
        // Outside the lock, because the closure may use the call.
        var metadata = requestHeaders
        change(&metadata)
        try run.withLock { run throws(RPCError) in
            guard run.state == .notStarted else {
                throw .refused(
                    .failedPrecondition,
                    "request headers cannot be changed after the start of a call")
            }
            run.options.metadata = metadata
        }
    }

    /// The initial metadata; nil before it has arrived. It is set before the first response or the
    /// end is delivered.
    public var responseHeaders: Metadata? { run.withLock { $0.responseHeaders } }

    /// The trailing metadata; nil before the end. It is set before the end is delivered.
    public var responseTrailers: Metadata? { run.withLock { $0.responseTrailers } }
}

// MARK: - The writer

extension Call {
    public var state: WriterState { run.withLock { $0.state } }

    public func start(with writeable: any Writeable<Reply>) throws(RPCError) {
        typealias Parts = (options: CallOptions, channel: Channel, requests: any Writer<Request>)
        let parts: Parts = try run.withLock { run throws(RPCError) in
            guard run.state == .notStarted, let channel = run.channel, let requests = run.requests
            else {
                throw .refused(
                    .failedPrecondition, "the call cannot be started: it is \(run.state)"
                )
            }
            run.state = .started
            run.output = ConcurrentWriteable(writeable, context: context)
            defer {
                run.channel = nil
                run.options.removeInterceptors()
                _ = run.options.takeCredentials()
            }
            return (run.options, channel, requests)
        }
        let (options, channel, requests) = parts
        let call = channel.makeCall(method.signature, options, observer: CallRun(self))
        let isOver = run.withLock { run in
            run.call = call
            return run.state == .finished
        }
        // The call was stopped before `call` was made.
        guard !isOver else { return call.cancel() }
        do throws(RPCError) {
            // Before the start of the call, so that the first requests are sent together with the
            // headers.
            run.withLock { $0.feeds = true }
            try requests.start(with: RequestFeed(call, requests, method.requestCodec))
        } catch {
            // The writer was started before, for example by another call.
            run.withLock { $0.feeds = false }
            return call.fail(error)
        }
        // The call may have ended before `feeds` was set.
        if state == .finished { requests.stop() }
        call.start()
    }

    public func pause() {
        run.withLock { run in
            if run.state == .started { run.state = .paused }
        }
    }

    public func resume() {
        let call: (any CallRequests)? = run.withLock { run in
            guard run.state == .paused else { return nil }
            run.state = .started
            guard run.owesDemand else { return nil }
            run.owesDemand = false
            return run.call
        }
        call?.receiveNext()
        deliverHeld()
    }

    /// Ends the call with `error`, or with OK if it is nil, and resets its stream. Throws
    /// FAILED_PRECONDITION before the start.
    public func finish(_ error: RPCError?) throws(RPCError) {
        guard state != .notStarted else {
            throw .refused(.failedPrecondition, "the call cannot be finished: it is not started")
        }
        let (output, call) = close()
        if let error { output?.cancel(with: error) } else { output?.enqueueSuccessfulCompletion() }
        call?.cancel()
    }

    public func stop() {
        let (output, call) = close()
        output?.cancelSilently()
        call?.cancel()
    }

    /// Ends the call with CANCELLED and resets its stream.
    public func cancel() {
        let cancelled = RPCError(.cancelled, "the call was cancelled")
        if endInstead(with: cancelled) { return }
        let (call, state) = run.withLock { ($0.call, $0.state) }
        if let call { return call.cancel() }
        guard state != .notStarted else { return stop() }
        // Another thread is making the call at this moment, or has just made it.
        let (output, made) = close()
        output?.cancel(with: cancelled)
        made?.cancel()
    }

    /// If an end is queued after held messages, ends the call with `error` instead, and returns
    /// true. Otherwise returns false.
    private func endInstead(with error: RPCError) -> Bool {
        let held = run.withLock { run in
            if run.state == .started || run.state == .paused { run.failure = error }
            return run.heldEnd.take()
        }
        guard let held else { return false }
        var end = CallEnd(error: error, trailers: held.trailers)
        end.dropsUnread = true
        finish(with: end)
        return true
    }

    private func close() -> (ConcurrentWriteable<Reply>?, (any CallRequests)?) {
        let (output, call, requests, feeds, channel) = run.withLock { run in
            run.state = .finished
            run.held = Backlog()
            let hasEnded = run.heldEnd.take() != nil
            // Stopped before its start, the call will have no other end.
            let requests = hasEnded || run.call == nil ? run.requests.take() : nil
            return (run.output.take(), run.call, requests, run.feeds, run.channel.take())
        }
        // Released outside the lock.
        _ = channel
        // The observer of the call has already received its end, and will not stop the writer.
        if feeds { requests?.stop() }
        return (output, call)
    }
}

// MARK: - Events of the call

extension Call {
    fileprivate func received(_ metadata: Metadata) {
        let call = run.withLock { run in
            run.responseHeaders = metadata
            if run.state == .paused { run.owesDemand = true }
            return run.state == .paused ? nil : run.call
        }
        call?.receiveNext()
    }

    fileprivate func received(_ bytes: [UInt8]) {
        let isOneTooMany = run.withLock { run in
            run.receivedCount += 1
            guard method.shape.hasResponseStream || run.receivedCount == 1 else { return true }
            if run.state != .finished { run.held.append(bytes) }
            return false
        }
        guard isOneTooMany else { return deliverHeld() }
        let call = run.withLock { $0.call }
        if !endInstead(with: .tooManyMessages) { call?.fail(.tooManyMessages) }
    }

    /// Delivers the messages and the end that have arrived, unless the call is paused.
    private func deliverHeld() {
        let isDeliverer = run.withLock { $0.deliverer.begin() }
        while isDeliverer, let next = run.withLock({ $0.deliverer.next($0.takeHeld()) }) {
            switch next {
            case .message(let bytes, let output, let call): deliver(bytes, to: output, call)
            case .end(let end): finish(with: end)
            }
        }
    }

    private func deliver(
        _ bytes: [UInt8], to output: ConcurrentWriteable<Reply>, _ call: (any CallRequests)?
    ) {
        do throws(RPCError) {
            let reply = try method.replyCodec.decode(bytes.contiguous.span)
            output.enqueue(reply) { [self] in
                let mayRead = run.withLock { run in
                    if run.state == .paused { run.owesDemand = true }
                    return run.state == .started
                }
                if mayRead { call?.receiveNext() }
            }
        } catch {
            if !endInstead(with: error) { call?.fail(error) }
        }
    }

    fileprivate func messageWasWritten(wasAccepted: Bool) {
        // The writer's messages after the end of the call are dropped.
        let requests = run.withLock { $0.requests }
        if wasAccepted { requests?.resume() } else { requests?.stop() }
    }

    fileprivate func received(_ end: CallEnd) {
        var end = end
        let waits = run.withLock { run in
            if end.error == nil, !method.shape.hasResponseStream, run.receivedCount == 0 {
                end.error = .noMessage.of(method.signature)
            }
            if let failure = run.failure, !end.dropsUnread {
                end.error = failure
                end.dropsUnread = true
            }
            guard !end.dropsUnread, run.state != .finished,
                run.deliverer.isActive || !run.held.isEmpty
            else { return false }
            run.heldEnd = end
            return true
        }
        // The delivering thread may have finished just before.
        if waits { deliverHeld() } else { finish(with: end) }
    }

    private func finish(with end: CallEnd) {
        let (output, requests, feeds) = run.withLock { run in
            run.responseTrailers = end.trailers
            run.call = nil
            run.state = .finished
            run.held = Backlog()
            return (run.output.take(), run.requests.take(), run.feeds)
        }
        if feeds { requests?.stop() }
        if let error = end.error, end.dropsUnread {
            output?.cancel(with: error)
        } else {
            output?.enqueueCompletion(end.error)
        }
    }
}

extension Call.State {
    fileprivate enum Held {
        case message([UInt8], ConcurrentWriteable<Reply>, (any CallRequests)?)
        case end(CallEnd)
    }

    /// The next event to deliver; nil during a pause.
    fileprivate mutating func takeHeld() -> Held? {
        if state == .started, let output, let bytes = held.popFirst() {
            return .message(bytes, output, call)
        }
        if held.isEmpty, let end = heldEnd.take() { return .end(end) }
        return nil
    }
}

/// The observer of a call. It keeps the call alive until the end of the call.
private final class CallRun<Request: Sendable, Reply: Sendable>: CallObserver {
    let call: Call<Request, Reply>

    init(_ call: Call<Request, Reply>) { self.call = call }

    func receive(initialMetadata: Metadata) { call.received(initialMetadata) }

    var runsHandlers: Bool { true }
    func receive(message: [UInt8], from _: any CallRequests) { call.received(message) }

    func messageWasWritten(wasAccepted: Bool) { call.messageWasWritten(wasAccepted: wasAccepted) }

    func receive(end: CallEnd) { call.received(end) }
}

/// Passes requests from their writer to a call. Pauses the writer until there is room for the next
/// request.
private final class RequestFeed<Request: Sendable>: Writeable {
    private let call: any CallRequests
    private let writer: any Writer<Request>
    private let codec: Codec<Request>

    init(_ call: any CallRequests, _ writer: any Writer<Request>, _ codec: Codec<Request>) {
        self.call = call
        self.writer = writer
        self.codec = codec
    }

    func write(_ value: Request) {
        do throws(RPCError) {
            let bytes = try codec.encode(value)
            writer.pause()
            call.write(bytes, andFinish: false)
        } catch {
            writer.stop()
            call.fail(error)
        }
    }

    func writesFinished(_ error: RPCError?) {
        if let error { call.fail(error) } else { call.finish() }
    }
}
