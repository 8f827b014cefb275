public import SwiftletCore
import SwiftletTransport
import Synchronization

/// A part of a request, as a test receives it from a fake channel.
public enum FakeRequestPart<Request: Sendable>: Sendable {
    /// The start of the call, with its metadata and deadline.
    case start(Metadata, Deadline)
    case message(Request)
    /// No more messages follow.
    case end
    /// The caller cancelled the call, or its deadline passed.
    case cancelled
}

/// The response of a fake channel to one call.
///
/// Answer a call with one response with ``sendMessage(_:initialMetadata:trailingMetadata:status:)`` or
/// ``sendError(_:)``. For a call with many responses, send the parts one by one. A part that the protocol
/// does not allow at its place, such as a message after the end, throws an error. If a message is sent before
/// the headers, empty headers are sent first.
public final class FakeResponse<Request: Sendable, Reply: Sendable>: Sendable {
    private enum Progress {
        case nothing, headers, messages, ended
    }

    /// The parts of the request, in order. Ends with the call.
    ///
    /// While 1,024 of its messages, or 1 MiB, are unread, the writer of requests waits, as with a server that
    /// does not read.
    public let requestParts: AsyncStream<FakeRequestPart<Request>>

    let stream: FakeStream
    private let path: String
    private let shape: CallShape
    private let replyCodec: Codec<Reply>
    private let progress = Mutex(Progress.nothing)

    init(
        _ path: String, _ shape: CallShape, request codec: Codec<Request>, reply: Codec<Reply>,
        _ onRequest: (@Sendable (FakeRequestPart<Request>) -> Void)?, loop: EventLoop
    ) {
        self.path = path
        self.shape = shape
        replyCodec = reply
        let (parts, continuation) = AsyncStream.makeStream(of: Unread.self)
        let stream = FakeStream(loop, readsWholeRequest: !shape.hasResponseStream) {
            part throws(RPCError) in
            let typed = try FakeRequestPart(part, codec)
            guard let onRequest else {
                continuation.yield(Unread(part: typed, byteCount: part.messageByteCount))
                return false
            }
            onRequest(typed)
            return true
        } whenOver: {
            continuation.finish()
        }
        // After the iteration has ended, no later messages are read, so they are dropped.
        continuation.onTermination = { [weak stream] _ in stream?.isNotRead() }
        self.stream = stream
        requestParts = AsyncStream {
            // A new iterator of a stream continues where the previous one stopped.
            var iterator = parts.makeAsyncIterator()
            guard let unread = await iterator.next() else { return nil }
            if let byteCount = unread.byteCount { stream.wasRead(byteCount) }
            return unread.part
        }
    }

    convenience init(
        _ method: Method<Request, Reply>,
        _ onRequest: (@Sendable (FakeRequestPart<Request>) -> Void)?, loop: EventLoop
    ) {
        self.init(
            method.path, method.shape, request: method.requestCodec, reply: method.replyCodec,
            onRequest, loop: loop)
    }

    /// An unread part, and the size of its message.
    private struct Unread {
        let part: FakeRequestPart<Request>
        let byteCount: Int?
    }
}

extension FakeRequestPart {
    fileprivate init(
        _ part: FakeStream.RequestPart, _ codec: Codec<Request>
    ) throws(RPCError) {
        switch part {
        case .start(let metadata, let deadline): self = .start(metadata, deadline)
        case .message(let bytes): self = .message(try codec.decodeRequest(bytes.contiguous.span))
        case .end: self = .end
        case .cancelled: self = .cancelled
        }
    }
}

extension FakeResponse {
    /// Sends the whole answer to a call with one response.
    public func sendMessage(
        _ message: Reply, initialMetadata: Metadata = [:], trailingMetadata: Metadata = [:],
        status: Status = .ok
    ) throws(RPCError) {
        guard !shape.hasResponseStream else {
            throw refusal("responses of a streaming call are sent part by part")
        }
        let bytes = try encode(message)
        // Checked before anything is sent.
        if let problem = initialMetadata.problem ?? trailingMetadata.problem {
            throw refusal(problem)
        }
        try sendInitialMetadata(initialMetadata)
        try append(bytes)
        try sendEnd(status, trailingMetadata: trailingMetadata)
    }

