import SwiftletTransport
import Synchronization

/// The object that gives calls to connections of HTTP/1.1. Called on the loop's thread.
protocol HTTP1LinkOwner: AnyObject, Sendable {
    /// The connection can carry another call.
    func linkIsFree(_ link: HTTP1Link)
    /// The connection has ended.
    ///
    /// - Parameter lossCause: Why it was lost. Nil if this side has ended it.
    func linkEnded(_ link: HTTP1Link, lossCause: String?)
}

/// Joins a socket, an engine of HTTP/1.1 and the one call that runs over them.
///
/// All work is done on the loop's thread. Requests of a call that are made on other threads are
/// handed over to it, in order.
final class HTTP1Link: Sendable {
    private struct State: ~Copyable {
        var connection: HTTP1.ClientConnection
        /// Nil while a read uses it.
        var buffer: ReceiveBuffer?
        /// True if the connection became free during a read. The read reports it to the owner when
        /// it has checked all bytes, because bytes that follow a response must not be mistaken for
        /// the response to the next request.
        var isFreeAfterRead = false
        var output = GatherList()
        /// Whether the socket did not accept all output.
        var isBlocked = false
        /// While there is an exchange, the connection carries no other.
        var exchange: HTTP1Exchange?
        /// The number of exchanges. It is the generation of a stream's handle.
        var exchangeCount: UInt32 = 0
        /// Whether the server has begun a response.
        var hasResponded = false
        var isOver = false
        var idleSince = MonotonicInstant.now
    }

    let peer: String
    let isLocal: Bool
    /// When the attempt that made the connection began.
    let begun: MonotonicInstant
    private let wire: LinkWire
    private let loop: EventLoop
    private let record: ConnectionRecord
    private let owner: any HTTP1LinkOwner
    private let state: Mutex<State>

    init(
        _ wire: consuming LinkWire, to address: SocketAddress, _ times: ConnectionTimes,
        _ limits: HTTP1Limits, loop: EventLoop, owner: any HTTP1LinkOwner
    ) {
        peer = "\(address)"
        isLocal = address.isOnThisMachine
        begun = times.begun
        // Its `ready` time stays nil: a call may have to wait for the connection, so its headers
        // are not always sent at its start.
        record = ConnectionRecord(peer: peer, times)
        self.loop = loop
        self.owner = owner
        self.wire = wire
        state = Mutex(State(connection: HTTP1.ClientConnection(limits), buffer: ReceiveBuffer()))
    }

    /// Begins to watch the connection. To be called on the loop's thread, like all functions here.
    func start() {
        do throws(SystemError) {
            try wire.watch(by: loop, for: self)
        } catch {
            return lose("\(error)")
        }
        // The poller does not report bytes that the handshake has read.
        loop.run { [self] in ready(.readable, now: .now) }
    }
}

// MARK: - Exchanges

extension HTTP1Link {
    /// Gives the connection to a call.
    func open(_ call: CallCore, _ head: HeaderList, isIdempotent: Bool) -> Opening {
        if let authority = call.head.authority, wire.isSecure,
            let refusal = wire.refusal(of: authority, peer: peer)
        {
            call.end(with: refusal, isImmediate: false)
            return .isOver
        }
        guard var request = call.takeRequest() else { return .isOver }
        var body: [UInt8] = []
        request.takeEach { message, _ in body += message.bytes }
        // If a closed connection has lost the request, it is sent again on a new connection:
        // another kept connection may be closed as well.
        let needsNewConnection = request.attempt > 0
        let stream: StreamHandle? = state.withLock { state in
            guard !state.isOver, state.exchange == nil, state.connection.canBegin,
                !needsNewConnection || state.exchangeCount == 0
            else { return nil }
            state.exchangeCount &+= 1
            let stream = StreamHandle(slot: 0, generation: state.exchangeCount)
            state.exchange = HTTP1Exchange(
                call: call, stream: stream, head: head, isIdempotent: isIdempotent, body: body)
            return stream
        }
        guard let stream else {
            call.requestWasNotSent()
            return .refused
        }
        let hasDeliveries = call.attach(to: self, stream, record, attempt: request.attempt)
        let isRefused = request.isFinish && !sendRequest(stream)
        if hasDeliveries { call.deliverPending() }
        return isRefused ? .isOver : .isOpen
    }

    /// The call has finished its request.
    private func requestWasFinished(_ stream: StreamHandle) {
        if !sendRequest(stream) { becomeFree() }
    }

