// fuzz-modules: Transport HTTP1

// A libFuzzer target for HTTP/1.1 in both roles; `Tests/Fuzz/run` builds it.

@testable import SwiftletHTTP1
@testable import SwiftletTransport

/// Reads one input as responses and as requests, whole and in pieces.
///
/// libFuzzer keeps `bytes` alive for this call, and `count` bounds them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP1(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    HTTP1Fuzz.run(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

enum HTTP1Fuzz {
    /// The result that an engine reads from the bytes. It must not depend on how the bytes are
    /// split.
    private struct Reading: Equatable {
        var heads: [HeaderList] = []
        var body: [UInt8] = []
        var endCount = 0
        var error: String?
    }

    static func run(_ input: [UInt8]) {
        guard let choice = input.first else { return }
        let bytes = Array(input.dropFirst())
        let method = choice & 1 == 0 ? "GET" : "HEAD"
        let pieces = cut(bytes, Int(choice >> 1) + 1)
        precondition(responses([bytes], method) == responses(pieces, method))
        precondition(requests([bytes]) == requests(pieces))
    }

    private static func cut(_ bytes: [UInt8], _ byteCount: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: byteCount).map {
            Array(bytes[$0..<min($0 + byteCount, bytes.count)])
        }
    }

    private static func responses(_ pieces: [[UInt8]], _ method: String) -> Reading {
        var reading = Reading()
        var connection = HTTP1.ClientConnection()
        do throws(HTTP1Error) {
            try begin(method, &connection)
            for piece in pieces {
                var offset = 0
                while let event = try connection.receive(piece.span, at: &offset) {
                    note(event, piece, connection.receivedHead, &reading)
                    if event == .end, connection.canBegin { try begin(method, &connection) }
                }
                precondition(offset == piece.count, "a client reads all bytes")
            }
            if let event = try connection.receiveEnd() {
                note(event, [], connection.receivedHead, &reading)
            }
        } catch {
            precondition(!error.message.isEmpty)
            reading.error = error.message
        }
        return reading
    }

    private static func begin(
        _ method: String, _ connection: inout HTTP1.ClientConnection
    ) throws(HTTP1Error) {
        var head = HeaderList()
        head.append(":method", method)
        head.append(":path", "/")
        try connection.begin(head, .none)
    }

    private static func requests(_ pieces: [[UInt8]]) -> Reading {
        var reading = Reading()
        var connection = HTTP1.ServerConnection()
        do throws(HTTP1Error) {
            for piece in pieces {
                var offset = 0
                while let event = try connection.receive(piece.span, at: &offset) {
                    note(event, piece, connection.receivedHead, &reading)
                    if event == .end { try answer(&connection) }
                }
                precondition(offset == piece.count || connection.isClosed)
            }
            try connection.receiveEnd()
        } catch {
            precondition((400..<600).contains(error.status))
            reading.error = error.message
        }
        return reading
    }

    private static func answer(_ connection: inout HTTP1.ServerConnection) throws(HTTP1Error) {
        var head = HeaderList()
        head.append(":status", "200")
        try connection.begin(head, .sized(1))
        try connection.send([7])
        try connection.finish()
    }

    private static func note(
        _ event: HTTP1.Event, _ piece: [UInt8], _ head: HeaderList, _ reading: inout Reading
    ) {
        switch event {
        case .head: reading.heads.append(head)
        case .body(let range):
            precondition(!range.isEmpty)
            reading.body += piece[range]
        case .end: reading.endCount += 1
        }
    }
}
