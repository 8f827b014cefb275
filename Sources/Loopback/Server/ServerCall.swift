import SwiftletCore
import SwiftletTransport
import Synchronization

/// One call, as the server sees it: what the client sends is read, what is answered is written.
final class ServerCall: Sendable {
    private struct State {
        var assembler: MessageAssembler
        var messages: [AssembledMessage] = []
        var firstIndex = 0
        /// Whether the message that was read last came compressed.
        var lastWasCompressed = false
        var hasEnded: Bool
        var isGone = false
        var failure: RPCError?
        var reader: Resumption<Void>?
        var writer: Resumption<Void>?
        var task: Task<Void, Never>?
        var deadlineTimer: TimerHandle?
        var sentHeaders = false
        var isFinished = false
        var unconsumed = 0
        var initialMetadata = Metadata()
        var compression = CompressionAlgorithm.identity
    }

    let request: RequestInfo
    let deadline: Deadline
    private let stream: StreamHandle
    let session: ServerSession
    private let state: Mutex<State>

    init(
        _ request: RequestInfo, _ stream: StreamHandle, _ session: ServerSession, ended: Bool
    ) {
        self.request = request
        self.stream = stream
        self.session = session
        deadline = request.timeout.map { .after($0) } ?? .never
        state = Mutex(
            State(assembler: MessageAssembler(maxByteCount: 64 << 20), hasEnded: ended))
    }

    /// Runs `body` in a task that is cancelled when the client goes away or its deadline passes.
    func run(_ body: @escaping @Sendable (ServerCall) async -> Void) {
        let task = Task { await body(self) }
        let isGone = state.withLock { state in
            state.task = task
            return state.isGone
        }
        if isGone { return task.cancel() }
        guard let instant = deadline.moment else { return }
        let timer = session.loop.schedule(self, at: instant)
        let isOver = state.withLock { state in
            guard !state.isGone, !state.isFinished else { return true }
            state.deadlineTimer = timer
            return false
        }
        if isOver { session.loop.cancel(timer) }
    }
}

extension ServerCall: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        let (reader, writer, task) = state.withLock { state in
            state.deadlineTimer = nil
            state.failure = RPCError(.deadlineExceeded, "the deadline passed at the server")
            return (state.reader.take(), state.writer.take(), state.task)
        }
        task?.cancel()
        reader?.resume()
        writer?.resume()
    }

    /// Whether nobody waits for the answer any more.
    var isGone: Bool {
        state.withLock { $0.isGone } || deadline.remaining == .zero
    }
}

// MARK: - What the client sends

extension ServerCall {
    func receive(_ octets: Span<UInt8>, endStream: Bool) {
        let reader: Resumption<Void>? = state.withLock { state in
            state.unconsumed += octets.count
            do throws(RPCError) {
                var offset = 0
                while let message = try state.assembler.next(in: octets, at: &offset) {
                    var message = message
                    if message.isCompressed {
                        message.octets = try Decompressor.decompress(
                            message.octets, request.encoding, maxByteCount: 64 << 20)
                    }
                    state.messages.append(message)
                }
                if endStream, state.assembler.isInsideMessage {
                    throw RPCError(.internal, "the request ended inside a message")
                }
            } catch {
                state.failure = error
            }
            if endStream { state.hasEnded = true }
            return state.reader.take()
        }
        reader?.resume()
    }

    func clientIsGone() {
        let (reader, writer, task, timer) = state.withLock { state in
            state.isGone = true
            return (
                state.reader.take(), state.writer.take(), state.task, state.deadlineTimer.take()
            )
        }
        if let timer { session.loop.cancel(timer) }
        task?.cancel()
        reader?.resume()
        writer?.resume()
    }

    /// Whether the message that was read last came compressed.
    var lastMessageWasCompressed: Bool { state.withLock { $0.lastWasCompressed } }

    /// The next message; nil at the end of the request.
    func next() async throws(RPCError) -> [UInt8]? {
        while true {
            if let found = try poll() { return found.message }
            giveBackWindow()
            await Resumption<Void>.wait { resumption in
                let isReady = state.withLock { state in
                    let isReady =
                        state.firstIndex < state.messages.count || state.hasEnded || state.isGone
                        || state.failure != nil
                        // What came since the window was given back holds it again.
                        || state.unconsumed > 0
                    if !isReady { state.reader = resumption }
                    return isReady
                }
                if isReady { resumption.resume() }
            }
        }
    }

