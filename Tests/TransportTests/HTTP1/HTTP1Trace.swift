import SwiftletHTTP1
import SwiftletTransport

/// The result that an HTTP/1.1 engine reads from some bytes. It must not depend on how the bytes
/// are split.
struct HTTP1Trace: Hashable {
    struct Message: Hashable {
        var head: [String] = []
        var body: [UInt8] = []
        var trailers: [String] = []
        var isComplete = false
    }

    var messages: [Message] = []
    var error: String?
    var status: Int?

    /// Reads responses to requests with the given methods.
    static func responses(
        _ pieces: [[UInt8]], to methods: [String] = ["GET"], thenEnd: Bool = true,
        _ limits: HTTP1Limits = HTTP1Limits()
    ) -> HTTP1Trace {
        var trace = HTTP1Trace()
        var connection = HTTP1.ClientConnection(limits)
        var methods = methods[...]
        do throws(HTTP1Error) {
            try trace.beginNext(&methods, &connection)
            for piece in pieces {
                var offset = 0
                while let event = try connection.receive(piece.span, at: &offset) {
                    trace.note(
                        event, piece, connection.receivedHead, connection.receivedTrailers)
                    if event == .end { try trace.beginNext(&methods, &connection) }
                }
            }
            if thenEnd, let event = try connection.receiveEnd() {
                trace.note(event, [], connection.receivedHead, connection.receivedTrailers)
            }
        } catch {
            trace.error = error.message
            trace.status = error.status
        }
        return trace
    }

    private func beginNext(
        _ methods: inout ArraySlice<String>, _ connection: inout HTTP1.ClientConnection
    ) throws(HTTP1Error) {
        guard let method = methods.popFirst(), connection.canBegin else { return }
        try connection.begin(.request(method, "/"), .none)
    }

    /// Reads requests, and answers each of them.
    static func requests(
        _ pieces: [[UInt8]], _ limits: HTTP1Limits = HTTP1Limits()
    ) -> HTTP1Trace {
        var trace = HTTP1Trace()
        var connection = HTTP1.ServerConnection(limits)
        do throws(HTTP1Error) {
            for piece in pieces {
                var offset = 0
                while let event = try connection.receive(piece.span, at: &offset) {
                    trace.note(
                        event, piece, connection.receivedHead, connection.receivedTrailers)
                    guard event == .end else { continue }
                    try connection.begin(.response(204), .none)
                    try connection.finish()
                }
            }
            try connection.receiveEnd()
        } catch {
            trace.error = error.message
            trace.status = error.status
        }
        return trace
    }

    private mutating func note(
        _ event: HTTP1.Event, _ piece: [UInt8], _ head: HeaderList, _ trailers: HeaderList
    ) {
        switch event {
        case .head: messages.append(Message(head: head.fieldLines))
        case .body(let range): messages[messages.count - 1].body += piece[range]
        case .end:
            messages[messages.count - 1].trailers = trailers.fieldLines
            messages[messages.count - 1].isComplete = true
        }
    }
}

extension HeaderList {
    static func request(_ method: String, _ path: String, _ fields: [String] = []) -> HeaderList {
        var list = HeaderList()
        list.append(":method", method)
        list.append(":scheme", "http")
        list.append(":path", path)
        list.append(":authority", "example.com")
        for field in fields { list.append(line: field) }
        return list
    }

    static func response(_ status: Int, _ fields: [String] = []) -> HeaderList {
        var list = HeaderList()
        list.append(":status", "\(status)")
        for field in fields { list.append(line: field) }
        return list
    }

    private mutating func append(line: String) {
        let parts = line.split(separator: ":", maxSplits: 1)
        append(String(parts[0]), String(parts[1].drop { $0 == " " }))
    }

    var fieldLines: [String] { fields.map { "\(name(of: $0)): \(value(of: $0))" } }
}

/// Every way to cut bytes in two, one byte at a time, and all at once.
func splits(of bytes: [UInt8]) -> [[[UInt8]]] {
    [[bytes], bytes.map { [$0] }]
        + bytes.indices.dropFirst().map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
}

/// The text with `\n` as CRLF.
func wire(_ text: String) -> [UInt8] {
    Array(text.utf8).flatMap { $0 == UInt8(ascii: "\n") ? [0x0d, 0x0a] : [$0] }
}
