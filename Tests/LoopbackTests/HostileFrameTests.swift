import Swiftlet
import SwiftletLoopback
import Testing

/// One violation by a server, and the expected outcome of the call, its connection and the other calls.
struct HostileCase: Sendable, CustomTestStringConvertible {
    let name: String
    let accepted: Set<Int>
    let connection: HostileRow.Connection
    let script: RawScript

    init(
        _ name: String, _ accepted: Set<Int>, _ connection: HostileRow.Connection,
        _ answer: @escaping RawScript.Answer
    ) {
        self.name = name
        self.accepted = accepted
        self.connection = connection
        script = RawScript(answer: answer)
    }

    /// Bytes that a server may not send during a call. The client must close the connection.
    static func fatal(_ name: String, _ bytes: [UInt8]) -> HostileCase {
        HostileCase(name, [13, 14], .closed) { connection, _ in try connection.send(bytes) }
    }

    var testDescription: String { name }

    /// On a kept connection, other calls must continue, too.
    func check(deadline: Duration? = nil) async throws {
        // Unless DEADLINE_EXCEEDED is expected, the deadline allows for a busy machine.
        let deadline = deadline ?? (accepted.contains(4) ? .seconds(2) : .seconds(120))
        let outcome = try await HostileTrial(script).run(deadline: deadline)
        #expect(accepted.contains(outcome.code), "\(outcome.code): \(outcome.reason)")
        switch connection {
        case .kept:
            #expect(outcome.isKept == true, "\(outcome.reason)")
            #expect(outcome.othersLive == true, "\(outcome.reason)")
        case .closed: #expect(outcome.isKept == false, "\(outcome.reason)")
        case .either: break
        }
    }
}

@Suite("Frames that a server may not send", .timeLimit(.minutes(5)))
struct HostileFrameTests {
    private typealias F = RawFrame

    private static let settings: [HostileCase] = [
        .fatal("SETTINGS of seven bytes", F.bytes(F.settings, [0, 1, 0, 0, 0, 0, 0])),
        .fatal("SETTINGS on a stream", F.bytes(F.settings, stream: 1)),
        .fatal(
            "an acknowledgement with content", F.bytes(F.settings, flags: 1, [0, 1, 0, 0, 0, 1])),
        .fatal("a window of 2³¹", F.settings([(4, 0x8000_0000)])),
        .fatal("frames of no byte", F.settings([(5, 0)])),
        .fatal("frames of 16,383 bytes", F.settings([(5, 16_383)])),
        .fatal("frames of 2²⁴ bytes", F.settings([(5, 1 << 24)])),
        .fatal("push of two", F.settings([(2, 2)])),
        .fatal("push from a server", F.settings([(2, 1)])),
    ]

