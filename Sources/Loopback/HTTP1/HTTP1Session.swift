import SwiftletCore
import SwiftletHTTP1
import SwiftletTransport
import Synchronization

/// One connection of a server that uses HTTP/1.1. Everything except the handlers runs on the loop's thread.
final class HTTP1Session: AcceptedConnection, Pollable {
    private struct State: ~Copyable {
        var connection = HTTP1.ServerConnection()
        /// The receive buffer; nil while it is in use.
        var buffer: ReceiveBuffer?
        var output = GatherList()
        var body: [UInt8] = []
        var handler: Task<Void, Never>?
        /// Whether the client has closed its sending direction.
        var hasInputEnded = false
        var isLeaving = false
        var isOver = false
    }

    private let wire: LinkWire
    private let methods: ServerMethods
    private let loop: EventLoop
    private let acceptor: Acceptor
    private let state: Mutex<State>

    init(
        _ wire: consuming LinkWire, received: [UInt8], _ methods: ServerMethods,
        _ loop: EventLoop, _ acceptor: Acceptor
    ) {
        self.wire = wire
        self.methods = methods
        self.loop = loop
        self.acceptor = acceptor
        var buffer = ReceiveBuffer()
        if !received.isEmpty { buffer.prepend(received) }
        state = Mutex(State(buffer: buffer))
    }

    func start() {
        guard (try? wire.watch(by: loop, for: self)) != nil else { return end() }
        read(untilEmpty: false)
    }

    func leaveGracefully() {
        loop.run { [self] in
            let isIdle = state.withLock { state in
                state.isLeaving = true
                return state.connection.isBetweenRequests
            }
            if isIdle { end() }
        }
    }

    func end() {
        let handler: Task<Void, Never>?? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            return .some(state.handler.take())
        }
        guard let handler else { return }
        handler?.cancel()
        wire.close(on: loop)
        acceptor.sessionEnded(self)
    }
}

// MARK: - Requests

