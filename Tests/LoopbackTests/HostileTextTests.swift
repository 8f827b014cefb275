import Swiftlet
import SwiftletCore
import SwiftletJSONRPC
import SwiftletLoopback
import Testing

/// Combining marks in text of a server. Once, each cost the event loop seconds.
@Suite("Text of a hostile server", .timeLimit(.minutes(5)))
struct HostileTextTests {
    /// 14 kB, not in the normal order.
    private static let marks = "a" + String(repeating: "\u{301}\u{316}", count: 3_500)

    /// A load report with one name of 300 marks for each number.
    private static func report(_ numbers: Range<Int>) -> [UInt8] {
        numbers.flatMap { number -> [UInt8] in
            let name = Array(("\(number)" + String(marks.unicodeScalars.prefix(300))).utf8)
            let low = UInt8(name.count & 0x7f) | 0x80
            let entry = [0x0a, low, UInt8(name.count >> 7)] + name
            return [0x42, UInt8(entry.count & 0x7f) | 0x80, UInt8(entry.count >> 7)] + entry
        }
    }

    private static func answering(
        _ name: String, _ accepted: Set<Int>, head: [RawHPACK.Field] = [],
        trailers: [RawHPACK.Field] = [], status: String = "0"
    ) -> HostileCase {
        HostileCase(name, accepted, .kept) { connection, stream in
            try connection.headers(stream, RawConnection.responseFields + head)
            try connection.message(stream, RawPeer.replyBody)
            try connection.trailers(stream, status: status, trailers)
        }
    }

    private static let rows = [
        answering("grpc-encoding", [12, 13], head: [("grpc-encoding", marks)]),
        answering("metadata", [0], head: [("x-marks", marks)], trailers: [("x-marks", marks)]),
        answering("grpc-message", [7], trailers: [("grpc-message", marks)], status: "7"),
        answering("grpc-status", [2], trailers: [("x", "y")], status: marks),
        answering(
            "grpc-retry-pushback-ms", [14], trailers: [("grpc-retry-pushback-ms", marks)],
            status: "14"),
        answering(
            "a load report", [0],
            trailers: [("endpoint-load-metrics-bin", Base64.encode(report(0..<16)))]),
        HostileCase("content-type", [2, 13], .kept) { connection, stream in
            try connection.headers(
                stream, [(":status", "200"), ("content-type", marks)], endStream: true)
        },
    ]

    @Test("ends one call as each header asks, and keeps the connection", arguments: rows)
    func headers(row: HostileCase) async throws { try await row.check() }

    @Test("does not touch the calls of another channel on the same queue", arguments: rows)
    func others(row: HostileCase) async throws {
        let hostile = try HostileTrial(row.script)
        hostile.peer.conduct = .misbehave
        try await honestCalls {
            _ = try? await hostile.channel.unary(
                HostileTrial.echo, [9], options: .with { $0.timeout = .seconds(120) })
        }
    }

    /// Makes calls to an honest server while `attack` runs again and again.
    private func honestCalls(during attack: @escaping @Sendable () async -> Void) async throws {
        let honest = try HostileTrial(.correct)
        honest.peer.conduct = .reply
        let attacks = Task { for _ in 0..<20 { await attack() } }
        for _ in 0..<100 {
            #expect(
                try await honest.channel.unary(HostileTrial.echo, [9]) == RawPeer.replyBody)
        }
        await attacks.value
    }

    @Test("of a status is received without its endless marks")
    func message() async throws {
        let row = Self.answering(
            "", [7], trailers: [("grpc-message", Self.marks)], status: "7")
        let trial = try HostileTrial(row.script)
        trial.peer.conduct = .misbehave
        let error = await #expect(throws: RPCError.self) {
            try await trial.channel.unary(HostileTrial.echo, [9])
        }
        #expect(error?.message.unicodeScalars.count == 31)
    }

    /// Fields of HTTP/1.1 that the client itself reads, and whether such a value is harmless.
    private static let fields = [
        ("Connection", marks, true), ("Connection", "close, \(marks)", true),
        ("Keep-Alive", marks, true), ("Expect", marks, false),
        ("Transfer-Encoding", marks, false), ("Transfer-Encoding", "chunked, \(marks)", false),
        ("Content-Length", marks, false), ("Content-Encoding", marks, true),
        ("Content-Type", marks, true), ("X-\(marks)", "a", false),
    ]

    private static func peer(_ name: String, _ value: String) throws -> RawHTTP1 {
        try RawHTTP1 { _, _ in ("HTTP/1.1 200 OK\n\(name): \(value)\n\nok", true) }
    }

    @Test("of HTTP/1.1 ends the request", arguments: fields)
    func http1(name: String, value: String, isHarmless: Bool) async throws {
        let peer = try Self.peer(name, value)
        let channel = try Channel(peer.target, version: .http1, credentials: .insecure)
        do {
            let answer = try await channel.request(.get, "/")
            #expect(isHarmless && answer.status == 200)
        } catch {
            #expect(!isHarmless && error.code == .internal, "\(error)")
        }
    }

    @Test(
        "of HTTP/1.1 does not touch the calls of another channel on the same queue",
        arguments: fields)
    func http1Others(name: String, value: String, isHarmless: Bool) async throws {
        let peer = try Self.peer(name, value)
        let channel = try Channel(peer.target, version: .http1, credentials: .insecure)
        try await honestCalls { _ = try? await channel.request(.get, "/") }
    }
}