    private static let connection: [HostileCase] = [
        .fatal("WINDOW_UPDATE of nothing on the connection", F.windowUpdate(0, 0)),
        .fatal("WINDOW_UPDATE of three bytes", F.bytes(F.windowUpdate, [0, 0, 1])),
        .fatal("WINDOW_UPDATE of an idle stream", F.windowUpdate(99, 1)),
        .fatal("WINDOW_UPDATE of an even stream", F.windowUpdate(2, 1)),
        .fatal("PING of seven bytes", F.bytes(F.ping, [1, 2, 3, 4, 5, 6, 7])),
        .fatal("PING on a stream", F.bytes(F.ping, stream: 1, [1, 2, 3, 4, 5, 6, 7, 8])),
        .fatal("RST_STREAM of three bytes", F.bytes(F.resetStream, stream: 1, [0, 0, 1])),
        .fatal("RST_STREAM of the connection", F.reset(0, 8)),
        .fatal("RST_STREAM of an idle stream", F.reset(99, 8)),
        .fatal("PRIORITY of the connection", F.bytes(F.priority, [0, 0, 0, 0, 1])),
        .fatal("GOAWAY of seven bytes", F.bytes(F.goAway, [0, 0, 0, 0, 0, 0, 0])),
        .fatal("GOAWAY on a stream", F.bytes(F.goAway, stream: 1, [0, 0, 0, 9, 0, 0, 0, 0])),
        .fatal("GOAWAY that takes one back", F.goAway(last: 5, 0) + F.goAway(last: 7, 0)),
        .fatal("DATA on an idle stream", F.bytes(F.data, stream: 99, [1])),
        .fatal("DATA on an even stream", F.bytes(F.data, stream: 2, [1])),
        .fatal("HEADERS on the connection", F.bytes(F.headers, flags: 4)),
        .fatal("HEADERS on an idle stream", F.bytes(F.headers, flags: 4, stream: 99)),
        .fatal("HEADERS on an even stream", F.bytes(F.headers, flags: 4, stream: 2)),
        .fatal("CONTINUATION of nothing", F.bytes(F.continuation, flags: 4, stream: 3, [0x88])),
        .fatal(
            "CONTINUATION of another stream",
            F.bytes(F.headers, stream: 3, [0x88]) + F.bytes(F.continuation, flags: 4, stream: 1)),
        .fatal(
            "PING within a header block",
            F.bytes(F.headers, stream: 3, [0x88])
                + F.bytes(F.ping, [1, 2, 3, 4, 5, 6, 7, 8])),
        .fatal("padding longer than DATA", F.bytes(F.data, flags: 8, stream: 3, [9, 1, 2])),
        .fatal("padding longer than HEADERS", F.bytes(F.headers, flags: 12, stream: 3, [9, 1])),
        .fatal("DATA without its padding's length", F.bytes(F.data, flags: 8, stream: 3)),
        .fatal("HEADERS without their priority", F.bytes(F.headers, flags: 0x24, stream: 3, [1])),
        .fatal("a frame of 2²⁴−1 bytes", F.bytes(F.data, stream: 3, length: 0xff_ffff)),
        .fatal("bytes that are no frames", Array(repeating: 0xff, count: 64)),
    ]

    private static let blocks: [HostileCase] = [
        ("a string that ends early", [0x00, 0x05, 0x61]),
        ("an integer without end", [0x00, 0x7f] + [UInt8](repeating: 0xff, count: 32)),
        ("an index of nothing", [0x80]),
        ("a table size behind a field", [0x88, 0x20]),
        ("a string that ends in the code's EOS", [0x00, 0x84, 0xff, 0xff, 0xff, 0xff, 0x00]),
        ("a string with a whole byte of padding", [0x00, 0x82, 0x1f, 0xff, 0x00]),
    ].map { name, block in
        .fatal("a header block with \(name)", F.bytes(F.headers, flags: 4, stream: 3, block))
    }

    @Test("end the connection", arguments: settings + connection + blocks)
    func fatal(row: HostileCase) async throws { try await row.check() }

    private static let streamErrors: [HostileCase] = [
        HostileCase("WINDOW_UPDATE of nothing", [13], .kept) { connection, stream in
            try connection.send(F.windowUpdate(stream, 0))
        },
        HostileCase("a stream's window above 2³¹−1", [13], .kept) { connection, stream in
            try connection.send(F.windowUpdate(stream, 0x7fff_ffff))
        },
        HostileCase("PRIORITY of four bytes", [13], .kept) { connection, stream in
            try connection.frame(F.priority, stream: stream, [0, 0, 0, 0])
        },
        // RFC 9113 §5.3.2 deprecates priorities, so this dependency is not an error.
        HostileCase("a stream that depends on itself", [0], .kept) { connection, stream in
            try connection.frame(
                F.priority, stream: stream, RawFrame.bigEndian(stream) + [1])
            try connection.reply(stream)
        },
        HostileCase("2,000 unknown settings", [0], .kept) { connection, stream in
            try connection.send(F.settings((0..<2_000).map { ($0 + 0x100, 1) }))
            try connection.reply(stream)
        },
        HostileCase("300 unknown frames in a reply", [0], .kept) { connection, stream in
            try connection.headers(stream)
            for _ in 0..<300 { try connection.frame(0xee, stream: stream, [1, 2, 3]) }
            try connection.message(stream, RawPeer.replyBody)
            try connection.trailers(stream)
        },
        HostileCase("DATA before HEADERS", [13], .kept) { connection, stream in
            try connection.message(stream, [1])
            try connection.reply(stream)
        },
    ]

