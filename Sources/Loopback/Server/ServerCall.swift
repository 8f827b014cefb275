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
        var waiting = WaitingTasks()
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

        init(maxMessageByteCount: Int, hasEnded: Bool) {
            assembler = MessageAssembler(maxByteCount: maxMessageByteCount, from: .client)
            self.hasEnded = hasEnded
        }
    }

    let request: RequestInfo
    let deadline: Deadline
    let stream: StreamHandle
    let session: ServerSession
    let deadlineTimer = TimerSlot()
    let state: Mutex<State>

    /// The limit of a message, and of the whole body of a request that is not gRPC.
    private var maxByteCount: Int { session.methods.maxRequestByteCount }

    init(
        _ request: RequestInfo, _ stream: StreamHandle, _ session: ServerSession, ended: Bool
    ) {
        self.request = request
        self.stream = stream
        self.session = session
        deadline = request.timeout.map { .after($0) } ?? .never
        state = Mutex(
            State(maxMessageByteCount: session.methods.maxRequestByteCount, hasEnded: ended))
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
        let (waiting, task) = state.withLock { state in
            state.failure = RPCError(.deadlineExceeded, "the deadline passed at the server")
            return (state.waiting.takeAll(), state.task)
        }
        task?.cancel()
        for task in waiting { task.resume() }
    }

    /// Whether the client cancelled or the deadline passed.
    var isGone: Bool {
        state.withLock { $0.isGone } || deadline.remaining == .zero
    }
}

// MARK: - The request

extension ServerCall {
    func receive(_ bytes: Span<UInt8>, endStream: Bool) {
        let reader: Resumption<WaitOutcome>? = state.withLock { state in
            state.unconsumed += bytes.count
            if endStream { state.hasEnded = true }
            // After an error, the rest of the request has no meaning.
            guard state.failure == nil else { return state.waiting.takeReader() }
            do throws(RPCError) {
                var offset = request.isGRPC ? 0 : bytes.count
                if !request.isGRPC {
                    guard state.plainBody.count + bytes.count <= maxByteCount else {
                        throw RPCError(
                            .resourceExhausted,
                            "the body has more than \(maxByteCount) bytes, which is the limit")
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
            return state.waiting.takeReader()
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
        let (waiting, task) = state.withLock { state in
            state.isGone = true
            return (state.waiting.takeAll(), state.task)
        }
        deadlineTimer.close()
        task?.cancel()
        for task in waiting { task.resume() }
    }

    /// Whether the last message that was read was compressed.
    var lastMessageWasCompressed: Bool { state.withLock { $0.lastWasCompressed } }

    /// Returns the next message; nil at the end of the request. Throws CANCELLED if the task is cancelled while
    /// it waits, and FAILED_PRECONDITION if another task waits already.
    func next() async throws(RPCError) -> [UInt8]? {
        while true {
            if let found = try poll() { return try found.message.map(plain) }
            giveBackWindow()
            try await waitForRequest()
        }
    }

    private func waitForRequest() async throws(RPCError) {
        let outcome = await withTaskCancellationHandler {
            await Resumption<WaitOutcome>.wait { resumption in
                let outcome: WaitOutcome? = state.withLock { state in
                    let isReady =
                        !state.messages.isEmpty || state.hasEnded || state.isGone
                        || state.failure != nil || state.isFinished
                        // Bytes that arrived since `giveBackWindow` reduce the window again.
                        || state.unconsumed > 0
                    if isReady { return .ready }
                    // A cancellation after this line finds the task that waits.
                    if Task.isCancelled { return .isCancelled }
                    return state.waiting.addReader(resumption) ? nil : .isBusy
                }
                if let outcome { resumption.resume(returning: outcome) }
            }
        } onCancel: {
            state.withLock { $0.waiting.takeReader() }?.resume(returning: .isCancelled)
        }
        switch outcome {
        case .ready: return
        case .isCancelled:
            throw RPCError(.cancelled, "the task that reads the request was cancelled")
        case .isBusy:
            throw RPCError(
                .failedPrecondition,
                "another task is reading the request; only one task may read it at a time")
        }
    }

    /// Decompresses a message. If this fails, no later message is read.
    private func plain(_ message: AssembledMessage) throws(RPCError) -> [UInt8] {
        do throws(RPCError) {
            return try message.decompressed(request.encoding, maxByteCount: maxByteCount)
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
            if state.isFinished { return .failure(.handlerReturned) }
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
    /// For a task that uses a call after its handler has returned.
    static let handlerReturned = RPCError(
        .failedPrecondition, "the call has ended, because its handler returned")

    /// The status for a request that PROTOCOL-HTTP2 forbids.
    static func violation(_ rule: String) -> RPCError {
        RPCError(.internal, "the request breaks the protocol of gRPC: \(rule)")
    }
}
