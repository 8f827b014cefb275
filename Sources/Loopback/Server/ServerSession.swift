import SwiftletCore
import SwiftletTransport
import Synchronization

/// One connection of a server: the socket, the HTTP/2 engine and the calls.
final class ServerSession: AcceptedConnection {
    struct State: ~Copyable {
        var connection: Connection
        /// The calls, by the slot of their stream.
        var calls: [ServerCall?] = []
        /// Whether TLS records wait for the socket.
        var hasUnsent = false
        /// The state that determines which thread writes.
        var turn = OutputTurn.idle
        /// Output that the last writer could not write. Only the current writer uses it.
        var unwritten = GatherList()
        /// Bytes that a fault sends after the frames that wait; empty for none.
        var garbage: [UInt8] = []
        var isOver = false
        /// The limit that a fault has put on the output; nil for none.
        var pace: OutputPace?
        /// The stream after whose queued messages the connection is closed; nil for none.
        var droppedStream: StreamHandle?
        /// Whether the next portion of a dripping output waits for its timer.
        var awaitsDrip = false
    }

    private struct Reader: ~Copyable {
        var buffer: ReceiveBuffer
        var isOpen = false
    }

    /// An event of a call.
    private enum Arrival {
        case request(ServerCall)
        case data(ServerCall, Range<Int>, endStream: Bool)
        case trailers(ServerCall)
        case gone(ServerCall)
    }

    let loop: EventLoop
    private let wire: LinkWire
    let methods: ServerMethods
    let handlerThreads: HandlerThreads
    private let acceptor: Acceptor
    let dripTimer = TimerSlot()
    let state: Mutex<State>
    private let reader: Mutex<Reader?>

    /// - Parameter received: The bytes that were already read from the connection.
    init(
        _ wire: consuming LinkWire, received: [UInt8] = [], _ methods: ServerMethods,
        _ loop: EventLoop, _ acceptor: Acceptor
    ) {
        var buffer = ReceiveBuffer()
        if !received.isEmpty { buffer.prepend(received) }
        reader = Mutex(Reader(buffer: buffer))
        self.wire = wire
        self.methods = methods
        self.loop = loop
        self.acceptor = acceptor
        handlerThreads = acceptor.handlerThreads
        state = Mutex(State(connection: Connection(methods.configuration, now: .now)))
    }

    func start() {
        guard (try? wire.watch(by: loop, for: self)) != nil, (try? wire.begin()) != nil else {
            return end()
        }
        // The server may have stopped before the socket was watched.
        guard !state.withLock({ $0.isOver }) else { return wire.close(on: loop) }
        flushSoon()
        ready(.readable, now: .now)
    }

    func leaveGracefully() {
        state.withLock { $0.connection.shutDownGracefully() }
        flushSoon()
    }

    func end() {
        let calls: [ServerCall]? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            defer { state.calls = [] }
            return state.calls.compactMap(\.self)
        }
        guard let calls else { return }
        dripTimer.close()
        wire.close(on: loop)
        for call in calls { call.clientIsGone() }
        acceptor.sessionEnded(self)
    }
}

// MARK: - Reading

extension ServerSession: Pollable {
    func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) {
        if readiness.contains(.writable) { becameWritable() }
        guard readiness != .writable else { return }
        guard var reader = reader.withLock({ $0.take() }) else { return }
        let isOver = read(&reader, untilEmpty: readiness.contains(.hungUp), now: now)
        var returned: Reader? = consume reader
        self.reader.withLock { swap(&$0, &returned) }
        if isOver { end() }
    }

    /// Reads up to the limit of one turn. Returns true if the connection has ended.
    private func read(
        _ reader: inout Reader, untilEmpty: Bool, now: MonotonicInstant
    ) -> Bool {
        var byteCount = 0
        while byteCount < ReceiveBuffer.turnByteCount {
            guard let read = try? wire.read(into: &reader.buffer) else { return true }
            if !reader.isOpen, wire.isOpen {
                reader.isOpen = true
                becameWritable()
            }
            byteCount += read.byteCount
            if !reader.buffer.isEmpty, receive(&reader, now: now) { return true }
            switch read.outcome {
            case .more: break
            case .last where untilEmpty: break
            case .last, .nothing: return false
            case .endOfStream: return true
            }
        }
        loop.readAgain(self, untilEmpty: untilEmpty)
        return false
    }

    private func receive(_ reader: inout Reader, now: MonotonicInstant) -> Bool {
        var offset = 0
        var arrivals: [Arrival] = []
        let hasFailed = reader.buffer.withUnread { bytes in
            let hasFailed = state.withLock { state in
                while !state.isOver,
                    let event = state.connection.receive(bytes, at: &offset, now: now)
                {
                    record(event, &state, into: &arrivals)
                }
                return state.connection.hasFailed || state.isOver
            }
            for arrival in arrivals { handle(arrival, bytes) }
            return hasFailed
        }
        reader.buffer.consume(offset)
        if hasFailed { flush() } else { flushSoon() }
        return hasFailed
    }

    private func record(
        _ event: Connection.Event, _ state: inout State, into arrivals: inout [Arrival]
    ) {
        switch event {
        case .headers(let stream, .initial, let endStream):
            let request = RequestInfo(
                state.connection.receivedHeaders, endStream: endStream, isStrict: methods.isStrict)
            let call = ServerCall(request, stream, self, ended: endStream)
            let slot = Int(stream.slot)
            while state.calls.count <= slot { state.calls.append(nil) }
            state.calls[slot] = call
            arrivals.append(.request(call))
        case .headers(let stream, _, _):
            if let call = state.calls[Int(stream.slot)] { arrivals.append(.trailers(call)) }
        case .data(let stream, let range, let endStream):
            if let call = state.calls[Int(stream.slot)] {
                arrivals.append(.data(call, range, endStream: endStream))
            }
        case .reset(let stream, _), .streamFailed(let stream, _), .unprocessed(let stream),
            .unsent(let stream):
            let slot = Int(stream.slot)
            guard slot < state.calls.count, let call = state.calls[slot].take() else { return }
            arrivals.append(.gone(call))
        case .ready, .pingAnswered, .goAway, .failed: break
        }
    }

    private func handle(_ arrival: Arrival, _ bytes: Span<UInt8>) {
        switch arrival {
        case .request(let call): methods.serve(call)
        case .data(let call, let range, let endStream):
            call.receive(bytes.extracting(range), endStream: endStream)
        case .trailers(let call): call.receiveTrailers(isStrict: methods.isStrict)
        case .gone(let call): call.clientIsGone()
        }
    }
}

