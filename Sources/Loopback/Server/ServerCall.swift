import SwiftletCore
import SwiftletTransport
import Synchronization

/// One call, as the server sees it: what the client sends is read, what is answered is written.
final class ServerCall: Sendable {
    private struct State {
        var assembler: MessageAssembler
        var messages: [[UInt8]] = []
        var firstIndex = 0
        var hasEnded: Bool
        var isGone = false
        var failure: RPCError?
        var reader: Resumption<Void>?
        var writer: Resumption<Void>?
        var task: Task<Void, Never>?
        var sentHeaders = false
        var isFinished = false
        var unconsumed = 0
        var initialMetadata = Metadata()
    }

    let request: RequestInfo
    let deadline: Deadline
    private let stream: StreamHandle
    private let session: ServerSession
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

    /// Runs `body` in a task that is cancelled when the client goes away.
    func run(_ body: @escaping @Sendable (ServerCall) async -> Void) {
        let task = Task { await body(self) }
        let isGone = state.withLock { state in
            state.task = task
            return state.isGone
        }
        if isGone { task.cancel() }
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
                    state.messages.append(
                        message.isCompressed
                            ? try Decompressor.decompress(
                                message.octets, request.encoding, maxByteCount: 64 << 20)
                            : message.octets)
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
        let (reader, writer, task) = state.withLock { state in
            state.isGone = true
            return (state.reader.take(), state.writer.take(), state.task)
        }
        task?.cancel()
        reader?.resume()
        writer?.resume()
    }

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
                state.messages[state.firstIndex] = []
                state.firstIndex += 1
                if state.firstIndex == state.messages.count {
                    state.messages.removeAll(keepingCapacity: true)
                    state.firstIndex = 0
                }
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

    private func sendHeaders(_ metadata: Metadata?) {
        let metadata: Metadata? = state.withLock { state in
            guard !state.sentHeaders else { return nil }
            state.sentHeaders = true
            return metadata ?? state.initialMetadata
        }
        guard let metadata else { return }
        var fields = HeaderList()
        for element in metadata { fields.append(element) }
        session.state.withLock { session in
            _ = session.connection.sendHeaders(
                Self.responseHeaders, fields, on: stream, endStream: false)
        }
    }

    /// Sends a message behind five reserved octets; returns when there is room for the next.
    func send(_ message: consuming [UInt8]) async throws(RPCError) {
        sendHeaders(nil)
        message.writePrefix(isCompressed: false)
        let octets = message
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
        if state.withLock({ $0.isGone }) { throw RPCError(.cancelled, "the client went away") }
    }

    func hasRoom() {
        let writer = state.withLock { $0.writer.take() }
        writer?.resume()
    }

    /// Ends the call, once.
    func finish(_ status: Status, _ trailers: Metadata) {
        let isFirst = state.withLock { state in
            defer { state.isFinished = true }
            return !state.isFinished
        }
        guard isFirst else { return }
        let sentHeaders = state.withLock { $0.sentHeaders }
        var fields = HeaderList()
        fields.append("grpc-status", "\(status.code.rawValue)")
        if !status.message.isEmpty {
            fields.append("grpc-message", PercentCoding.encode(status.message))
        }
        if !status.details.isEmpty {
            fields.append("grpc-status-details-bin", Base64.encode(status.details))
        }
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
