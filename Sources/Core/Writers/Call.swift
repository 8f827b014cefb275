import SwiftletTransport
import Synchronization

/// A call whose requests come from a writer, and which is itself the writer of its responses.
///
/// ```swift
/// let call = Call(channel, routeChat, requests: notes)
/// try call.start(with: HandlerWriteable(
///     value: { print($0.message) },
///     completion: { error in print(error ?? "done", call.responseTrailers ?? [:]) }))
/// ```
///
/// Each request pauses its writer until the transport has taken it. Responses are read one by one,
/// the next when the last was delivered; a paused call asks for no more, and flow control then
/// stops the server. The call keeps itself alive until it has ended.
public final class Call<Request: Sendable, Reply: Sendable>: Writer {
    public typealias Value = Reply

    fileprivate struct State {
        var state = WriterState.notStarted
        var options: CallOptions
        var call: (any CallRequests)?
        var output: ConcurrentWriteable<Reply>?
        /// The requests' writer writes into this call.
        var feeds = false
        /// A response was delivered, and the next not asked for because of a pause.
        var owesDemand = false
        /// What has come during a pause, and the end behind it.
        var held = Backlog<[UInt8]>()
        var receivedCount = 0
        var heldEnd: CallEnd?
        /// What the call was ended with on this side. Its own end may have been on its way then.
        var failure: RPCError?
        /// Somebody delivers what was held, and looks again after each.
        var isDelivering = false
        var responseHeaders: Metadata?
        var responseTrailers: Metadata?
    }

    private let channel: Channel
    private let method: Method<Request, Reply>
    private let requests: any Writer<Request>
    private let context: SerialContext
    private let run: Mutex<State>

    /// A call that is not started yet.
    ///
    /// - Parameters:
    ///   - channel: Over which the call is made.
    ///   - method: What is called.
    ///   - requests: Writes the request.
    ///   - options: Metadata, deadline and the like.
    ///   - context: Where its writeable is called.
    public init(
        _ channel: Channel, _ method: Method<Request, Reply>, requests: any Writer<Request>,
        _ options: CallOptions = CallOptions(), context: SerialContext = .inline
    ) {
        self.channel = channel
        self.method = method
        self.requests = requests
        self.context = context
        run = Mutex(State(options: options))
    }
}

// MARK: - Headers and trailers

extension Call {
    /// The headers of the request. Empty unless they were set.
    public var requestHeaders: Metadata { run.withLock { $0.options.metadata } }

    /// Changes the headers of the request. Throws when the call was started.
    public func changeRequestHeaders(_ change: (inout Metadata) -> Void) throws(RPCError) {
        // Outside the lock, because it may look at the call.
        var metadata = requestHeaders
        change(&metadata)
        try run.withLock { run throws(RPCError) in
            guard run.state == .notStarted else {
                throw .refused(
                    .failedPrecondition, "request headers are changed before the start of a call")
            }
            run.options.metadata = metadata
        }
    }

    /// What the server sent before its first message; nil until it has come, and set before the
    /// first response or the end is delivered.
    public var responseHeaders: Metadata? { run.withLock { $0.responseHeaders } }

    /// What the server sent with its status; nil until the end, and set before it is delivered.
    public var responseTrailers: Metadata? { run.withLock { $0.responseTrailers } }
}

// MARK: - The writer

extension Call {
    public var state: WriterState { run.withLock { $0.state } }

    public func start(with writeable: any Writeable<Reply>) throws(RPCError) {
        let options = try run.withLock { run throws(RPCError) in
            guard run.state == .notStarted else {
                throw .refused(
                    .failedPrecondition, "a call is started only once, and this one is \(run.state)"
                )
            }
            run.state = .started
            run.output = ConcurrentWriteable(writeable, context: context)
            return run.options
        }
        let call = channel.makeCall(method.signature, options, observer: CallRun(self))
        let isOver = run.withLock { run in
            run.call = call
            return run.state == .finished
        }
        // It was stopped while it was being made.
        guard !isOver else { return call.cancel() }
        do throws(RPCError) {
            // Before the call: what is at hand leaves together with the headers.
            run.withLock { $0.feeds = true }
            try requests.start(with: RequestFeed(call, requests, method.requestCodec))
        } catch {
            // The writer is another call's.
            run.withLock { $0.feeds = false }
            return call.fail(error)
        }
        // It may have ended before it was known that the writer writes into it.
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

    /// Ends the call with `error`, or well, whatever the server does, and resets its stream.
    public func finish(_ error: RPCError?) throws(RPCError) {
        guard state != .notStarted else {
            throw .refused(.failedPrecondition, "a call finishes after its start")
        }
        let (output, call) = leave()
        if let error { output?.cancel(with: error) } else { output?.enqueueSuccessfulCompletion() }
        call?.cancel()
    }

    public func stop() {
        let (output, call) = leave()
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
        // It is being made at this moment.
        leave().0?.cancel(with: cancelled)
    }

    /// Takes `error` for an end that waits behind messages which were held. False when none does.
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

    private func leave() -> (ConcurrentWriteable<Reply>?, (any CallRequests)?) {
        let (output, call, hasEnded) = run.withLock { run in
            run.state = .finished
            run.held = Backlog()
            let hasEnded = run.heldEnd.take() != nil
            return (run.output.take(), run.call, hasEnded && run.feeds)
        }
        // The call will say no more that it has.
        if hasEnded { requests.stop() }
        return (output, call)
    }
}

// MARK: - What the call brings

extension Call {
    fileprivate func received(_ metadata: Metadata) {
        let call = run.withLock { run in
            run.responseHeaders = metadata
            if run.state == .paused { run.owesDemand = true }
            return run.state == .paused ? nil : run.call
        }
        call?.receiveNext()
    }

