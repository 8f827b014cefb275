import Testing

@testable import SwiftletTransport

@Suite("A header block in several frames")
struct ContinuationTests {
    private static func start(_ block: [UInt8], ends: Bool = true) -> [UInt8] {
        Raw.frame(Raw.headers, ends ? Raw.endStream : 0, on: 1, block)
    }

    private static func more(
        _ block: [UInt8], last: Bool = false, on stream: UInt32 = 1
    ) -> [UInt8] {
        Raw.frame(Raw.continuation, last ? Raw.endHeaders : 0, on: stream, block)
    }

    @Test(
        "A block split by CONTINUATION inside a header name decodes",
        arguments: 0...(Raw.responseBlock + Raw.trailersBlock).count)
    func split(_ index: Int) throws {
        let block = Raw.responseBlock + Raw.trailersBlock
        var client = Endpoint.client()
        let call = try client.open(ends: true)
        client.receive(
            Self.start(Array(block[..<index])) + Self.more([])
                + Self.more(Array(block[index...]), last: true))
        let events = client.takeEvents()
        #expect(events == [.headers(call, .initial, endStream: true)])
        #expect(client.headers.map(\.lines) == [[":status: 200", "grpc-status: 0"]])
    }

    @Test("may arrive in as many frames as it has bytes")
    func manyFrames() throws {
        let block = Raw.responseBlock + Raw.literal("x-long", String(repeating: "v", count: 120))
        var client = Endpoint.client()
        let call = try client.open(ends: true)
        client.receive(Self.start([]))
        for byte in block { client.receive(Self.more([byte])) }
        client.receive(Self.more([], last: true))
        let events = client.takeEvents()
        #expect(events == [.headers(call, .initial, endStream: true)])
    }

    @Test("ends in ENHANCE_YOUR_CALM when it exceeds the limit")
    func largeForEver() throws {
        var client = Endpoint.client()
        _ = try client.open(ends: true)
        client.receive(Self.start(Raw.responseBlock))
        var byteCount = 0
        while byteCount < 1 << 20, !client.connection.hasFailed {
            client.receive(Self.more([UInt8](repeating: 0, count: 1_024)))
            byteCount += 1_024
        }
        let verdict = client.verdict()
        #expect(verdict == .connection(.enhanceYourCalm))
        #expect(byteCount == client.connection.configuration.limits.headerBlockByteCount)
    }

    @Test(
        "with empty CONTINUATION frames without end ends in ENHANCE_YOUR_CALM", arguments: [8, 9])
    func endless(_ count: Int) throws {
        var client = Endpoint.client()
        _ = try client.open(ends: true)
        client.receive(Self.start(Raw.responseBlock))
        for index in 1...count { client.receive(Self.more([], last: index == 8 && count == 8)) }
        let verdict = client.verdict()
        #expect(verdict == (count == 8 ? .accepted : .connection(.enhanceYourCalm)))
    }

    @Test(
        "allows no other frame in between, on any stream",
        arguments: [
            Raw.frame(Raw.ping, Raw.word(0) + Raw.word(0)), Raw.settings(), Raw.data(1, [1]),
            Raw.windowUpdate(0, 1), Raw.response(1), Raw.goAway(last: 0), Raw.frame(0xee, []),
            more([], last: true, on: 3),
        ])
    func interrupted(_ frame: [UInt8]) throws {
        var client = Endpoint.client()
        _ = try client.open(ends: true)
        _ = try client.open(ends: true)
        client.receive(Self.start(Raw.responseBlock) + frame)
        let verdict = client.verdict()
        #expect(verdict == .connection(.protocolError))
    }

    @Test("does not begin with CONTINUATION", arguments: [UInt32(0), 1, 9])
    func headless(_ stream: UInt32) throws {
        var client = Endpoint.client()
        _ = try client.open(ends: true)
        client.receive(Self.more(Raw.responseBlock, last: true, on: stream))
        let verdict = client.verdict()
        #expect(verdict == .connection(.protocolError))
    }

    @Test("accepts no CONTINUATION after its end")
    func afterEnd() throws {
        var client = Endpoint.client()
        _ = try client.open(ends: true)
        client.receive(Raw.response(1) + Self.more([], last: true))
        let verdict = client.verdict()
        #expect(verdict == .connection(.protocolError))
    }

    @Test(
        "A header too large for one frame is split, not refused",
        arguments: [16_000, 40_000, 65_000])
    func large(_ byteCount: Int) throws {
        var configuration = ConnectionConfiguration(.server)
        configuration.limits.headerListByteCount = 100_000
        var pair = EnginePair(server: configuration)
        pair.settle()
        var fields = HeaderList.request
        // Huffman coding does not make `~` shorter than eight bits.
        fields.append("x", String(repeating: "~", count: byteCount))
        _ = try pair.client.connection.openStream(nil, fields, endStream: true)
        let bytes = pair.client.output()
        let frames = SentFrame.all(in: bytes)
        #expect(frames.allSatisfy { $0.payload.count <= 16_384 })
        #expect(frames.dropFirst().allSatisfy { $0.type == Raw.continuation })
        #expect(frames.map { $0.flags & Raw.endHeaders != 0 }.filter { $0 } == [true])
        #expect(frames.last.map { $0.flags & Raw.endHeaders } == Raw.endHeaders)
        pair.server.receive(bytes)
        #expect(pair.server.headers.last?.lines == fields.lines)
    }

    @Test("Oversized headers refuse the stream and keep the connection")
    func oversized() throws {
        var client = Endpoint.client()
        _ = try client.open(ends: true)
        let next = try client.open(ends: true)
        // One field in the table, then a thousand times its index: 2.8 MB of headers in 4 KB.
        let field: [UInt8] = [0x40, 1, 0x61, 0x7f, 0x81, 0x15]
        let value = [UInt8](repeating: 0x62, count: 2_816)
        client.receive(
            Raw.frame(
                Raw.headers, Raw.endHeaders | Raw.endStream, on: 1,
                Raw.responseBlock + field + value + [UInt8](repeating: 0xbe, count: 1_000)))
        let verdict = client.verdict()
        #expect(verdict == .stream(.enhanceYourCalm))
        // The table was updated: the field can be named by its index.
        client.receive(
            Raw.frame(
                Raw.headers, Raw.endHeaders | Raw.endStream, on: 3, Raw.responseBlock + [0xbe]))
        let last = client.takeEvents().last
        #expect(last == .headers(next, .initial, endStream: true))
        #expect(client.headers.last?.bytes.count == 10 + 1 + 2_816)
    }
}