    /// Sends a message. In a call with one response, this is the whole answer, with status OK. The call ends
    /// when its request has ended, as at a server that reads the whole request.
    public func sendMessage(_ message: Reply) throws(RPCError) {
        try append(try encode(message))
        if !shape.hasResponseStream { try sendEnd() }
    }

    /// Sends the headers, once and before any message.
    public func sendInitialMetadata(_ metadata: Metadata) throws(RPCError) {
        try sendHeaders(httpStatus: 200, metadata)
    }

    private func sendHeaders(httpStatus: Int, _ metadata: Metadata) throws(RPCError) {
        if let problem = metadata.problem { throw refusal(problem) }
        try advance { progress throws(RPCError) in
            guard case .nothing = progress else {
                throw refusal("initial metadata has to be sent once, and before any message")
            }
            progress = .headers
            stream.append(.headers(httpStatus: httpStatus, metadata))
        }
    }

    /// Ends the call with a status.
    public func sendEnd(
        _ status: Status = .ok, trailingMetadata: Metadata = [:]
    ) throws(RPCError) {
        if let problem = trailingMetadata.problem { throw refusal(problem) }
        try advance { progress throws(RPCError) in
            switch progress {
            case .ended: throw refusal("the response has ended")
            case .nothing, .headers:
                guard shape.hasResponseStream || status.code != .ok else {
                    throw refusal("a call with one response cannot end with OK before its message")
                }
            case .messages: break
            }
            progress = .ended
            stream.append(.end(status, trailingMetadata))
        }
    }

    /// Ends the call with the status of an error, and its metadata, as a server does.
    public func sendError(_ error: RPCError) throws(RPCError) {
        try sendEnd(error.status, trailingMetadata: error.metadata)
    }

    /// Ends the call with exactly this error, for example with the error of a lost connection.
    public func fail(_ error: RPCError) throws(RPCError) {
        try advance { progress throws(RPCError) in
            if case .ended = progress { throw refusal("the response has ended") }
            progress = .ended
            stream.append(.failure(error))
        }
    }

    private func encode(_ message: Reply) throws(RPCError) -> [UInt8] {
        try replyCodec.encodeReply(message).bytes
    }

    private func append(_ bytes: [UInt8]) throws(RPCError) {
        try advance { progress throws(RPCError) in
            switch progress {
            case .ended: throw refusal("a message cannot follow the end")
            case .messages where !shape.hasResponseStream:
                throw refusal("the call has one response")
            case .nothing: stream.append(.headers(httpStatus: 200, [:]))
            case .headers, .messages: break
            }
            progress = .messages
            stream.append(.message(bytes))
        }
    }

    /// Appends parts in the order of the progress, and delivers them outside the lock.
    private func advance(
        _ body: (inout Progress) throws(RPCError) -> Void
    ) throws(RPCError) {
        try progress.withLock { progress throws(RPCError) in try body(&progress) }
        stream.deliverSoon()
    }

    private func refusal(_ reason: String) -> RPCError {
        .refused(.failedPrecondition, "fake response to \(path): \(reason)")
    }
}

extension FakeResponse where Request == [UInt8], Reply == [UInt8] {
    /// Sends the complete answer to a plain HTTP request.
    public func send(_ reply: HTTPReply) throws(RPCError) {
        var metadata = Metadata()
        metadata.append(received: .text(reply.contentType), for: "content-type")
        for field in reply.headers { metadata.append(received: field.value, for: field.name) }
        try sendHeaders(httpStatus: reply.status, metadata)
        try sendMessage(reply.body)
    }
}
