import SwiftletTransport

extension HTTP1 {
    /// Reads one message after another: the peer's requests, or its responses.
    struct MessageReader: Sendable {
        enum Kind: Hashable, Sendable { case request, response }

        private enum Phase {
            case startLine
            case fields
            case sized(left: UInt64)
            case chunks
            case trailers
            case untilClose
            /// The message is complete, but its end was not reported yet.
            case complete
            /// Nothing is read until ``begin(answering:)``.
            case idle
        }

        private let kind: Kind
        private let limits: HTTP1Limits
        private var phase: Phase
        private var line = LineReader()
        private var chunks = ChunkReader()
        private var skippedEmptyLine = false
        private var interimCount = 0
        private var request: StartLine.Request?
        private var response: StartLine.Response?
        /// The method of the request that the response answers.
        private var answeredMethod = ""
        private(set) var connection = ConnectionFields()
        private var fields = HeaderList()
        /// The size of the fields read so far, in the current head or trailers.
        private var fieldsByteCount = 0

        /// The head that was read last, with pseudo-header fields.
        private(set) var head = HeaderList()
        private(set) var trailers = HeaderList()
        private(set) var framing = BodyFraming.none

        init(_ kind: Kind, _ limits: HTTP1Limits) {
            self.kind = kind
            self.limits = limits
            phase = kind == .request ? .startLine : .idle
        }
    }
}

extension HTTP1.MessageReader {
    /// Whether the next byte would begin a message.
    var isBetweenMessages: Bool {
        switch phase {
        case .idle: true
        case .startLine: !line.isInside
        default: false
        }
    }

    /// Whether no message is expected, so that bytes that arrive now have no meaning.
    var isIdle: Bool {
        if case .idle = phase { true } else { false }
    }

    /// The minor version of the message that is read.
    var version: HTTP1.MinorVersion { request?.version ?? response?.version ?? 1 }

    /// Whether the peer keeps the connection open after this message (RFC 9112 §9.3).
    var peerKeepsAlive: Bool {
        guard framing != .untilClose, !connection.asksToClose else { return false }
        return version == 1 || connection.asksToKeepAlive
    }

    /// Prepares to read the next message.
    mutating func begin(answering method: String = "") {
        answeredMethod = method
        interimCount = 0
        beginHead()
    }

    private mutating func beginHead() {
        head = HeaderList()
        fields = HeaderList()
        trailers = HeaderList()
        fieldsByteCount = 0
        connection = HTTP1.ConnectionFields()
        request = nil
        response = nil
        framing = .none
        phase = .startLine
    }

    /// Reads on from `offset`. Returns nil when all bytes were read, or the reader is idle.
    mutating func next(
        in bytes: Span<UInt8>, at offset: inout Int
    ) throws(HTTP1Error) -> HTTP1.Event? {
        while true {
            switch phase {
            case .idle: return nil
            case .startLine:
                guard try readStartLine(bytes, &offset) else { return nil }
                phase = .fields
            case .fields:
                guard try readFields(bytes, &offset) else { return nil }
                if try finishHead() { return .head }
            case .sized(let left):
                let count = Int(min(left, UInt64(bytes.count - offset)))
                guard count > 0 else { return nil }
                return content(bytes.count, &offset, count, left: left - UInt64(count))
            case .chunks:
                switch try chunks.next(in: bytes, at: &offset, limits) {
                case nil: return nil
                case .content(let range): return .body(range)
                case .end: phase = .trailers
                }
            case .trailers:
                guard try readFields(bytes, &offset) else { return nil }
                phase = .complete
            case .untilClose:
                guard offset < bytes.count else { return nil }
                let range = offset..<bytes.count
                offset = bytes.count
                return .body(range)
            case .complete:
                phase = .idle
                return .end
            }
        }
    }