    @Test("fail one call", arguments: streamErrors)
    func stream(row: HostileCase) async throws { try await row.check() }

    private static let harmless: [HostileCase] = [
        HostileCase("an answer to no PING", [0], .kept) { connection, stream in
            try connection.frame(F.ping, flags: 1, [1, 2, 3, 4, 5, 6, 7, 8])
            try connection.reply(stream)
        },
        HostileCase("a window that becomes negative", [0], .kept) { connection, stream in
            try connection.send(F.settings([(4, 0)]))
            try connection.reply(stream)
            try connection.send(F.settings([(4, 65_535)]))
        },
        HostileCase("PRIORITY of streams that are not open", [0], .kept) { connection, stream in
            try connection.frame(F.priority, stream: 2, [0, 0, 0, 0, 1])
            try connection.frame(F.priority, stream: 99, [0, 0, 0, 0, 1])
            try connection.reply(stream)
        },
        HostileCase("HEADERS with a priority", [0], .kept) { connection, stream in
            try connection.frame(
                F.headers, flags: F.endHeaders | F.hasPriority, stream: stream,
                [0, 0, 0, 0, 16] + RawHPACK.block(RawConnection.responseFields))
            try connection.message(stream, RawPeer.replyBody)
            try connection.trailers(stream)
        },
        HostileCase("flags that mean nothing", [0], .kept) { connection, stream in
            try connection.frame(
                F.headers, flags: F.endHeaders | 0xd2, stream: stream,
                RawHPACK.block(RawConnection.responseFields))
            try connection.frame(
                F.data, flags: 0xf6, stream: stream, RawPrefixed.bytes(RawPeer.replyBody))
            try connection.trailers(stream)
        },
        HostileCase("a reserved bit that is set", [0], .kept) { connection, stream in
            try connection.headers(stream | 0x8000_0000)
            try connection.message(stream | 0x8000_0000, RawPeer.replyBody)
            try connection.trailers(stream | 0x8000_0000)
        },
        HostileCase("one byte at a time", [0], .kept) { connection, stream in
            var bytes = RawFrame.bytes(
                F.headers, flags: F.endHeaders, stream: stream,
                RawHPACK.block(RawConnection.responseFields))
            bytes += F.bytes(F.data, stream: stream, RawPrefixed.bytes(RawPeer.replyBody))
            bytes += F.bytes(
                F.headers, flags: F.endHeaders | F.endStream, stream: stream,
                RawHPACK.block([("grpc-status", "0")]))
            for byte in bytes { try connection.send([byte]) }
        },
        HostileCase("RST_STREAM with NO_ERROR behind the answer", [0], .kept) {
            connection, stream in
            try connection.reply(stream)
            try connection.send(F.reset(stream, 0))
        },
        HostileCase("frames behind the end of the stream", [0], .either) { connection, stream in
            try connection.reply(stream)
            try connection.headers(stream)
            try connection.message(stream, [1])
            try connection.send(F.windowUpdate(stream, 1))
        },
    ]

    @Test("are distinguished from unusual frames that are allowed", arguments: harmless)
    func looksOdd(row: HostileCase) async throws { try await row.check() }

    @Test(
        "end the connection when they come before SETTINGS",
        arguments: [F.bytes(F.ping, [1, 2, 3, 4, 5, 6, 7, 8]), F.windowUpdate(0, 1), [0], []])
    func beforeSettings(bytes: [UInt8]) async throws {
        let script = RawScript(opening: { connection in
            try connection.send(bytes)
            try connection.close()
        })
        let trial = try HostileTrial(script)
        let outcome = try await trial.run(deadline: .seconds(120), holdsAnother: false)
        #expect([13, 14].contains(outcome.code), "\(outcome.reason)")
        // The channel may have reconnected by itself before the next call.
        #expect(trial.peer.connectionCount >= 2)
    }
}
