package import SwiftletTransport

extension HTTP1 {
    /// The client's end of a connection. It carries one request and its response, then the next
    /// request. A request is sent only after the previous response has ended. With pipelining (RFC
    /// 9112 §9.3.2), the client could not always know which request a response answers.
    package struct ClientConnection: Sendable {
        private var reader: MessageReader
        private var writer = MessageWriter()
        private var hasFailed = false
        private var keepsAlive = true

        package init(_ limits: HTTP1Limits = HTTP1Limits()) {
            reader = MessageReader(.response, limits)
        }
    }
}

extension HTTP1.ClientConnection {
    /// Whether a request can begin: the previous one has ended in both directions, and the server
    /// keeps the connection open.
    package var canBegin: Bool { !hasFailed && keepsAlive && reader.isIdle && writer.isIdle }

    /// Begins a request. The pseudo-header fields of HTTP/2 come first in `head`. If the head
    /// cannot be sent, throws and sends nothing.
    package mutating func begin(
        _ head: HeaderList, _ body: HTTP1.OutgoingBody
    ) throws(HTTP1Error) {
        guard canBegin else { throw HTTP1Error("the connection cannot carry another request") }
        try writer.beginRequest(head, body)
        reader.begin(answering: head.first(":method").map { head.value(of: $0) } ?? "")
    }

    /// Adds content to the request.
    package mutating func send(_ content: [UInt8]) throws(HTTP1Error) {
        try writer.append(content)
    }

    /// Ends the request.
    package mutating func finish(trailers: HeaderList = HeaderList()) throws(HTTP1Error) {
        try writer.finish(trailers: trailers)
    }

    /// Reads from `offset` up to the next event. Returns nil if more bytes are needed, and after an
    /// error. Throws if the server breaks a rule. Then the caller must close the connection.
    package mutating func receive(
        _ bytes: Span<UInt8>, at offset: inout Int
    ) throws(HTTP1Error) -> HTTP1.Event? {
        guard !hasFailed else { return nil }
        do throws(HTTP1Error) {
            // No request is open, so the server may not send bytes.
            guard !reader.isIdle || offset == bytes.count else {
                throw HTTP1Error("the server sent bytes that belong to no response")
            }
            return note(try reader.next(in: bytes, at: &offset))
        } catch {
            hasFailed = true
            throw error
        }
    }

    /// Handles that the server has closed its direction. If this ends the response, returns the
    /// end. Throws if a response is incomplete.
    package mutating func receiveEnd() throws(HTTP1Error) -> HTTP1.Event? {
        guard !hasFailed else { return nil }
        do throws(HTTP1Error) {
            let event = note(try reader.end())
            hasFailed = true
            return event
        } catch {
            hasFailed = true
            throw error
        }
    }

    private mutating func note(_ event: HTTP1.Event?) -> HTTP1.Event? {
        if event == .end, !reader.peerKeepsAlive { keepsAlive = false }
        return event
    }

    /// The head of the last response. `:status` is its first field.
    package var receivedHead: HeaderList { reader.head }
    /// The trailer fields of the last response, which follow a chunked body.
    package var receivedTrailers: HeaderList { reader.trailers }

    package var hasOutput: Bool { !writer.output.isEmpty }

    /// Moves the pending output to the end of `output`.
    package mutating func takeOutput(into output: inout GatherList) {
        output.append(moving: &writer.output)
    }
}
