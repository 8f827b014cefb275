import SwiftletTransport

extension HTTP1 {
    /// How a message announces its body.
    package enum OutgoingBody: Hashable, Sendable {
        case none
        case sized(Int)
        /// In chunks, because the size is not known.
        case streamed
    }

    /// Writes one message after another.
    struct MessageWriter: Sendable {
        private enum Phase: Hashable {
            case idle
            case sized(left: Int)
            case chunked
            case untilClose
            /// Content is dropped, because the message must not have any.
            case suppressed
        }

        private var phase = Phase.idle

        /// The bytes to send.
        var output = GatherList()
    }
}

extension HTTP1.MessageWriter {
    /// Whether the last message is complete.
    var isIdle: Bool { phase == .idle }

    /// Writes the head of a request. The pseudo-header fields come first in `head`.
    mutating func beginRequest(
        _ head: HeaderList, _ body: HTTP1.OutgoingBody
    ) throws(HTTP1Error) {
        let method = head.text(":method") ?? ""
        let path = head.text(":path") ?? ""
        guard !method.isEmpty, method.utf8.allSatisfy(HTTP1.FieldLine.isToken),
            method != HTTP1.Method.connect
        else { throw HTTP1Error("not the method of a request: '\(PeerText.clean(method))'") }
        guard !path.isEmpty, path.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw HTTP1Error("not the path of a request: '\(PeerText.clean(path))'")
        }
        var bytes = Array("\(method) \(path) HTTP/1.1\r\n".utf8)
        try Self.append("host", head.text(":authority") ?? "", to: &bytes)
        try Self.append(fieldsOf: head, to: &bytes)
        switch body {
        case .none:
            if HTTP1.Method.hasContentByDefinition(method) {
                try Self.append("content-length", "0", to: &bytes)
            }
            phase = .idle
        case .sized(let byteCount):
            try Self.append("content-length", "\(byteCount)", to: &bytes)
            phase = byteCount == 0 ? .idle : .sized(left: byteCount)
        case .streamed:
            try Self.append("transfer-encoding", "chunked", to: &bytes)
            phase = .chunked
        }
        finishHead(bytes)
    }

    /// Writes the head of a response.
    ///
    /// - Parameters:
    ///   - method: The method of the request. A response to HEAD has no content.
    ///   - mayChunk: Whether the client supports chunks. If not, the end of the connection ends the body.
    ///   - closes: Whether the connection ends with this response.
    mutating func beginResponse(
        _ head: HeaderList, _ body: HTTP1.OutgoingBody, answering method: String, mayChunk: Bool,
        closes: Bool
    ) throws(HTTP1Error) {
        guard let status = HeaderRules.status(of: head), (200..<600).contains(status) else {
            throw HTTP1Error("the response has no final status")
        }
        var bytes = Array("HTTP/1.1 \(status) \r\n".utf8)
        try Self.append(fieldsOf: head, to: &bytes)
        if closes || body == .streamed && !mayChunk {
            try Self.append("connection", "close", to: &bytes)
        }
        let mayHaveLength = status != 204 && status != 304
        switch body {
        case .none:
            if mayHaveLength { try Self.append("content-length", "0", to: &bytes) }
            phase = .idle
        case .sized(let byteCount):
            if mayHaveLength { try Self.append("content-length", "\(byteCount)", to: &bytes) }
            phase = byteCount == 0 ? .idle : .sized(left: byteCount)
        case .streamed where mayChunk && mayHaveLength:
            try Self.append("transfer-encoding", "chunked", to: &bytes)
            phase = .chunked
        case .streamed: phase = .untilClose
        }
        if method == HTTP1.Method.head || !mayHaveLength, phase != .idle { phase = .suppressed }
        finishHead(bytes)
    }

    /// Writes an interim response, such as 100 (Continue).
    mutating func writeInterim(_ status: Int) {
        output.append(copying: Array("HTTP/1.1 \(status) \r\n\r\n".utf8))
    }

    /// Adds content. Throws if it is more than was announced, or if no message is open.
    mutating func append(_ content: [UInt8]) throws(HTTP1Error) {
        guard !content.isEmpty else { return }
        switch phase {
        case .idle: throw HTTP1Error("there is no message to add content to")
        case .sized(let left):
            guard content.count <= left else {
                throw HTTP1Error("the content is larger than the content-length of the message")
            }
            phase = content.count == left ? .idle : .sized(left: left - content.count)
            output.append(referencing: content)
        case .chunked:
            output.append(copying: Array((String(content.count, radix: 16) + "\r\n").utf8))
            output.append(referencing: content)
            output.append(copying: Array("\r\n".utf8))
        case .untilClose: output.append(referencing: content)
        case .suppressed: break
        }
    }

    /// Ends the message. Throws if less content was added than was announced, or if there are trailers and
    /// the body is not chunked.
    mutating func finish(trailers: HeaderList = HeaderList()) throws(HTTP1Error) {
        guard trailers.isEmpty || phase == .chunked || phase == .suppressed else {
            throw HTTP1Error("only a chunked body can have trailers")
        }
        switch phase {
        case .idle, .untilClose, .suppressed: break
        case .sized(let left):
            throw HTTP1Error("\(left) bytes of the announced content are missing")
        case .chunked:
            var bytes = Array("0\r\n".utf8)
            try Self.append(fieldsOf: trailers, to: &bytes)
            output.append(copying: bytes + Array("\r\n".utf8))
        }
        phase = .idle
    }

    private mutating func finishHead(_ bytes: [UInt8]) {
        output.append(copying: bytes + Array("\r\n".utf8))
    }

    // MARK: - Fields

    /// Appends the fields that follow the pseudo-header fields.
    private static func append(
        fieldsOf list: HeaderList, to bytes: inout [UInt8]
    ) throws(HTTP1Error) {
        for field in list.fields {
            let name = list.name(of: field)
            if name.utf8.first == UInt8(ascii: ":") { continue }
            guard !framingFields.contains(name) else {
                throw HTTP1Error("the field '\(name)' is set by the connection")
            }
            try append(name, list.value(of: field), to: &bytes)
        }
    }

    private static let framingFields: Set = [
        "connection", "content-length", "host", "keep-alive", "proxy-connection", "te",
        "transfer-encoding", "upgrade",
    ]

    /// Appends a field line. Throws if the name or the value is not allowed. For example, a line end in a
    /// value would add lines to the head.
    private static func append(
        _ name: String, _ value: String, to bytes: inout [UInt8]
    ) throws(HTTP1Error) {
        guard !name.isEmpty, name.utf8.allSatisfy(HTTP1.FieldLine.isToken) else {
            throw HTTP1Error("not the name of a field: '\(PeerText.clean(name))'")
        }
        guard HTTP1.FieldLine.isLegal(ContiguousArray(value.utf8).span) else {
            throw HTTP1Error("the value of the field '\(name)' has a control character")
        }
        bytes += name.utf8
        bytes += ": ".utf8
        bytes += value.utf8
        bytes += "\r\n".utf8
    }
}

extension HeaderList {
    /// The value of the first field with the name.
    fileprivate func text(_ name: StaticString) -> String? { first(name).map { value(of: $0) } }
}
