@testable import SwiftletTransport

/// One engine as a test drives it: events are collected, and bodies copied out of the input.
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
    /// Takes in octets as a socket would bring them.
    mutating func receive(_ octets: [UInt8], consuming: Bool = true) {
        pending += octets
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

    /// Everything that lies ready to be written, as one run of octets.
    mutating func output() -> [UInt8] {
        var octets: [UInt8] = []
        while connection.hasOutput {
            var list = GatherList()
            connection.takeOutput(into: &list)
            octets += list.octets
        }
        return octets
    }

    /// The events since the last call.
    mutating func takeEvents() -> [Connection.Event] {
        while let event = connection.nextEvent() { events.append(event) }
        defer { events = [] }
        return events
    }
}

/// A client and a server engine with nothing between them.
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

    /// Carries octets to and fro until both sides are silent.
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

    /// What the list says, as a person would write it.
    var lines: [String] { fields.map { "\(name(of: $0)): \(value(of: $0))" } }

    static let request = HeaderList([
        ":method": "POST", ":scheme": "http", ":path": "/a.B/C", ":authority": "localhost",
        "te": "trailers", "content-type": "application/grpc",
    ])

    static let response = HeaderList([":status": "200", "content-type": "application/grpc"])

    static let trailers = HeaderList(["grpc-status": "0"])
}
