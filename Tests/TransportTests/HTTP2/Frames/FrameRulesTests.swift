import Testing

@testable import SwiftletTransport

@Suite("A frame, by the rules of RFC 9113 §4 and §6")
struct FrameRulesTests {
    /// Bytes for a connection with two streams. Stream 1 is open in both directions, and its
    /// headers have arrived. Stream 3 is open for a client and idle for a server.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var verdict: Verdict
        var roles: [Role]

        init(
            _ description: String, _ bytes: [UInt8], _ verdict: Verdict,
            _ roles: [Role] = [.client, .server]
        ) {
            testDescription = description
            self.bytes = bytes
            self.verdict = verdict
            self.roles = roles
        }
    }

    private static let protocolError = Verdict.connection(.protocolError)
    private static let sizeError = Verdict.connection(.frameSizeError)
    private static let priorityOfSelf = Raw.word(1) + [0]

    static let dataCases = [
        Case("DATA", Raw.data(1, [1, 2]), .accepted),
        Case("DATA with END_STREAM", Raw.data(1, [1], ends: true), .accepted),
        Case("DATA on stream 0", Raw.data(0, [1]), protocolError),
        Case("DATA on an idle stream", Raw.data(9, [1]), protocolError),
        Case("DATA on an even stream", Raw.data(2, [1]), protocolError),
        Case("DATA with padding", Raw.frame(Raw.data, Raw.padded, on: 1, [1, 7, 0]), .accepted),
        Case("DATA of padding", Raw.frame(Raw.data, Raw.padded, on: 1, [2, 0, 0]), .accepted),
        Case(
            "DATA with 255 bytes of padding",
            Raw.frame(Raw.data, Raw.padded, on: 1, [255] + [UInt8](repeating: 0, count: 255)),
            .accepted),
        Case(
            "DATA with padding as long as itself",
            Raw.frame(Raw.data, Raw.padded, on: 1, [3, 0, 0]), protocolError),
        Case("DATA without its pad length", Raw.frame(Raw.data, Raw.padded, on: 1), sizeError),
        Case(
            "DATA after END_STREAM", Raw.data(1, [], ends: true) + Raw.data(1, [1]),
            .stream(.streamClosed)),
        Case("DATA with unknown flags", Raw.frame(Raw.data, 0xf6, on: 1, [1]), .accepted),
        Case(
            "DATA as large as agreed", Raw.data(1, [UInt8](repeating: 0, count: 16_384)), .accepted),
        Case(
            "DATA larger than agreed, by its header alone", [0, 0x40, 1, 0, 0, 0, 0, 0, 1],
            sizeError),
        Case("DATA before HEADERS", Raw.data(3, [1]), .stream(.protocolError), [.client]),
    ]

    static let headersCases = [
        Case("trailers", Raw.trailers(1), .accepted),
        Case("a second header block", Raw.response(1), .stream(.protocolError), [.client]),
        Case("HEADERS on stream 0", Raw.trailers(0), protocolError),
        Case("HEADERS of a client's idle stream", Raw.response(9), protocolError, [.client]),
        Case("HEADERS of a new stream", Raw.request(3), .accepted, [.server]),
        Case("HEADERS of an even stream", Raw.request(4), protocolError),
        Case(
            "HEADERS of an older idle stream", Raw.request(7) + Raw.request(5, ends: true),
            protocolError, [.server]),
        Case("HEADERS after END_STREAM", Raw.trailers(1) + Raw.trailers(1), .stream(.streamClosed)),
        Case(
            "HEADERS with padding and priority",
            Raw.frame(
                Raw.headers, Raw.endHeaders | Raw.endStream | Raw.padded | Raw.hasPriority, on: 1,
                [2] + Raw.word(0) + [15] + Raw.trailersBlock + [0, 0]), .accepted),
        Case(
            "HEADERS that depend on themselves",
            Raw.frame(
                Raw.headers, Raw.endHeaders | Raw.endStream | Raw.hasPriority, on: 1,
                priorityOfSelf + Raw.trailersBlock), .accepted),
        Case(
            "HEADERS too short for their priority",
            Raw.frame(Raw.headers, Raw.endHeaders | Raw.hasPriority, on: 1, [0, 0, 0, 0]), sizeError
        ),
        Case(
            "HEADERS with too much padding",
            Raw.frame(Raw.headers, Raw.endHeaders | Raw.padded, on: 1, [9, 0]), protocolError),
        Case(
            "a block that HPACK cannot read",
            Raw.frame(Raw.headers, Raw.endHeaders | Raw.endStream, on: 1, [0x80]),
            .connection(.compressionError)),
        Case(
            "trailers with a pseudo-header", Raw.response(1, ends: true), .stream(.protocolError)),
        Case(
            "an upper-case name",
            Raw.frame(
                Raw.headers, Raw.endHeaders | Raw.endStream, on: 1, Raw.literal("Ab", "c")),
            .stream(.protocolError)),
        Case(
            "a field of HTTP/1.1 connections",
            Raw.frame(
                Raw.headers, Raw.endHeaders | Raw.endStream, on: 1,
                Raw.literal("connection", "close")), .stream(.protocolError)),
    ]

    static let streamControlCases = [
        Case("PRIORITY", Raw.frame(Raw.priority, on: 1, Raw.word(3) + [1]), .accepted),
        Case(
            "PRIORITY of an idle stream", Raw.frame(Raw.priority, on: 99, Raw.word(3) + [1]),
            .accepted),
        Case("PRIORITY on stream 0", Raw.frame(Raw.priority, Raw.word(3) + [1]), protocolError),
        Case(
            "PRIORITY of 4 bytes", Raw.frame(Raw.priority, on: 1, Raw.word(3)),
            .stream(.frameSizeError)),
        Case(
            "PRIORITY of 4 bytes on an idle stream", Raw.frame(Raw.priority, on: 99, Raw.word(3)),
            sizeError),
        Case(
            "PRIORITY that depends on itself", Raw.frame(Raw.priority, on: 1, priorityOfSelf),
            .accepted),
        Case("RST_STREAM", Raw.frame(Raw.reset, on: 1, Raw.word(8)), .accepted),
        Case(
            "RST_STREAM of an unknown code", Raw.frame(Raw.reset, on: 1, Raw.word(.max)), .accepted),
        Case("RST_STREAM on stream 0", Raw.frame(Raw.reset, Raw.word(8)), protocolError),
        Case(
            "RST_STREAM of an idle stream", Raw.frame(Raw.reset, on: 9, Raw.word(8)), protocolError),
        Case("RST_STREAM of 3 bytes", Raw.frame(Raw.reset, on: 1, [0, 0, 8]), sizeError),
        Case(
            "RST_STREAM twice",
            Raw.frame(Raw.reset, on: 1, Raw.word(8)) + Raw.frame(Raw.reset, on: 1, Raw.word(8)),
            .accepted),
        Case("WINDOW_UPDATE", Raw.windowUpdate(1, 1), .accepted),
        Case("WINDOW_UPDATE of the connection", Raw.windowUpdate(0, 1), .accepted),
        Case(
            "WINDOW_UPDATE with its reserved bit", Raw.windowUpdate(1, 0x8000_0001), .accepted),
        Case("WINDOW_UPDATE of zero", Raw.windowUpdate(1, 0), .stream(.protocolError)),
        Case(
            "WINDOW_UPDATE of zero, reserved bit set", Raw.windowUpdate(0, 1 << 31), protocolError),
        Case("WINDOW_UPDATE of an idle stream", Raw.windowUpdate(9, 1), protocolError),
        Case(
            "WINDOW_UPDATE of 5 bytes", Raw.frame(Raw.windowUpdate, on: 1, Raw.word(1) + [0]),
            sizeError),
        Case(
            "a stream's window above 2³¹−1", Raw.windowUpdate(1, 0x7fff_ffff),
            .stream(.flowControlError)),
        Case(
            "the connection's window above 2³¹−1", Raw.windowUpdate(0, 0x7fff_ffff),
            .connection(.flowControlError)),
        Case(
            "PUSH_PROMISE", Raw.frame(Raw.pushPromise, Raw.endHeaders, on: 1, Raw.word(2)),
            protocolError),
        Case("PUSH_PROMISE on stream 0", Raw.frame(Raw.pushPromise, Raw.word(2)), protocolError),
        Case("PUSH_PROMISE of 3 bytes", Raw.frame(Raw.pushPromise, on: 1, [0, 0, 2]), sizeError),
    ]

    static let connectionCases = [
        Case("SETTINGS", Raw.settings((4, 70_000), (1, 0)), .accepted),
        Case("SETTINGS with an unknown parameter", Raw.settings((200, .max)), .accepted),
        Case("SETTINGS on a stream", Raw.frame(Raw.settings, on: 1), protocolError),
        Case("SETTINGS of 5 bytes", Raw.frame(Raw.settings, [0, 4, 0, 0, 0]), sizeError),
        Case(
            "an acknowledgement with a payload",
            Raw.frame(Raw.settings, Raw.ack, Raw.setting(4, 1)), sizeError),
        Case("an acknowledgement of nothing", Raw.settingsAck, protocolError),
        Case("INITIAL_WINDOW_SIZE of 2³¹−1", Raw.settings((4, 0x7fff_ffff)), .accepted),
        Case(
            "INITIAL_WINDOW_SIZE of 2³¹", Raw.settings((4, 1 << 31)), .connection(.flowControlError)
        ),
        Case(
            "INITIAL_WINDOW_SIZE that overflows a stream's window",
            Raw.windowUpdate(1, 1000) + Raw.settings((4, 0x7fff_ffff)),
            .connection(.flowControlError)),
        Case("MAX_FRAME_SIZE of 16,383", Raw.settings((5, 16_383)), protocolError),
        Case("MAX_FRAME_SIZE of zero", Raw.settings((5, 0)), protocolError),
        Case("MAX_FRAME_SIZE of 2²⁴−1", Raw.settings((5, 0xff_ffff)), .accepted),
        Case("MAX_FRAME_SIZE of 2²⁴", Raw.settings((5, 1 << 24)), protocolError),
        Case("ENABLE_PUSH of 2", Raw.settings((2, 2)), protocolError),
        Case("ENABLE_PUSH of 1 from a server", Raw.settings((2, 1)), protocolError, [.client]),
        Case("ENABLE_PUSH of 1 from a client", Raw.settings((2, 1)), .accepted, [.server]),
        Case("ENABLE_PUSH of 0", Raw.settings((2, 0)), .accepted),
        Case(
            "SETTINGS of as many entries as fit", Raw.frame(Raw.settings, settingsOf(2_730)),
            .accepted),
        Case("PING", Raw.frame(Raw.ping, [1, 2, 3, 4, 5, 6, 7, 8]), .accepted),
        Case(
            "PING on a stream", Raw.frame(Raw.ping, on: 1, Raw.word(0) + Raw.word(0)), protocolError
        ),
        Case("PING of 7 bytes", Raw.frame(Raw.ping, [1, 2, 3, 4, 5, 6, 7]), sizeError),
        Case(
            "an answer to no PING", Raw.frame(Raw.ping, Raw.ack, Raw.word(0) + Raw.word(0)),
            .accepted),
        Case("GOAWAY", Raw.goAway(last: 1), .accepted),
        Case(
            "GOAWAY on a stream", Raw.frame(Raw.goAway, on: 1, Raw.word(0) + Raw.word(0)),
            protocolError),
        Case("GOAWAY of 7 bytes", Raw.frame(Raw.goAway, [0, 0, 0, 0, 0, 0, 0]), sizeError),
        Case(
            "GOAWAY with a higher stream than the last one",
            Raw.goAway(last: 1) + Raw.goAway(last: 3), protocolError),
        Case("a frame of an unknown type", Raw.frame(0xfa, 0xff, on: 77, [1, 2]), .accepted),
        Case(
            "a frame of an unknown type, too large", [0x40, 0, 1, 0xfa, 0, 0, 0, 0, 0], sizeError),
    ]

    private static func settingsOf(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { _ in Raw.setting(99, 0) }
    }

    @Test(
        "is accepted, or refused with the error that its rule requires",
        arguments: dataCases + headersCases + streamControlCases + connectionCases)
    func rules(_ testCase: Case) throws {
        for role in testCase.roles {
            var endpoint = try Self.endpoint(role)
            endpoint.receive(testCase.bytes)
            let verdict = endpoint.verdict()
            #expect(verdict == testCase.verdict, "as a \(role)")
            guard case .stream = verdict else { continue }
            // A stream error does not end the connection, which still answers a PING.
            endpoint.receive(Raw.frame(Raw.ping, Raw.word(4) + Raw.word(2)))
            let answer = endpoint.sentFrames().last
            #expect(answer?.type == Raw.ping && answer?.flags == Raw.ack)
        }
    }

    static func endpoint(_ role: Role) throws -> Endpoint {
        switch role {
        case .client:
            var endpoint = Endpoint.client()
            _ = try endpoint.open()
            _ = try endpoint.open()
            endpoint.receive(Raw.response(1))
            _ = endpoint.output()
            return endpoint
        case .server:
            var endpoint = Endpoint.server()
            endpoint.receive(Raw.request(1))
            _ = endpoint.output()
            return endpoint
        }
    }

    @Test(
        "Frames on stream 0 that need a stream are connection errors, not traps",
        arguments: [
            Raw.data, Raw.headers, Raw.priority, Raw.reset, Raw.pushPromise, Raw.continuation,
        ], [0, 4, 5, 8, 40])
    func streamZero(_ type: UInt8, _ byteCount: Int) throws {
        for role in [Role.client, .server] {
            for flags: UInt8 in [0, 0x2d] {
                var endpoint = try Self.endpoint(role)
                endpoint.receive(
                    Raw.frame(type, flags, [UInt8](repeating: 0, count: byteCount)))
                let verdict = endpoint.verdict()
                #expect(verdict == Self.protocolError)
            }
        }
    }

    @Test("255 bytes of padding do not overflow", arguments: 0...260)
    func padding(_ byteCount: Int) throws {
        var client = try Self.endpoint(.client)
        client.receive(
            Raw.frame(Raw.data, Raw.padded, on: 1, [255] + [UInt8](repeating: 1, count: byteCount)))
        let verdict = client.verdict()
        #expect(verdict == (byteCount < 255 ? Self.protocolError : .accepted))
        #expect(client.bodies.values.first?.count ?? 0 == max(0, byteCount - 255))
    }

    @Test("of SETTINGS counts in the order of its entries")
    func settingsInOrder() throws {
        var client = Endpoint.client()
        let prepared = PreparedHeaders(.request)
        let first = try client.connection.openStream(prepared, HeaderList(), endStream: true)
        client.connection.reset(first, .cancel)
        _ = client.output()
        // For a moment the server's table had no room, and evicted everything.
        client.receive(Raw.settings((1, 0), (1, 4_096)))
        _ = client.output()
        _ = try client.connection.openStream(prepared, HeaderList(), endStream: true)
        let block = client.sentFrames().last?.payload ?? []
        #expect(block.prefix(4) == [0x20, 0x3f, 0xe1, 0x1f], "two size updates, then literals")
        #expect(block.count > 30)
    }

    @Test(
        "must be SETTINGS when it is the first",
        arguments: [
            Raw.frame(Raw.ping, Raw.word(0) + Raw.word(0)), Raw.settingsAck, Raw.goAway(last: 0),
            Raw.frame(Raw.settings, on: 1), Array("HTTP/1.1 400 Bad Request".utf8),
            [UInt8](repeating: 0x16, count: 9),
        ])
    func first(_ bytes: [UInt8]) {
        var client = Endpoint(.init(.client))
        client.receive(bytes)
        let verdict = client.verdict()
        #expect(verdict == Self.protocolError)
        var server = Endpoint(.init(.server))
        server.receive(Raw.magic + bytes)
        let other = server.verdict()
        #expect(other == Self.protocolError)
    }

    @Test("follows the client's magic bytes, each of which counts", arguments: 0..<24)
    func magic(_ index: Int) {
        var server = Endpoint(.init(.server))
        var bytes = Raw.magic
        bytes[index] ^= 0x20
        server.receive(bytes)
        let verdict = server.verdict()
        #expect(verdict == Self.protocolError)
    }
}