    private func becomeFree() {
        let isReading = state.withLock { state in
            if state.buffer == nil { state.isFreeAfterRead = true }
            return state.buffer == nil
        }
        if !isReading { owner.linkIsFree(self) }
    }

    /// Sends the complete request at once. False if the engine refuses the request, which ends the
    /// call.
    private func sendRequest(_ stream: StreamHandle) -> Bool {
        let refused: (HTTP1Exchange, HTTP1Error)? = state.withLock { state in
            guard let exchange = state.exchange, exchange.stream == stream, !exchange.isSent else {
                return nil
            }
            do throws(HTTP1Error) {
                let byteCount = exchange.body.count
                try state.connection.begin(
                    exchange.head, byteCount == 0 ? .none : .sized(byteCount))
                try state.connection.send(exchange.body)
                try state.connection.finish()
                state.connection.takeOutput(into: &state.output)
                state.exchange?.isSent = true
                state.exchange?.body = []
                return nil
            } catch {
                state.exchange = nil
                return (exchange, error)
            }
        }
        if let (exchange, error) = refused {
            exchange.call?.end(
                with: .refused(.invalidArgument, error.message), isImmediate: true)
            return false
        }
        write()
        return true
    }

    /// Whether the connection is still open. Reads from it to find out.
    func isAlive() -> Bool {
        read(untilEmpty: false)
        return !hasEnded
    }

    var hasEnded: Bool { state.withLock { $0.isOver } }

    var idleSince: MonotonicInstant { state.withLock { $0.idleSince } }

    var hasResponded: Bool { state.withLock { $0.hasResponded } }

    /// The call that uses the connection.
    var call: CallCore? { state.withLock { $0.exchange?.call } }

    /// Ends the connection. Its call fails with `failure`, which is UNAVAILABLE by default. The
    /// call is sent again instead if the connection carried an earlier call, the server has not
    /// answered, `failure` is nil, and the request is idempotent or was not sent.
    func end(_ cause: String, _ failure: RPCError? = nil) {
        end(cause, failure, isLost: false)
    }

    /// Ends the connection because the socket, or what the server sent, makes it useless.
    private func lose(_ cause: String, _ failure: RPCError? = nil) {
        end(cause, failure, isLost: true)
    }

    private func end(_ cause: String, _ failure: RPCError?, isLost: Bool) {
        let ended: (exchange: HTTP1Exchange?, isReused: Bool)? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            state.output.removeAll()
            return (state.exchange.take(), state.exchangeCount > 1)
        }
        guard let ended else { return }
        wire.close(on: loop)
        owner.linkEnded(self, lossCause: isLost ? cause : nil)
        var error =
            failure ?? RPCError(.unavailable, "the connection to \(peer) was lost: \(cause)")
        error.peer = peer
        ended.exchange?.connectionEnded(
            with: error, mayBeRepeated: ended.isReused && failure == nil)
    }
}

extension HTTP1Link: StreamCarrier {
    func send(
        _ framedMessage: EncodedMessage, on stream: StreamHandle, andFinish: Bool
    ) -> Bool {
        loop.run { [self] in
            state.withLock { state in
                guard state.exchange?.stream == stream else { return }
                state.exchange?.body += framedMessage.bytes
            }
            if andFinish { requestWasFinished(stream) }
        }
        return true
    }

    func reportRoom(on stream: StreamHandle, to call: CallCore) { call.streamHasRoom() }

    func finish(_ stream: StreamHandle) { loop.run { [self] in requestWasFinished(stream) } }

    /// HTTP/1.1 cannot end a single request that was sent, so this ends the connection. Until then
    /// the abandoned exchange keeps it from carrying another.
    func reset(_ stream: StreamHandle) -> Bool {
        let abandoned: HTTP1Exchange? = state.withLock { state in
            guard let exchange = state.exchange, exchange.stream == stream, exchange.call != nil
            else { return nil }
            if exchange.isSent { state.exchange?.call = nil } else { state.exchange = nil }
            return exchange
        }
        guard let abandoned else { return false }
        let wasSent = abandoned.isSent
        loop.run { [self] in
            if wasSent { end("the call was cancelled") } else { becomeFree() }
        }
        return !wasSent
    }

    /// Has no effect: the response's body is collected up to the call's limit, and there is no
    /// window.
    func consumed(_ consumption: Consumption, on stream: StreamHandle) {}
}

// MARK: - The socket

