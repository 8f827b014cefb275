package import SwiftletTransport

extension HTTP1 {
    /// The server's end of a connection. The next request is read only after the response to the previous one has
    /// ended. Bytes that a client sends earlier stay in the caller's buffer.
    package struct ServerConnection: Sendable {
        private enum Phase { case receiving, answering, closed }

        private var reader: MessageReader
        private var writer = MessageWriter()
        private var phase = Phase.receiving
        private var requestHasEnded = false
        private var responseHasEnded = false
        private var closesAfterResponse = false

        package init(_ limits: HTTP1Limits = HTTP1Limits()) {
            reader = MessageReader(.request, limits)
        }
    }
}

extension HTTP1.ServerConnection {
    /// Reads from `offset` up to the next event. Returns nil if more bytes are needed, or if the response to
    /// the last request is not complete. Throws for a request that breaks a rule. Then the caller responds
    /// with the status of the error, and the connection ends after that response.
    package mutating func receive(
        _ bytes: Span<UInt8>, at offset: inout Int
    ) throws(HTTP1Error) -> HTTP1.Event? {
        guard phase != .closed, !requestHasEnded else { return nil }
        do throws(HTTP1Error) {
            let event = try reader.next(in: bytes, at: &offset)
            if event == .head { phase = .answering }
            if event == .end {
                requestHasEnded = true
                beginNextIfDone()
            }
            return event
        } catch {
            closesAfterResponse = true
            requestHasEnded = true
            throw error
        }
    }

    /// Handles that the client has closed its direction. Throws if a request is incomplete.
    package mutating func receiveEnd() throws(HTTP1Error) {
        closesAfterResponse = true
        guard !requestHasEnded else { return }
        requestHasEnded = true
        _ = try reader.end()
    }

    /// Begins the response. `:status` is the first field of `head`. If there is no request to answer, or the
    /// head cannot be sent, throws and sends nothing.
    package mutating func begin(
        _ head: HeaderList, _ body: HTTP1.OutgoingBody
    ) throws(HTTP1Error) {
        guard phase == .answering || closesAfterResponse && phase != .closed, !responseHasEnded
        else {
            throw HTTP1Error("there is no request to answer")
        }
        let mayChunk = reader.version == 1
        if !reader.peerKeepsAlive || !requestHasEnded { closesAfterResponse = true }
        try writer.beginResponse(
            head, body, answering: method, mayChunk: mayChunk, closes: closesAfterResponse)
        if body == .streamed, !mayChunk { closesAfterResponse = true }
    }

    /// Asks the client to send the body that it has announced (RFC 9110 §10.1.1).
    package mutating func sendContinue() { writer.writeInterim(100) }

    /// Adds content to the response. Content of a response to HEAD is dropped.
    package mutating func send(_ content: [UInt8]) throws(HTTP1Error) {
        try writer.append(content)
    }

    /// Ends the response.
    package mutating func finish(trailers: HeaderList = HeaderList()) throws(HTTP1Error) {
        try writer.finish(trailers: trailers)
        responseHasEnded = true
        beginNextIfDone()
    }

    private mutating func beginNextIfDone() {
        guard responseHasEnded else { return }
        guard !closesAfterResponse, requestHasEnded else {
            phase = .closed
            return
        }
        phase = .receiving
        requestHasEnded = false
        responseHasEnded = false
        reader.begin()
    }

    private var method: String {
        reader.head.first(":method").map { reader.head.value(of: $0) } ?? ""
    }

    /// The head of the last request. The pseudo-header fields of HTTP/2 come first.
    package var receivedHead: HeaderList { reader.head }
    package var receivedTrailers: HeaderList { reader.trailers }
    /// Whether the client waits for ``sendContinue()`` before it sends the body.
    package var expectsContinue: Bool {
        reader.connection.expectsContinue && reader.version == 1 && !requestHasEnded
    }
    /// Whether the connection ends when the output has been sent.
    package var isClosed: Bool { phase == .closed }
    /// Whether no request is being read or answered.
    package var isBetweenRequests: Bool { phase == .receiving && reader.isBetweenMessages }

    /// Moves the pending output to the end of `output`.
    package mutating func takeOutput(into output: inout GatherList) {
        output.append(moving: &writer.output)
    }
}
