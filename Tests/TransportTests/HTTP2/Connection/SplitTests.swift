import Testing

@testable import SwiftletTransport

@Suite("The same bytes, cut in any way,")
struct SplitTests {
    /// Everything that a test can observe of an endpoint.
    private struct Account: Equatable {
        var events: [String]
        var bodies: [StreamHandle: [UInt8]]
        var headers: [[String]]
        var output: [UInt8]
    }

    /// Many kinds of frames for a client with four open streams, good ones and bad ones.
    private static let dialogue: [UInt8] = [
        Raw.settings((4, 100_000), (99, 1)), Raw.settingsAck, Raw.response(1),
        Raw.data(1, [1, 2, 3]), Raw.frame(Raw.ping, Raw.word(1) + Raw.word(2)),
        Raw.frame(
            Raw.headers, Raw.padded, on: 3, [2] + Raw.responseBlock.prefix(1) + [0, 0]),
        Raw.frame(Raw.continuation, Raw.endHeaders, on: 3, Raw.literal("a", "b")),
        Raw.data(3, [UInt8](repeating: 9, count: 20_00)), Raw.frame(0xee, [1, 2]),
        Raw.frame(Raw.data, Raw.padded, on: 3, [3, 7, 7, 0, 0, 0]), Raw.windowUpdate(5, 0),
        Raw.trailers(1), Raw.frame(Raw.priority, on: 3, Raw.word(1) + [0]),
        Raw.frame(Raw.reset, on: 7, Raw.word(2)), Raw.data(3, [], ends: true),
        Raw.goAway(last: 7), Raw.windowUpdate(0, 77), Raw.data(0, [1]), Raw.response(1),
    ].flatMap { $0 }

    private static func account(_ pieces: [ArraySlice<UInt8>]) throws -> Account {
        var client = Endpoint(.init(.client), now: start)
        client.receive(Raw.settings())
        _ = client.takeEvents()
        for _ in 0..<4 { _ = try client.open() }
        for piece in pieces { client.receive(Array(piece)) }
        return Account(
            events: client.takeEvents().map(String.init(describing:)).map(withoutRange),
            bodies: client.bodies, headers: client.headers.map(\.lines), output: client.output())
    }

    private static let start = MonotonicInstant.now

    /// Removes the range of a DATA event, because its place depends on how the input was cut.
    private static func withoutRange(_ event: String) -> String {
        guard event.contains("data("), let range = event.firstRange(of: "Range(") else {
            return event
        }
        return String(event[..<range.lowerBound])
    }

    @Test("one by one or at once, have the same effect")
    func byteByByte() throws {
        let bytes = Self.dialogue
        let whole = try Self.account([bytes[...]])
        let single = try Self.account(bytes.indices.map { bytes[$0...$0] })
        #expect(whole == single)
        #expect(whole.events.count == 11, "the dialogue is taken in to its end")
    }

    @Test("at random, have the same effect", arguments: UInt64(1)...40)
    func random(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let bytes = Self.dialogue
        var pieces: [ArraySlice<UInt8>] = []
        var offset = 0
        while offset < bytes.count {
            let count = Int.random(in: 1...(seed % 2 == 0 ? 30 : 700), using: &generator)
            pieces.append(bytes[offset..<min(bytes.count, offset + count)])
            offset += count
        }
        let whole = try Self.account([bytes[...]])
        let cut = try Self.account(pieces)
        #expect(whole == cut)
    }

    @Test("also with a request to a server, have the same effect")
    func server() {
        let bytes =
            Raw.magic + Raw.settings() + Raw.settingsAck + Raw.request(1) + Raw.data(1, [1, 2, 3])
            + Raw.trailers(1) + Raw.request(3, ends: true)
        var whole = Endpoint(.init(.server), now: Self.start)
        whole.receive(bytes)
        var single = Endpoint(.init(.server), now: Self.start)
        for byte in bytes { single.receive([byte]) }
        #expect(whole.headers.map(\.lines) == single.headers.map(\.lines))
        #expect(whole.bodies == single.bodies)
        #expect(whole.events.count == 5 && single.events.count == 5)
        let first = whole.output()
        let second = single.output()
        #expect(first == second)
    }
}