// MARK: - Writing

extension ServerSession {
    /// Writes to the socket. Returns true if the socket's buffer is full.
    func write(_ batch: inout GatherList) throws(SystemError) -> Bool {
        let outcome = try wire.write(&batch)
        state.withLock { $0.hasUnsent = outcome.unsentByteCount > 0 }
        return outcome.isBlocked
    }
}

extension ServerSession: Flushable {
    func flushSoon() {
        if state.withLock({ $0.turn.ask() }) { loop.flushSoon(self, willGrow: false) }
    }

    func flush() {
        var batch = GatherList()
        var pace: OutputPace?
        let isWriter = state.withLock { state in
            guard state.turn.begin(hasOutput: !state.isOver) else { return false }
            pace = state.pace
            guard pace == nil else { return true }
            swap(&batch, &state.unwritten)
            state.takeOutput(into: &batch)
            return true
        }
        guard isWriter else { return }
        if let pace {
            writePaced(pace)
            return dropIfWritten()
        }
        while true {
            // After a failed write, the next read also fails, and ends the session.
            let isBlocked = (try? write(&batch)) ?? true
            let (isDone, reports) = state.withLock { state in
                let reports = takeRoomReports(&state)
                let hasMore = !batch.isEmpty || state.hasUnsent || state.hasOutput
                guard state.turn.goOn(socketIsFull: isBlocked, hasMore: hasMore && !state.isOver)
                else {
                    swap(&batch, &state.unwritten)
                    return (true, reports)
                }
                state.takeOutput(into: &batch)
                return (false, reports)
            }
            for call in reports { call.hasRoom() }
            if isDone { return dropIfWritten() }
        }
    }

    /// Closes the connection when everything that is queued for `stream` now is written, which may have to
    /// wait for the client's window. The caller queues nothing more for the stream.
    func drop(behind stream: StreamHandle) {
        state.withLock { $0.droppedStream = stream }
        flush()
        dropIfWritten()
    }

    private func dropIfWritten() {
        let isDue = state.withLock { state in
            guard let stream = state.droppedStream else { return false }
            return !state.turn.isWriting && state.unwritten.isEmpty && !state.hasUnsent
                && !state.hasOutput && !state.connection.hasQueuedData(stream)
        }
        // On the loop, because this thread may hold the lock of a call.
        if isDue { loop.run { [self] in end() } }
    }

    /// Returns the calls whose send queue has become short.
    func takeRoomReports(_ state: inout State) -> [ServerCall] {
        var reports: [ServerCall] = []
        while let stream = state.connection.nextRoomReport() {
            // The session may have ended during the write. It then has no calls.
            let slot = Int(stream.slot)
            if slot < state.calls.count, let call = state.calls[slot] { reports.append(call) }
        }
        return reports
    }

    private func becameWritable() {
        if state.withLock({ $0.turn.socketIsWritable() }) { flush() }
    }
}

extension ServerSession.State {
    var hasOutput: Bool { connection.hasOutput || !garbage.isEmpty }

    mutating func takeOutput(into batch: inout GatherList) {
        connection.takeOutput(into: &batch)
        guard !garbage.isEmpty else { return }
        batch.append(referencing: garbage)
        garbage = []
    }

    /// Moves the output to that which was not written.
    mutating func keepOutput() {
        var batch = GatherList()
        swap(&batch, &unwritten)
        takeOutput(into: &batch)
        swap(&batch, &unwritten)
    }

    /// Removes a finished call.
    mutating func forget(_ call: ServerCall) {
        let slot = Int(call.stream.slot)
        if slot < calls.count, calls[slot] === call { calls[slot] = nil }
    }
}
