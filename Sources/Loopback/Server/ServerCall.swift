import SwiftletCore
import SwiftletTransport
import Synchronization

/// One call, as the server sees it: what the client sends is read, what is answered is written.
final class ServerCall: Sendable {
    struct State {
        var assembler: MessageAssembler
        /// What came of a request that is not gRPC.
        var plainBody: [UInt8] = []
        var messages = Backlog<AssembledMessage>()
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
        /// What was illegal in the initial metadata that were sent.
        var metadataProblem: String?
        var compression = CompressionAlgorithm.identity
        /// What is to go wrong with the answer.
        var fault: Fault.Kind?
        var sentMessageCount = 0
    }

    let request: RequestInfo
    let deadline: Deadline
    let stream: StreamHandle
    let session: ServerSession
    let state: Mutex<State>

    /// Of a message of the request, and of all of a request that is not gRPC.
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

    /// Runs `body` in a task that is cancelled when the client goes away or its deadline passes.
    ///
    /// A call that is answered late is run twice, and its deadline has one timer all the same: of
    /// two only the last would be cancelled with the call.
    func run(_ body: @escaping @Sendable (ServerCall) async -> Void) {
        let task = Task { await body(self) }
        let (isGone, hasTimer) = state.withLock { state in
            state.task = task
            return (state.isGone, state.deadlineTimer != nil)
        }
        if isGone { return task.cancel() }
        guard !hasTimer, let instant = deadline.moment else { return }
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
                var offset = request.isGRPC ? 0 : octets.count
                if !request.isGRPC {
                    guard state.plainBody.count + octets.count <= Self.maxByteCount else {
                        throw RPCError(.resourceExhausted, "the request is too large")
                    }
                    state.plainBody.append(copying: octets)
                }
                while let message = try state.assembler.next(in: octets, at: &offset) {
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
            if let found = try poll() { return try found.message.map(plain) }
            giveBackWindow()
            await Resumption<Void>.wait { resumption in
                let isReady = state.withLock { state in
                    let isReady =
                        !state.messages.isEmpty || state.hasEnded || state.isGone
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

    /// Nothing is read behind a message that cannot be.
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

    /// Nil when nothing lies ready; a nil message is the end.
    private func poll() throws(RPCError) -> (message: AssembledMessage?, Void)? {
        let found: Result<(message: AssembledMessage?, Void)?, RPCError> = state.withLock { state in
            if let message = state.messages.popFirst() {
                state.lastWasCompressed = message.isCompressed
                return .success((message, ()))
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
