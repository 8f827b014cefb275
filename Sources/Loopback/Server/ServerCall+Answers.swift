import SwiftletCore
import SwiftletTransport
import Synchronization

// The answer of a call.

extension ServerCall {
    private static let responseHeaders = headers(contentType: "application/grpc")

    private static func headers(contentType: String) -> PreparedHeaders {
        var list = HeaderList()
        list.append(":status", "200")
        list.append("content-type", contentType)
        return PreparedHeaders(list)
    }

    /// Sends the headers now instead of with the first message.
    func sendInitialMetadata(_ metadata: Metadata) {
        sendHeaders(metadata)
        session.flushSoon()
    }

    /// Compresses the later messages. Has no effect if the client does not accept the algorithm, or if the
    /// headers, which name the algorithm, were already sent.
    func compress(with algorithm: CompressionAlgorithm) {
        guard request.acceptedEncodings.contains(algorithm) else { return }
        state.withLock { state in
            if !state.sentHeaders { state.compression = algorithm }
        }
    }

    private func sendHeaders(_ metadata: Metadata?) {
        guard !state.withLock(\.sentHeaders) else { return }
        // Both under the lock of the session: a task that finds the headers sent may send DATA at once.
        session.state.withLock { session in
            let found: (Metadata, CompressionAlgorithm, Fault.Kind?)? = state.withLock { state in
                guard !state.sentHeaders else { return nil }
                state.sentHeaders = true
                let metadata = metadata ?? state.initialMetadata
                state.metadataProblem = metadata.problem
                return (metadata, state.compression, state.fault)
            }
            guard let (metadata, compression, fault) = found else { return }
            var prepared = Self.responseHeaders
            if case .contentType(let type) = fault { prepared = Self.headers(contentType: type) }
            var fields = HeaderList()
            if compression != .identity { fields.append("grpc-encoding", compression.name) }
            for element in metadata { fields.append(element) }
            _ = session.connection.sendHeaders(prepared, fields, on: stream, endStream: false)
        }
    }

    /// Sends a message. Suspends until the send queue is short enough for the next message. Throws CANCELLED if
    /// the task is cancelled while it waits, and FAILED_PRECONDITION if the handler has returned.
    func send(_ message: consuming EncodedMessage, allowsCompression: Bool = true)
        async throws(RPCError)
    {
        let (fault, count) = state.withLock { state in
            state.sentMessageCount += 1
            return (state.fault, state.sentMessageCount)
        }
        if case .dropAfterMessages(let limit) = fault, count > limit {
            session.drop(behind: stream)
            throw RPCError(.cancelled, "a fault closes the connection after \(limit) messages")
        }
        sendHeaders(nil)
        let compression = allowsCompression ? state.withLock { $0.compression } : .identity
        var framed = try MessagePrefix.frame(message, compression, maxByteCount: nil)
        if fault == .truncatedMessage, count == 1 {
            let missing = (framed.byteCount - MessagePrefix.byteCount + 1) / 2
            framed = .whole(framed.bytes.dropLast(missing))
        }
        let (outcome, mustWait) = session.state.withLock { session in
            (
                session.connection.sendData(framed, on: stream, endStream: false),
                session.connection.reportWhenSendQueueIsShort(stream)
            )
        }
        session.flushSoon()
        if fault == .dropAfterMessages(count) { session.drop(behind: stream) }
        if mustWait { try await waitForRoom() }
        let (isGone, failure, isFinished) = state.withLock {
            ($0.isGone, $0.failure, $0.isFinished)
        }
        if isGone { throw RPCError(.cancelled, "the client cancelled the call") }
        if let failure { throw failure }
        guard outcome != .closed else {
            throw isFinished
                ? .handlerReturned : RPCError(.cancelled, "the client ended the call")
        }
    }