    /// Handles that the peer has closed its direction. Throws if a message is incomplete.
    mutating func end() throws(HTTP1Error) -> HTTP1.Event? {
        switch phase {
        case .untilClose, .complete:
            phase = .idle
            return .end
        case .idle: return nil
        case .startLine where kind == .request && !line.isInside:
            phase = .idle
            return nil
        case .startLine where !line.isInside:
            throw HTTP1Error("the peer closed the connection before it answered")
        case .startLine, .fields:
            throw HTTP1Error("the peer closed the connection inside the head of a message")
        case .sized(let left):
            throw HTTP1Error(
                "the peer closed the connection with \(left) bytes of the body missing")
        case .chunks, .trailers:
            throw HTTP1Error("the peer closed the connection inside a chunked body")
        }
    }

    private mutating func content(
        _ total: Int, _ offset: inout Int, _ count: Int, left: UInt64
    ) -> HTTP1.Event {
        let range = offset..<offset + count
        offset += count
        phase = left == 0 ? .complete : .sized(left: left)
        return .body(range)
    }
}

// MARK: - The head

extension HTTP1.MessageReader {
    private mutating func readStartLine(
        _ bytes: Span<UInt8>, _ offset: inout Int
    ) throws(HTTP1Error) -> Bool {
        while true {
            guard
                try line.next(
                    in: bytes, at: &offset, upTo: limits.maxStartLineByteCount,
                    "the first line of a message")
            else { return false }
            // RFC 9112 §2.2: a server ignores an empty line before a request.
            guard kind == .request, line.line.isEmpty, !skippedEmptyLine else { break }
            skippedEmptyLine = true
        }
        skippedEmptyLine = false
        if kind == .request {
            request = try HTTP1.StartLine.request(line.line)
        } else {
            response = try HTTP1.StartLine.response(line.line)
        }
        return true
    }

    /// Reads field lines up to the empty line.
    private mutating func readFields(
        _ bytes: Span<UInt8>, _ offset: inout Int
    ) throws(HTTP1Error) -> Bool {
        while try line.next(
            in: bytes, at: &offset, upTo: limits.maxFieldsByteCount, "a field line")
        {
            guard !line.line.isEmpty else { return true }
            fieldsByteCount += line.line.count + 32
            guard fieldsByteCount <= limits.maxFieldsByteCount else {
                throw HTTP1Error(
                    "the fields of the message exceed \(limits.maxFieldsByteCount) bytes",
                    status: 431)
            }
            if case .trailers = phase {
                try HTTP1.FieldLine.readTrailer(line.line, into: &trailers)
            } else {
                try HTTP1.FieldLine.read(line.line, into: &fields, &connection)
            }
        }
        return false
    }

    /// Processes a head whose fields were all read. Returns false for an interim response, because
    /// another head follows it.
    private mutating func finishHead() throws(HTTP1Error) -> Bool {
        fieldsByteCount = 0
        if let request {
            head = try HTTP1.head(of: request, fields, connection)
            framing = try HTTP1.requestFraming(connection, version: version)
        } else if let response {
            guard try !isInterim(response) else { return false }
            head = HTTP1.head(of: response, fields)
            framing = try HTTP1.responseFraming(
                connection, response, answering: answeredMethod)
        }
        switch framing {
        case .none, .sized(0): phase = .complete
        case .sized(let byteCount): phase = .sized(left: byteCount)
        case .chunked:
            chunks = HTTP1.ChunkReader()
            phase = .chunks
        case .untilClose: phase = .untilClose
        }
        return true
    }

    /// Whether the response is interim (1xx), so that the reader skips it. Throws for 101, and if
    /// there are too many interim responses.
    private mutating func isInterim(
        _ response: HTTP1.StartLine.Response
    ) throws(HTTP1Error) -> Bool {
        guard response.status < 200 else { return false }
        guard response.status != 101 else {
            throw HTTP1Error("the server switched to another protocol, which was not requested")
        }
        interimCount += 1
        guard interimCount <= limits.maxInterimCount else {
            throw HTTP1Error(
                "the server sent more than \(limits.maxInterimCount) interim responses")
        }
        beginHead()
        return true
    }
}
