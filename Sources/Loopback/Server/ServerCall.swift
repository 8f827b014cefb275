import SwiftletCore
import SwiftletTransport
import Synchronization

/// One call at the server. It reads the request and writes the answer.
final class ServerCall: Sendable {
    struct State {
        var assembler: MessageAssembler
        /// The bytes received so far of the body of a request that is not gRPC.
        var plainBody: [UInt8] = []
        var messages = Backlog<AssembledMessage>()
        /// Whether the message that was read last was compressed.
        var lastWasCompressed = false
        var hasEnded: Bool
        var isGone = false
        var failure: RPCError?
        var reader: Resumption<Void>?
        var writer: Resumption<Void>?
        var task: Task<Void, Never>?
        var hasDeadlineTimer = false
        var sentHeaders = false
        var isFinished = false
        var unconsumed = 0
        var initialMetadata = Metadata()
        /// The rule that the initial metadata of the handler broke.
        var metadataProblem: String?
        var compression = CompressionAlgorithm.identity
        /// The fault that applies to the answer.
        var fault: Fault.Kind?
        var sentMessageCount = 0
    }

    let request: RequestInfo
    let deadline: Deadline
    let stream: StreamHandle
    let session: ServerSession
    let deadlineTimer = TimerSlot()
    let state: Mutex<State>

    /// The limit of a message, and of the whole body of a request that is not gRPC.
    private static let maxByteCount = 64 << 20

    init(
        _ request: RequestInfo, _ stream: StreamHandle, _ session: ServerSession, ended: Bool
    ) {
        self.request = request
        self.stream = stream
        self.session = session
        deadline = request.timeout.map { .after($0) } ?? .never
        state = Mutex(
            State(assembler: MessageAssembler(maxByteCount: Self.maxByteCount), hasEnded: ended))
    }

    /// Runs `body` in a task that is cancelled when the client cancels or the deadline passes.
    ///
    /// For a call with a delay, this function is called twice: for the delay, and for the handler. The call
    /// has only one timer for its deadline.
    func run(_ body: @escaping @Sendable (ServerCall) async -> Void) {
        let task = Task(executorPreference: session.handlerThreads) { await body(self) }
        let (isGone, hasTimer) = state.withLock { state in
            state.task = task
            defer { state.hasDeadlineTimer = true }
            return (state.isGone, state.hasDeadlineTimer)
        }
        if isGone { return task.cancel() }
        guard !hasTimer, let instant = deadline.moment else { return }
        deadlineTimer.schedule(self, at: instant, on: session.loop)
    }
}

extension ServerCall: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        let (reader, writer, task) = state.withLock { state in
            state.failure = RPCError(.deadlineExceeded, "the deadline passed at the server")
            return (state.reader.take(), state.writer.take(), state.task)
        }
        task?.cancel()
        reader?.resume()
        writer?.resume()
    }

    /// Whether the client cancelled or the deadline passed.
    var isGone: Bool {
        state.withLock { $0.isGone } || deadline.remaining == .zero
    }
}

// MARK: - The request

extension ServerCall {
    func receive(_ bytes: Span<UInt8>, endStream: Bool) {
        let reader: Resumption<Void>? = state.withLock { state in
            state.unconsumed += bytes.count
            do throws(RPCError) {
                var offset = request.isGRPC ? 0 : bytes.count
                if !request.isGRPC {
                    guard state.plainBody.count + bytes.count <= Self.maxByteCount else {
                        throw RPCError(.resourceExhausted, "the request is too large")
                    }
                    state.plainBody.append(copying: bytes)
                }
                while let message = try state.assembler.next(in: bytes, at: &offset) {
                    if message.isCompressed, request.encoding == .identity {
                        throw .violation("a message is compressed and grpc-encoding is missing")
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

    /// In gRPC, only servers send trailers (PROTOCOL-HTTP2, "Requests"). Plain HTTP allows them.
    func receiveTrailers(isStrict: Bool) {
        if isStrict, request.isGRPC {
            state.withLock { state in
                state.failure = state.failure ?? .violation("the request ends with trailers")
            }
        }
        receive(ContiguousArray<UInt8>().span, endStream: true)
    }

    func clientIsGone() {
        let (reader, writer, task) = state.withLock { state in
            state.isGone = true
            return (state.reader.take(), state.writer.take(), state.task)
        }
        deadlineTimer.close()
        task?.cancel()
        reader?.resume()
        writer?.resume()
    }

    /// Whether the last message that was read was compressed.
    var lastMessageWasCompressed: Bool { state.withLock { $0.lastWasCompressed } }

    /// Returns the next message; nil at the end of the request.
    func next() async throws(RPCError) -> [UInt8]? {
        while true {
            if let found = try poll() { return try found.message.map(plain) }
            giveBackWindow()
            await Resumption<Void>.wait { resumption in
                let isReady = state.withLock { state in
                    let isReady =
                        !state.messages.isEmpty || state.hasEnded || state.isGone
                        || state.failure != nil
                        // Bytes that arrived since `giveBackWindow` reduce the window again.
                        || state.unconsumed > 0
                    if !isReady { state.reader = resumption }
                    return isReady
                }
                if isReady { resumption.resume() }
            }
        }
    }

    /// Decompresses a message. If this fails, no later message is read.
    private func plain(_ message: AssembledMessage) throws(RPCError) -> [UInt8] {
        do throws(RPCError) {
            return try message.decompressed(request.encoding, maxByteCount: Self.maxByteCount)
        } catch {
            state.withLock { state in
                state.messages = Backlog()
                state.failure = error
            }
            throw error
        }
    }

    /// Returns nil when nothing has arrived, and a nil message at the end of the request.
    private func poll() throws(RPCError) -> (message: AssembledMessage?, Void)? {
        let found: Result<(message: AssembledMessage?, Void)?, RPCError> = state.withLock { state in
            if let message = state.messages.popFirst() {
                state.lastWasCompressed = message.isCompressed
                return .success((message, ()))
            }
            if let failure = state.failure { return .failure(failure) }
            if state.isGone {
                return .failure(RPCError(.cancelled, "the client cancelled the call"))
            }
            return .success(state.hasEnded ? (nil, ()) : nil)
        }
        return try found.get()
    }

    /// Reports all received bytes as consumed, so that their window is returned to the client.
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

extension RPCError {
    /// The status for a request that PROTOCOL-HTTP2 forbids.
    static func violation(_ rule: String) -> RPCError {
        RPCError(.internal, "the request breaks the protocol of gRPC: \(rule)")
    }
}