    fileprivate func received(_ octets: [UInt8]) {
        let isOneTooMany = run.withLock { run in
            run.receivedCount += 1
            guard method.shape.hasResponseStream || run.receivedCount == 1 else { return true }
            if run.state != .finished { run.held.append(octets) }
            return false
        }
        guard isOneTooMany else { return deliverHeld() }
        let call = run.withLock { $0.call }
        if !endInstead(with: .tooManyMessages) { call?.fail(.tooManyMessages) }
    }

    /// Delivers what has come, as long as the call is not paused.
    private func deliverHeld() {
        let isMine = run.withLock { run in
            defer { run.isDelivering = true }
            return !run.isDelivering
        }
        while isMine, let next = run.withLock({ $0.takeHeld() }) {
            switch next {
            case .message(let octets, let output, let call): deliver(octets, to: output, call)
            case .end(let end): finish(with: end)
            }
        }
    }

    private func deliver(
        _ octets: [UInt8], to output: ConcurrentWriteable<Reply>, _ call: (any CallRequests)?
    ) {
        do throws(RPCError) {
            let reply = try method.replyCodec.decode(octets.span)
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

    fileprivate func messageWasWritten(wasTaken: Bool) {
        // What is written to a call that is over goes nowhere, however much of it there is.
        if wasTaken { requests.resume() } else { requests.stop() }
    }

    fileprivate func received(_ end: CallEnd) {
        var end = end
        let waits = run.withLock { run in
            if end.error == nil, !method.shape.hasResponseStream, run.receivedCount == 0 {
                end.error = .noMessage
            }
            if let failure = run.failure, !end.dropsUnread {
                end.error = failure
                end.dropsUnread = true
            }
            guard !end.dropsUnread, run.state != .finished,
                run.isDelivering || !run.held.isEmpty
            else { return false }
            run.heldEnd = end
            return true
        }
        // Who is at it may have found nothing more just before.
        if waits { deliverHeld() } else { finish(with: end) }
    }

    private func finish(with end: CallEnd) {
        let (output, feeds): (ConcurrentWriteable<Reply>?, Bool) = run.withLock { run in
            run.responseTrailers = end.trailers
            run.call = nil
            run.state = .finished
            run.held = Backlog()
            return (run.output.take(), run.feeds)
        }
        if feeds { requests.stop() }
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

    /// What to deliver next; nothing during a pause, and then nobody is at it any more.
    fileprivate mutating func takeHeld() -> Held? {
        if state == .started, let output, let octets = held.popFirst() {
            return .message(octets, output, call)
        }
        if held.isEmpty, let end = heldEnd.take() { return .end(end) }
        isDelivering = false
        return nil
    }
}

/// The observer of a call; keeps it alive until its end.
private final class CallRun<Request: Sendable, Reply: Sendable>: CallObserver {
    let call: Call<Request, Reply>

    init(_ call: Call<Request, Reply>) { self.call = call }

    func receive(initialMetadata: Metadata) { call.received(initialMetadata) }

    var runsHandlers: Bool { true }
    func receive(message: [UInt8], from _: any CallRequests) { call.received(message) }

    func messageWasWritten(wasTaken: Bool) { call.messageWasWritten(wasTaken: wasTaken) }

    func receive(end: CallEnd) { call.received(end) }
}

/// Takes the requests of a call from their writer, which pauses until each was taken.
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
            let octets = try codec.encode(value)
            writer.pause()
            call.write(octets, andFinish: false)
        } catch {
            writer.stop()
            call.fail(error)
        }
    }

    func writesFinished(_ error: RPCError?) {
        if let error { call.fail(error) } else { call.finish() }
    }
}