extension HTTP1Link: Pollable {
    func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) {
        if readiness.contains(.writable) { write() }
        guard readiness != .writable else { return }
        read(untilEmpty: readiness.contains(.hungUp))
    }

    private func write() {
        var batch = GatherList()
        let isOver = state.withLock { state in
            swap(&batch, &state.output)
            return state.isOver
        }
        guard !isOver else { return }
        let isBlocked: Bool
        do throws(SystemError) {
            isBlocked = try wire.write(&batch).isBlocked
        } catch {
            // The bytes that the server sent before it closed explain more than the failed write.
            read(untilEmpty: true)
            return lose("\(error)")
        }
        // The poller reports when the socket accepts the rest.
        state.withLock { state in
            state.isBlocked = isBlocked
            swap(&batch, &state.output)
        }
    }

    private func read(untilEmpty: Bool) {
        guard var buffer = state.withLock({ $0.buffer.take() }) else { return }
        let ending = readSocket(&buffer, untilEmpty: untilEmpty)
        var returned: ReceiveBuffer? = buffer
        let isFree = state.withLock { state in
            swap(&state.buffer, &returned)
            defer { state.isFreeAfterRead = false }
            return state.isFreeAfterRead && !state.isOver
        }
        switch ending {
        case nil: if isFree { owner.linkIsFree(self) }
        case .endOfStream: receiveEnd()
        case .failed(let cause): lose(cause)
        }
    }

    private enum Ending { case endOfStream, failed(String) }

    private func readSocket(_ buffer: inout ReceiveBuffer, untilEmpty: Bool) -> Ending? {
        var byteCount = 0
        while byteCount < ReceiveBuffer.turnByteCount {
            let read: LinkWire.Read
            do throws(LinkError) {
                read = try wire.read(into: &buffer)
            } catch {
                return .failed(error.cause)
            }
            byteCount += read.byteCount
            receive(&buffer)
            if hasEnded { return nil }
            switch read.outcome {
            case .more: break
            case .last where untilEmpty: break
            case .last, .nothing: return nil
            case .endOfStream: return .endOfStream
            }
        }
        loop.readAgain(self, untilEmpty: untilEmpty)
        return nil
    }

    private func receive(_ buffer: inout ReceiveBuffer) {
        var offset = 0
        buffer.withUnread { bytes in
            while let step = next(in: bytes, at: &offset) {
                switch step {
                case .failure(let error): return breakOff(error)
                case .success(let event): handle(event, bytes)
                }
            }
        }
        buffer.consume(offset)
    }

    private func next(
        in bytes: Span<UInt8>, at offset: inout Int
    ) -> Result<HTTP1.Event, HTTP1Error>? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            do throws(HTTP1Error) {
                return try state.connection.receive(bytes, at: &offset).map { .success($0) }
            } catch {
                return .failure(error)
            }
        }
    }

    private func receiveEnd() {
        let step: Result<HTTP1.Event?, HTTP1Error> = state.withLock { state in
            do throws(HTTP1Error) {
                return .success(try state.connection.receiveEnd())
            } catch {
                return .failure(error)
            }
        }
        switch step {
        case .success(let event):
            if let event { handle(event, Span()) }
            lose("the server closed the connection")
        case .failure(let error): lose(error.message)
        }
    }

    /// Ends the connection because the server has broken a rule of HTTP/1.1.
    private func breakOff(_ error: HTTP1Error) {
        lose(
            error.message,
            RPCError(.internal, "the server broke a rule of HTTP/1.1: \(error.message)"))
    }

    private func handle(_ event: HTTP1.Event, _ bytes: Span<UInt8>) {
        let now = MonotonicInstant.now
        switch event {
        case .head:
            let (call, initial) = state.withLock { state in
                state.exchange?.hasResponse = true
                state.hasResponded = true
                return (
                    state.exchange?.call, PlainExchange.initial(state.connection.receivedHead)
                )
            }
            call?.receive(CallArrival(initial: initial), at: now)
        case .body(let range):
            let call = state.withLock { $0.exchange?.call }
            _ = call?.receive(bytes.extracting(range), at: now)
        case .end:
            let (call, trailers, isFree) = state.withLock { state in
                state.idleSince = now
                let call = state.exchange.take()?.call
                // A server that responds before it has read the whole request may never read the
                // rest.
                let isFree = call != nil && state.connection.canBegin && !state.isBlocked
                return (
                    call, PlainExchange.metadata(of: state.connection.receivedTrailers), isFree
                )
            }
            call?.receive(
                CallArrival(end: .trailers(ResponseEnd(error: nil, trailers: trailers))), at: now)
            if isFree { becomeFree() } else { end("the connection was closed") }
        }
    }
}