    /// Nil when nothing lies ready; a nil message is the end.
    private func poll() throws(RPCError) -> (message: [UInt8]?, Void)? {
        let found: Result<(message: [UInt8]?, Void)?, RPCError> = state.withLock { state in
            if state.firstIndex < state.messages.count {
                let message = state.messages[state.firstIndex]
                state.messages[state.firstIndex].octets = []
                state.lastWasCompressed = message.isCompressed
                state.firstIndex += 1
                if state.firstIndex == state.messages.count {
                    state.messages.removeAll(keepingCapacity: true)
                    state.firstIndex = 0
                }
                return .success((message.octets, ()))
            }
            if let failure = state.failure { return .failure(failure) }
            if state.isGone { return .failure(RPCError(.cancelled, "the client went away")) }
            return .success(state.hasEnded ? (nil, ()) : nil)
        }
        return try found.get()
    }

    /// All that came is being waited on or was read: it makes room for more.
    private func giveBackWindow() {
        let byteCount = state.withLock { state in
            defer { state.unconsumed = 0 }
            return state.unconsumed
        }
        guard byteCount > 0 else { return }
        session.state.withLock { $0.connection.consumed(stream, by: byteCount, now: .now) }
        session.flushSoon()
    }
}

// MARK: - What the server answers

extension ServerCall {
    private static let responseHeaders: PreparedHeaders = {
        var list = HeaderList()
        list.append(":status", "200")
        list.append("content-type", "application/grpc")
        return PreparedHeaders(list)
    }()

    /// Sends the headers now instead of with the first message.
    func sendInitialMetadata(_ metadata: Metadata) {
        sendHeaders(metadata)
        session.flushSoon()
    }

    /// Has messages compressed from now on, when the client has said that it can read them and no
    /// headers have been sent yet, which name the algorithm.
    func compress(with algorithm: CompressionAlgorithm) {
        guard request.acceptedEncodings.contains(algorithm) else { return }
        state.withLock { state in
            if !state.sentHeaders { state.compression = algorithm }
        }
    }

    private func sendHeaders(_ metadata: Metadata?) {
        let found: (Metadata, CompressionAlgorithm)? = state.withLock { state in
            guard !state.sentHeaders else { return nil }
            state.sentHeaders = true
            return (metadata ?? state.initialMetadata, state.compression)
        }
        guard let (metadata, compression) = found else { return }
        var fields = HeaderList()
        if compression != .identity { fields.append("grpc-encoding", compression.name) }
        for element in metadata { fields.append(element) }
        session.state.withLock { session in
            _ = session.connection.sendHeaders(
                Self.responseHeaders, fields, on: stream, endStream: false)
        }
    }

    /// Sends a message behind five reserved octets; returns when there is room for the next.
    func send(_ message: consuming [UInt8], mayCompress: Bool = true) async throws(RPCError) {
        sendHeaders(nil)
        let compression = mayCompress ? state.withLock { $0.compression } : .identity
        let octets = try MessagePrefix.frame(message, compression, maxByteCount: nil)
        let mustWait = session.state.withLock { session in
            _ = session.connection.sendData(octets, on: stream, endStream: false)
            return session.connection.reportWhenSendQueueIsShort(stream)
        }
        session.flushSoon()
        if mustWait {
            await Resumption<Void>.wait { resumption in
                let isGone = state.withLock { state in
                    if !state.isGone { state.writer = resumption }
                    return state.isGone
                }
                // Room may have come between the two locks.
                let isShort = session.state.withLock {
                    !$0.connection.reportWhenSendQueueIsShort(stream)
                }
                if isGone { resumption.resume() } else if isShort { hasRoom() }
            }
        }
        let (isGone, failure) = state.withLock { ($0.isGone, $0.failure) }
        if isGone { throw RPCError(.cancelled, "the client went away") }
        if let failure { throw failure }
    }

    func hasRoom() {
        let writer = state.withLock { $0.writer.take() }
        writer?.resume()
    }

    /// Ends the call, once.
    func finish(_ status: Status, _ trailers: Metadata, accepting algorithms: String? = nil) {
        let (isFirst, timer) = state.withLock { state in
            defer { state.isFinished = true }
            return (!state.isFinished, state.deadlineTimer.take())
        }
        guard isFirst else { return }
        if let timer { session.loop.cancel(timer) }
        let sentHeaders = state.withLock { $0.sentHeaders }
        var fields = HeaderList()
        fields.append("grpc-status", "\(status.code.rawValue)")
        if !status.message.isEmpty {
            fields.append("grpc-message", PercentCoding.encode(status.message))
        }
        if !status.details.isEmpty {
            fields.append("grpc-status-details-bin", Base64.encode(status.details))
        }
        if let algorithms { fields.append("grpc-accept-encoding", algorithms) }
        for element in trailers { fields.append(element) }
        session.state.withLock { session in
            _ = session.connection.sendHeaders(
                sentHeaders ? nil : Self.responseHeaders, fields, on: stream, endStream: true)
            let slot = Int(stream.slot)
            if slot < session.calls.count, session.calls[slot] === self {
                session.calls[slot] = nil
            }
        }
        session.flushSoon()
    }
}
