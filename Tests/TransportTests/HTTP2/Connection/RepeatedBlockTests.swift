import Testing

@testable import SwiftletTransport

@Suite("A header block that repeats")
struct RepeatedBlockTests {
    /// A client with open streams, and the blocks that arrive on them one after the other.
    private struct Trial: ~Copyable {
        var client = Endpoint.client()
        private var stream: UInt32 = 1

        init() throws { for _ in 0..<16 { _ = try client.open() } }

        /// Receives a header block. Returns the lines of its list and the list's `receivedHeadersID`; two
        /// nils if no list was received.
        mutating func receive(_ block: [UInt8], ends: Bool = false) -> ([String]?, UInt64?) {
            let count = client.headers.count
            client.receive(
                Raw.frame(
                    Raw.headers, Raw.endHeaders | (ends ? Raw.endStream : 0), on: stream, block))
            if ends || stream == 0 { stream += 2 }
            guard client.headers.count > count else { return (nil, nil) }
            return (client.headers.last?.lines, client.connection.receivedHeadersID)
        }

        mutating func respond(_ block: [UInt8]) -> ([String]?, UInt64?) {
            defer { stream += 2 }
            return receive(block)
        }
    }

    /// `:status: 200` and the newest field of the dynamic table.
    private static let newest: [UInt8] = [0x88, 0xbe]

    private static func inserting(_ name: String, _ value: String) -> [UInt8] {
        [0x88, 0x40] + Raw.literal(name, value).dropFirst()
    }

    @Test("is the same list, recognised from the third time on")
    func known() throws {
        var trial = try Trial()
        let block = Raw.responseBlock + Raw.literal("x", "y")
        var ids: [UInt64?] = []
        for _ in 0..<4 {
            let (lines, id) = trial.respond(block)
            #expect(lines == [":status: 200", "x: y"])
            ids.append(id)
        }
        #expect(ids == [nil, nil, ids[3], ids[3]] && ids[3] != nil)
        let (other, otherID) = trial.respond(Raw.responseBlock + Raw.literal("x", "z"))
        #expect(other == [":status: 200", "x: z"] && otherID == nil)
        let (again, id) = trial.respond(block)
        #expect(again == [":status: 200", "x: y"] && id == ids[3])
    }

    @Test("is remembered up to 128 bytes, with a list of up to 1,024 bytes")
    func limits() throws {
        /// `accept-encoding: gzip, deflate` of the static table: 60 bytes in the list.
        let listed = Raw.responseBlock + [UInt8](repeating: 0x90, count: 15)
        for (prefix, byteCount) in [(Raw.responseBlock, 123), (listed, 49)] {
            for isAbove in [false, true] {
                var trial = try Trial()
                let value = String(repeating: "v", count: byteCount + (isAbove ? 1 : 0))
                let block = prefix + Raw.literal("x", value)
                for _ in 0..<2 { _ = trial.respond(block) }
                let (lines, id) = trial.respond(block)
                #expect(lines?.last == "x: " + value)
                #expect((id == nil) == isAbove)
            }
        }
    }

    @Test("has an identifier of its own")
    func identifiers() throws {
        var trial = try Trial()
        var ids: [UInt64?] = []
        for value in ["y", "z"] {
            let block = Raw.responseBlock + Raw.literal("x", value)
            for _ in 0..<2 { _ = trial.respond(block) }
            ids.append(trial.respond(block).1)
        }
        #expect(ids[0] != nil && ids[1] != nil && ids[0] != ids[1])
    }

    @Test("has another meaning when the table has changed")
    func tableChanged() throws {
        var trial = try Trial()
        _ = trial.respond(Self.inserting("a", "1"))
        for _ in 0..<4 {
            let (lines, _) = trial.respond(Self.newest)
            #expect(lines == [":status: 200", "a: 1"])
        }
        _ = trial.respond(Self.inserting("b", "2"))
        let (lines, id) = trial.respond(Self.newest)
        #expect(lines == [":status: 200", "b: 2"] && id == nil)
    }

