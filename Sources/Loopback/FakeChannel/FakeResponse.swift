public import SwiftletCore
import Synchronization

/// A piece of a request, as a fake channel shows it to a test.
public enum FakeRequestPart<Request: Sendable>: Sendable {
    /// The call was made, with these headers and this deadline.
    case start(Metadata, Deadline)
    case message(Request)
    /// No more messages follow.
    case end
    /// The caller, or its deadline, has ended the call.
    case cancelled
}

/// What a fake channel answers to one call.
///
/// A call with one response is answered by ``sendMessage(_:initialMetadata:trailingMetadata:status:)``
/// or by ``sendError(_:)``; one with many gets its parts one by one. Parts that the protocol forbids
/// where they are (a message after the end, headers after a message) are refused with an error
/// that says so, and those that go without saying are inserted: headers before a first message.
public final class FakeResponse<Request: Sendable, Reply: Sendable>: Sendable {
    private enum Progress {
        case nothing, headers, messages, ended
    }

    /// The parts of the request as they come, to be awaited. Ends with the call.
    public let requestParts: AsyncStream<FakeRequestPart<Request>>

    let stream: FakeStream
    private let method: Method<Request, Reply>
    private let progress = Mutex(Progress.nothing)

    init(
        _ method: Method<Request, Reply>,
        _ onRequest: (@Sendable (FakeRequestPart<Request>) -> Void)?, loop: EventLoop
    ) {
        self.method = method
        let (parts, continuation) = AsyncStream.makeStream(of: FakeRequestPart<Request>.self)
        requestParts = parts
        let codec = method.requestCodec
        stream = FakeStream(loop) { part throws(RPCError) in
            let typed: FakeRequestPart<Request>
            switch part {
            case .start(let metadata, let deadline): typed = .start(metadata, deadline)
            case .message(let octets): typed = .message(try codec.decode(octets.span))
            case .end: typed = .end
            case .cancelled: typed = .cancelled
            }
            onRequest?(typed)
            continuation.yield(typed)
        } whenOver: {
            continuation.finish()
        }
    }
}

extension FakeResponse {
    /// Answers a call that has one response, completely.
    public func sendMessage(
        _ message: Reply, initialMetadata: Metadata = [:], trailingMetadata: Metadata = [:],
        status: Status = .ok
    ) throws(RPCError) {
        guard !method.shape.hasResponseStream else {
            throw refusal("responses of a streaming call are sent part by part")
        }
        let octets = try encode(message)
        try sendInitialMetadata(initialMetadata)
        try append(octets)
        try sendEnd(status, trailingMetadata: trailingMetadata)
    }

    /// Sends a message. To a call that has one response it is the whole answer, with status OK.
    public func sendMessage(_ message: Reply) throws(RPCError) {
        try append(try encode(message))
        if !method.shape.hasResponseStream { try sendEnd() }
    }

    /// Sends the headers; before any message, and once.
    public func sendInitialMetadata(_ metadata: Metadata) throws(RPCError) {
        try progress.withLock { progress throws(RPCError) in
            guard case .nothing = progress else {
                throw refusal("initial metadata comes first, and once")
            }
            progress = .headers
            stream.send(.headers(metadata))
        }
    }

    /// Ends the call with a status.
    public func sendEnd(
        _ status: Status = .ok, trailingMetadata: Metadata = [:]
    ) throws(RPCError) {
        try progress.withLock { progress throws(RPCError) in
            switch progress {
            case .ended: throw refusal("the call was ended before")
            case .nothing, .headers:
                guard method.shape.hasResponseStream || status.code != .ok else {
                    throw refusal("a call with one response ends well only behind it")
                }
            case .messages: break
            }
            progress = .ended
            stream.send(.end(status, trailingMetadata))
        }
    }

    /// Ends the call with the status of an error, and its metadata, as a server does.
    public func sendError(_ error: RPCError) throws(RPCError) {
        try sendEnd(error.status, trailingMetadata: error.metadata)
    }

    /// Ends the call with this very error, as when the connection is lost.
    public func fail(_ error: RPCError) throws(RPCError) {
        try progress.withLock { progress throws(RPCError) in
            if case .ended = progress { throw refusal("the call was ended before") }
            progress = .ended
            stream.send(.failure(error))
        }
    }

    private func encode(_ message: Reply) throws(RPCError) -> [UInt8] {
        try method.replyCodec.encode(message)
    }

    private func append(_ octets: [UInt8]) throws(RPCError) {
        try progress.withLock { progress throws(RPCError) in
            switch progress {
            case .ended: throw refusal("a message cannot follow the end")
            case .messages where !method.shape.hasResponseStream:
                throw refusal("the call has one response")
            case .nothing: stream.send(.headers([:]))
            case .headers, .messages: break
            }
            progress = .messages
            stream.send(.message(octets))
        }
    }

    private func refusal(_ reason: String) -> RPCError {
        var error = RPCError(.failedPrecondition, "fake response to \(method.path): \(reason)")
        error.phase = .preparing
        error.mayHaveBeenExecuted = false
        return error
    }
}