    private func waitForRoom() async throws(RPCError) {
        let name = state.withLock { $0.waiting.nameWriter() }
        let outcome = await withTaskCancellationHandler {
            await Resumption<WaitOutcome>.wait { resumption in
                let outcome: WaitOutcome? = state.withLock { state in
                    if state.isGone || state.failure != nil || state.isFinished { return .ready }
                    // A cancellation after this line finds the task that waits.
                    if Task.isCancelled { return .isCancelled }
                    state.waiting.addWriter(resumption, name)
                    return nil
                }
                if let outcome { return resumption.resume(returning: outcome) }
                // The queue may have become short between the two locks.
                let isShort = session.state.withLock {
                    !$0.connection.reportWhenSendQueueIsShort(stream)
                }
                if isShort { hasRoom() }
            }
        } onCancel: {
            state.withLock { $0.waiting.takeWriter(name) }?.resume(returning: .isCancelled)
        }
        if outcome == .isCancelled {
            throw RPCError(.cancelled, "the task that writes the answer was cancelled")
        }
    }

    func hasRoom() {
        for writer in state.withLock({ $0.waiting.takeWriters() }) { writer.resume() }
    }

    /// Ends the call. Later calls have no effect.
    func finish(_ status: Status, _ trailers: Metadata, accepting algorithms: String? = nil) {
        let waiting: [Resumption<WaitOutcome>]? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            return state.waiting.takeAll()
        }
        guard let waiting else { return }
        for task in waiting { task.resume() }
        deadlineTimer.close()
        let (fault, count) = state.withLock { ($0.fault, $0.sentMessageCount) }
        // The connection is closing, and the status must not be sent on it.
        if case .dropAfterMessages(let limit) = fault, count >= limit {
            return session.drop(behind: stream)
        }
        if fault == .missingTrailers {
            sendHeaders(nil)
            session.state.withLock { session in
                _ = session.connection.sendData([], on: stream, endStream: true)
            }
            return session.flushSoon()
        }
        var status = status
        if let problem = state.withLock(\.metadataProblem) ?? trailers.problem {
            status = Status(.internal, "the answer is not valid: \(problem)")
        }
        var fields = HeaderList()
        fields.append("grpc-status", "\(status.code.rawValue)")
        if let algorithms { fields.append("grpc-accept-encoding", algorithms) }
        for element in trailers { fields.append(element) }
        session.state.withLock { session in
            let sentHeaders = state.withLock { state in
                defer { state.sentHeaders = true }
                return state.sentHeaders
            }
            fields.append(
                status, within: session.connection.peerHeaderListLimit,
                beside: sentHeaders ? 0 : Self.responseHeaders.list.byteCount)
            _ = session.connection.sendHeaders(
                sentHeaders ? nil : Self.responseHeaders, fields, on: stream, endStream: true)
            session.forget(self)
        }
        session.flushSoon()
    }
}

extension HeaderList {
    /// Adds the details and the message of a status, as far as the client's limit allows. A client rejects a
    /// list above the limit as a whole, including the status.
    ///
    /// - Parameters:
    ///   - status: The status to add.
    ///   - limit: The client's limit of the list in bytes; nil when it has none.
    ///   - otherByteCount: The bytes of the headers that are sent with this list.
    fileprivate mutating func append(
        _ status: Status, within limit: Int?, beside otherByteCount: Int
    ) {
        let name = "grpc-status-details-bin"
        let details = Base64.encode(status.details)
        let used = byteCount + otherByteCount + name.utf8.count + 32
        // Details that are cut cannot be decoded, so they are added completely or not at all.
        if !details.isEmpty, limit.map({ details.utf8.count <= $0 - used }) ?? true {
            append(name, details)
        }
        append(message: status.message, within: limit, beside: otherByteCount)
    }

    private mutating func append(
        message: String, within limit: Int?, beside otherByteCount: Int
    ) {
        guard !message.isEmpty else { return }
        let name = "grpc-message"
        let encoded = PercentCoding.encode(grpcMessage: message)
        let used = byteCount + otherByteCount + name.utf8.count + 32
        guard let limit, encoded.utf8.count > limit - used else { return append(name, encoded) }
        var kept = ""
        var room = limit - used
        for character in message {
            // Whole characters only, so that the client receives valid text.
            let encoded = PercentCoding.encode(grpcMessage: String(character))
            room -= encoded.utf8.count
            guard room >= 0 else { break }
            kept += encoded
        }
        if !kept.isEmpty { append(name, kept) }
    }
}

extension PercentCoding {
    /// Encodes any text as printable ASCII (PROTOCOL-HTTP2, "Status-Message").
    static func encode(grpcMessage text: String) -> String {
        encode(text) { (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "%") }
    }
}
