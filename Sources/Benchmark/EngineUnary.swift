import SwiftletTransport

/// Measures a unary exchange between a client's and a server's engine that are connected directly.
enum EngineUnary {
    static func run(into report: inout Report) {
        var exchange = Exchange()
        for _ in 0..<1_000 { exchange.turn() }
        let nanoseconds = medianNanoseconds { exchange.turn() }
        report.add("unary-in-memory", nanoseconds, "ns", note: "both sides")

        let turns = 10_000
        let allocations = AllocationCount.measure { for _ in 0..<turns { exchange.turn() } }
        guard let allocations else { return }
        report.add(
            "unary-in-memory-allocations", Double(allocations) / Double(turns), "allocations",
            note: "both sides")
    }

    static let request = PreparedHeaders(
        HeaderList([
            (":method", "POST"), (":scheme", "http"), (":path", "/helloworld.Greeter/SayHello"),
            (":authority", "localhost:50051"), ("te", "trailers"),
            ("content-type", "application/grpc"), ("user-agent", "grpc-swift-swiftlet/0.1.0"),
        ]))

    fileprivate static let response = PreparedHeaders(
        HeaderList([(":status", "200"), ("content-type", "application/grpc")]))

    fileprivate static let trailers = PreparedHeaders(HeaderList([("grpc-status", "0")]))

    private struct Exchange: ~Copyable {
        private var client: EngineEnd
        private var server: EngineEnd
        private let message = [UInt8](repeating: 5, count: 60)
        private var place = [UInt8]()
        private let noFields = HeaderList()

        init() {
            let now = MonotonicInstant.now
            client = EngineEnd(.client, now: now)
            server = EngineEnd(.server, now: now)
            place.reserveCapacity(1_024)
        }

        /// Request headers, a message, response headers, a message, trailers.
        mutating func turn() {
            let before = place.count
            do throws(Connection.OpenRefusal) {
                let call = try client.connection.openStream(request, noFields, endStream: false)
                _ = client.connection.sendData(message, on: call, endStream: true)
            } catch {
                preconditionFailure("the engine refuses: \(error)")
            }
            if client.carry(to: &server, &place) { answer() }
            // Receivers may have queued WINDOW_UPDATE frames, so this repeats until neither side
            // has output.
            while server.connection.hasOutput || client.connection.hasOutput {
                _ = server.carry(to: &client, &place)
                if client.carry(to: &server, &place) { answer() }
            }
            precondition(place.count == before + 2 * message.count)
            place.removeAll(keepingCapacity: true)
        }

        private mutating func answer() {
            guard let call = server.ended else { return }
            server.ended = nil
            _ = server.connection.sendHeaders(response, noFields, on: call, endStream: false)
            _ = server.connection.sendData(message, on: call, endStream: false)
            _ = server.connection.sendHeaders(trailers, noFields, on: call, endStream: true)
        }
    }
}

extension EngineEnd {
    /// Passes the pending output to `other`, in one piece. Returns whether it completed a request there.
    fileprivate mutating func carry(to other: inout EngineEnd, _ place: inout [UInt8]) -> Bool {
        connection.takeOutput(into: &output)
        output.withFirstPiece { bytes in
            var offset = 0
            while let event = other.connection.receive(bytes, at: &offset, now: other.now) {
                guard case .data(let handle, let range, let endStream) = event else { continue }
                place.append(copying: bytes.extracting(range))
                other.connection.consumed(handle, by: range.count, now: other.now)
                if endStream { other.ended = handle }
            }
        }
        output.removeAll()
        return other.ended != nil
    }
}