    @Test("is refused when a field that it names was evicted")
    func evicted() throws {
        var trial = try Trial()
        _ = trial.respond(Self.inserting("a", "1"))
        for _ in 0..<4 { _ = trial.respond(Self.newest) }
        let (resized, _) = trial.respond([0x20, 0x88])
        #expect(resized == [":status: 200"])
        let (lines, _) = trial.respond(Self.newest)
        #expect(lines == nil)
        let hasFailed = trial.client.connection.hasFailed
        #expect(hasFailed)
    }

    @Test("is decoded again when a field fits the table that did not fit before")
    func tableGrown() throws {
        var trial = try Trial()
        _ = trial.respond([0x20, 0x88])
        for _ in 0..<4 {
            let (lines, _) = trial.respond(Self.inserting("a", "1"))
            #expect(lines == [":status: 200", "a: 1"])
        }
        _ = trial.respond([0x3f, 0xe1, 0x1f, 0x88])
        let (lines, id) = trial.respond(Self.inserting("a", "1"))
        #expect(lines == [":status: 200", "a: 1"] && id == nil)
        let (newest, _) = trial.respond(Self.newest)
        #expect(newest == [":status: 200", "a: 1"])
    }

    @Test("is refused when a change of the table's size is due")
    func sizeUpdateDue() throws {
        var configuration = ConnectionConfiguration(.client)
        configuration.decoderTableByteCount = 0
        var client = Endpoint(configuration)
        client.receive(Raw.settings())
        for _ in 0..<5 { _ = try client.open() }
        for stream: UInt32 in [1, 3, 5, 7] { client.receive(Raw.response(stream)) }
        let id = client.connection.receivedHeadersID
        #expect(id != nil)
        client.receive(Raw.settingsAck)
        client.receive(Raw.response(9))
        let hasFailed = client.connection.hasFailed
        #expect(hasFailed)
    }

    @Test("as trailers is no response, and vice versa")
    func otherKind() throws {
        var trial = try Trial()
        for _ in 0..<3 {
            _ = trial.receive(Raw.responseBlock)
            let (lines, _) = trial.receive(Raw.trailersBlock, ends: true)
            #expect(lines == ["grpc-status: 0"])
        }
        let (response, _) = trial.respond(Raw.trailersBlock)
        #expect(response == nil)
        _ = trial.receive(Raw.responseBlock)
        let (trailers, _) = trial.receive(Raw.responseBlock, ends: true)
        #expect(trailers == nil)
        let events = trial.client.takeEvents()
        let failures = events.filter { if case .streamFailed = $0 { true } else { false } }
        #expect(failures.count == 2)
        let hasFailed = trial.client.connection.hasFailed
        #expect(!hasFailed)
    }

    @Test("with a content-length is checked every time")
    func contentLength() throws {
        var trial = try Trial()
        let block = Raw.responseBlock + Raw.literal("content-length", "3")
        for _ in 0..<4 {
            let (_, id) = trial.receive(block)
            #expect(id == nil)
            let (lines, _) = trial.receive(Raw.trailersBlock, ends: true)
            #expect(lines == nil, "no byte of the three has come")
        }
    }

    @Test(
        "has the same meaning as if it were decoded, after any other blocks",
        arguments: UInt64(1)...20)
    func random(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var pair = EnginePair()
        pair.settle()
        var knownCount = 0
        for _ in 0..<300 {
            let call = try pair.client.connection.openStream(nil, .request, endStream: true)
            pair.settle()
            guard case .headers(let served, _, _) = pair.server.takeEvents().last else {
                Issue.record("no request came")
                return
            }
            var response = HeaderList.response
            let indexing: HeaderList.Indexing = Bool.random(using: &generator) ? .indexed : .never
            if Int.random(in: 0..<8, using: &generator) == 0 {
                response.append(
                    "x", "\(Int.random(in: 0..<200, using: &generator))", indexing)
            }
            for (list, ends) in [(response, false), (HeaderList.trailers, true)] {
                _ = pair.server.connection.sendHeaders(nil, list, on: served, endStream: ends)
                pair.settle()
                #expect(pair.client.headers.last?.lines == list.lines)
                if pair.client.connection.receivedHeadersID != nil { knownCount += 1 }
            }
            let last = pair.client.takeEvents().last
            #expect(last == .headers(call, .trailers, endStream: true))
        }
        #expect(knownCount > 100)
    }
}
