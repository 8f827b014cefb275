import SwiftletLoopback
import SwiftletTransport

/// One call of a client that uses the HTTP/2 engine, but does not follow gRPC's rules for headers and body.
struct RawClient {
    typealias Header = (name: String, value: String)

    var headers: [Header]
    /// The bytes of the DATA frame. Nil sends no DATA. The last frame of the request has END_STREAM.
    var body: [UInt8]?
    var trailers: [Header]?

    /// Returns the fields of the server's answer. Blocks the calling thread until the stream ends.
    func call(_ server: LoopbackServer) throws -> [String: String] {
        let wire = try server.makeRawConnection()
        var connection = Connection(ConnectionConfiguration(.client), now: .now)
        try sendRequest(on: &connection)
        var buffer = ReceiveBuffer()
        var answer: [String: String] = [:]
        while true {
            var output = GatherList()
            connection.takeOutput(into: &output)
            try wire.send(&output)
            try wire.receive(&buffer)
            var offset = 0
            let isOver = buffer.withUnread { bytes in
                while let event = connection.receive(bytes, at: &offset, now: .now) {
                    if Self.ends(event, connection, &answer) { return true }
                }
                return false
            }
            if isOver { return answer }
            buffer.consume(offset)
        }
    }

    private func sendRequest(on connection: inout Connection) throws {
        let stream = try connection.openStream(
            nil, Self.list(headers), endStream: body == nil && trailers == nil)
        if let body { _ = connection.sendData(body, on: stream, endStream: trailers == nil) }
        if let trailers {
            _ = connection.sendHeaders(nil, Self.list(trailers), on: stream, endStream: true)
        }
    }

    private static func ends(
        _ event: Connection.Event, _ connection: borrowing Connection,
        _ answer: inout [String: String]
    ) -> Bool {
        switch event {
        case .headers(_, _, let endStream):
            let list = connection.receivedHeaders
            for field in list.fields { answer[list.name(of: field)] = list.value(of: field) }
            return endStream
        case .data(_, _, let endStream): return endStream
        case .reset, .streamFailed, .failed: return true
        default: return false
        }
    }

    private static func list(_ headers: [Header]) -> HeaderList {
        var list = HeaderList()
        for header in headers { list.append(header.name, header.value) }
        return list
    }
}
