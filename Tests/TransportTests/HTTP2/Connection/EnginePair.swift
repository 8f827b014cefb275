@testable import SwiftletTransport

/// An engine for tests: it collects events, and copies bodies out of the input.
struct Endpoint: ~Copyable {
    var connection: Connection
    var events: [Connection.Event] = []
    /// The body of each stream so far.
    var bodies: [StreamHandle: [UInt8]] = [:]
    /// The header lists that arrived, in order.
    var headers: [HeaderList] = []
    var now: MonotonicInstant
    private var pending: [UInt8] = []

    init(_ configuration: ConnectionConfiguration, now: MonotonicInstant = .now) {
        connection = Connection(configuration, now: now)
        self.now = now
    }
}

extension Endpoint {
    /// Receives bytes as from a socket.
    mutating func receive(_ bytes: [UInt8], consuming: Bool = true) {
        pending += bytes
        var offset = 0
        let input = pending
        while let event = connection.receive(input.span, at: &offset, now: now) {
            events.append(event)
            switch event {
            case .headers:
                headers.append(connection.receivedHeaders)
            case .data(let handle, let range, _):
                bodies[handle, default: []] += input[range]
                if consuming { connection.consumed(handle, by: range.count, now: now) }
            default:
                break
            }
        }
        pending.removeFirst(offset)
    }

    /// All pending output.
    mutating func output() -> [UInt8] {
        var bytes: [UInt8] = []
        while connection.hasOutput {
            var list = GatherList()
            connection.takeOutput(into: &list)
            bytes += list.bytes
        }
        return bytes
    }

    /// The events since the last call.
    mutating func takeEvents() -> [Connection.Event] {
        while let event = connection.nextEvent() { events.append(event) }
        defer { events = [] }
        return events
    }
}

/// A client engine and a server engine without a network between them.
struct EnginePair: ~Copyable {
    var client: Endpoint
    var server: Endpoint

    init(
        client: ConnectionConfiguration = .init(.client),
        server: ConnectionConfiguration = .init(.server)
    ) {
        let now = MonotonicInstant.now
        self.client = Endpoint(client, now: now)
        self.server = Endpoint(server, now: now)
    }

    /// Exchanges bytes until both sides have no output.
    mutating func settle(consuming: Bool = true) {
        while client.connection.hasOutput || server.connection.hasOutput {
            server.receive(client.output(), consuming: consuming)
            client.receive(server.output(), consuming: consuming)
        }
    }
}

extension HeaderList {
    init(_ fields: KeyValuePairs<String, String>) {
        self.init()
        for (name, value) in fields { append(name, value) }
    }

    /// The fields as text.
    var lines: [String] { fields.map { "\(name(of: $0)): \(value(of: $0))" } }

    static let request = HeaderList([
        ":method": "POST", ":scheme": "http", ":path": "/a.B/C", ":authority": "localhost",
        "te": "trailers", "content-type": "application/grpc",
    ])

    static let response = HeaderList([":status": "200", "content-type": "application/grpc"])

    static let trailers = HeaderList(["grpc-status": "0"])
}

extension Connection {
    /// The bytes that open streams have received and their readers have not consumed.
    var unreadByteCount: Int {
        streams.openSlots.reduce(0) { $0 + Int(streams[$1].receiveWindow.held) }
    }
}