extension HTTP1Session {
    func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) {
        if readiness.contains(.writable) { write() }
        guard readiness != .writable else { return }
        read(untilEmpty: readiness.contains(.hungUp))
    }

    private func read(untilEmpty: Bool) {
        guard var buffer = state.withLock({ $0.buffer.take() }) else { return }
        let isOver = readSocket(&buffer, untilEmpty: untilEmpty)
        var returned: ReceiveBuffer? = buffer
        state.withLock { swap(&$0.buffer, &returned) }
        if isOver { end() }
    }

    /// Returns true if the connection has ended.
    private func readSocket(_ buffer: inout ReceiveBuffer, untilEmpty: Bool) -> Bool {
        receive(&buffer)
        var byteCount = 0
        // A pipelined request stays in the buffer until the previous one is answered.
        while byteCount < ReceiveBuffer.turnByteCount, !buffer.isFull {
            guard let read = try? wire.read(into: &buffer) else { return true }
            byteCount += read.byteCount
            receive(&buffer)
            switch read.outcome {
            case .more: break
            case .last where untilEmpty: break
            case .last, .nothing: return state.withLock { $0.isOver }
            case .endOfStream: return endOfInput()
            }
        }
        if !buffer.isFull { loop.readAgain(self, untilEmpty: untilEmpty) }
        return false
    }

    /// Returns true unless an answer has not been sent yet.
    private func endOfInput() -> Bool {
        state.withLock { state in
            state.hasInputEnded = true
            let isComplete = (try? state.connection.receiveEnd()) != nil
            return !isComplete || state.connection.isBetweenRequests
        }
    }

    private func receive(_ buffer: inout ReceiveBuffer) {
        var offset = 0
        let violation: HTTP1Error? = buffer.withUnread { bytes in
            do throws(HTTP1Error) {
                while let event = try next(in: bytes, at: &offset) { handle(event, bytes) }
                return nil
            } catch {
                return error
            }
        }
        buffer.consume(offset)
        if let violation { finish(.refusal(violation.status, violation.message)) }
    }

    private func next(
        in bytes: Span<UInt8>, at offset: inout Int
    ) throws(HTTP1Error) -> HTTP1.Event? {
        let result: Result<HTTP1.Event?, HTTP1Error> = state.withLock { state in
            guard !state.isOver else { return .success(nil) }
            return Result { () throws(HTTP1Error) in
                try state.connection.receive(bytes, at: &offset)
            }
        }
        return try result.get()
    }

    private func handle(_ event: HTTP1.Event, _ bytes: Span<UInt8>) {
        switch event {
        case .head:
            let expectsContinue = state.withLock { state in
                state.body = []
                guard state.connection.expectsContinue else { return false }
                state.connection.sendContinue()
                return true
            }
            if expectsContinue { flush() }
        case .body(let range):
            let isTooLarge = state.withLock { state in
                guard state.body.count + range.count <= methods.maxRequestByteCount else {
                    return true
                }
                state.body.append(copying: bytes.extracting(range))
                return false
            }
            if isTooLarge { finish(.refusal(413, "the request is too large")) }
        case .end: serve()
        }
    }

    private func serve() {
        let (head, body) = state.withLock { state in
            let body = state.body
            state.body = []
            return (state.connection.receivedHead, body)
        }
        let info = RequestInfo(head, endStream: true, isStrict: false)
        guard !info.isGRPC else { return finish(.refusal(505, "gRPC needs HTTP/2")) }
        let fault = methods.nextFault(for: info)
        switch fault {
        // HTTP/1.1 has no windows, so the answer is normal with a small one, too.
        case nil, .delay, .pause, .shrinkWindow: break
        case .goAway(.graceful), .goAway(.atOnce): state.withLock { $0.isLeaving = true }
        case .stall: return
        case .status, .drop, .dropAfterMessages, .dropAfterBytes, .drip, .reset, .refuse, .goAway,
            .contentType, .missingTrailers, .truncatedMessage, .garbage:
            return end()
        }
        guard let handle = methods.plainHandler(for: info.path) else {
            return finish(.refusal(404, "there is no handler for this path"))
        }
        let request = HTTPRequest(
            method: HTTPMethod(rawValue: info.method), path: info.path, headers: info.metadata,
            body: body)
        let task = Task(executorPreference: acceptor.handlerThreads) { [self] in
            if case .delay(let duration) = fault { try? await loop.sleep(for: duration) }
            if case .pause(let gate) = fault { try? await gate.pass() }
            // Both end when the connection ends.
            guard !Task.isCancelled else { return }
            let reply = await handle(request)
            loop.run { [self] in answer(reply) }
        }
        state.withLock { $0.handler = task }
    }

    /// Sends the reply of a handler. Then reads the bytes that the client has sent in the meantime.
    private func answer(_ reply: HTTPReply) {
        finish(reply)
        guard !state.withLock({ $0.isOver }) else { return }
        read(untilEmpty: false)
    }
}

// MARK: - Answers

extension HTTP1Session {
    private func finish(_ reply: HTTPReply) {
        let isAnswered: Bool = state.withLock { state in
            state.handler = nil
            do throws(HTTP1Error) {
                try state.connection.begin(reply.head, .sized(reply.body.count))
                try state.connection.send(reply.body)
                try state.connection.finish()
                return true
            } catch {
                // The handler's reply cannot be sent, or the request was answered already.
                return false
            }
        }
        if isAnswered { flush() } else { end() }
    }

    private func flush() {
        state.withLock { $0.connection.takeOutput(into: &$0.output) }
        write()
    }

    private func write() {
        var batch = GatherList()
        let isOver = state.withLock { state in
            swap(&batch, &state.output)
            return state.isOver
        }
        guard !isOver else { return }
        guard let outcome = try? wire.write(&batch) else { return end() }
        let isDone = state.withLock { state in
            swap(&batch, &state.output)
            let closes =
                state.connection.isClosed
                || state.connection.isBetweenRequests && (state.isLeaving || state.hasInputEnded)
            return closes && !outcome.isBlocked
        }
        if isDone { end() }
    }
}
