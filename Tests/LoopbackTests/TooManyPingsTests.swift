import Swiftlet
import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A server that refuses PINGs", .timeLimit(.minutes(5)))
struct TooManyPingsTests {
    /// So long that no PING is due while a test runs.
    private static let interval = Duration.seconds(100_000)

    private static func word(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Answers a call, and then closes its connection with a GOAWAY, or with several equal ones.
    private static func peer(
        _ code: ErrorCode, _ debugData: String, goAwayCount: Int = 1
    ) throws -> RawPeer {
        let type: UInt8 = 7  // GOAWAY (RFC 9113 §6.8).
        return try RawPeer(
            RawScript { connection, stream in
                try connection.reply(stream)
                for _ in 0..<goAwayCount {
                    try connection.frame(
                        type, word(stream) + word(code.rawValue) + Array(debugData.utf8))
                }
                try connection.close()
            })
    }

    private static func channel(to peer: RawPeer) throws -> Channel {
        var arguments = ChannelArguments()
        arguments.keepAliveInterval = interval
        arguments.keepAliveWithoutCalls = true
        return try Channel(peer.target, credentials: .insecure, arguments: arguments)
    }

    /// Connects, and returns the number of intervals for which the new connection waits before its first
    /// PING. Also makes a call, so that the server closes the connection before this returns.
    private static func intervalCount(on channel: Channel) async throws -> Int {
        channel.connect()
        for await state in channel.connectivityChanges where state == .ready { break }
        let core = try #require(channel.backend as? ChannelCore)
        let members = core.state.withLock { Array($0.members.values) }
        let link = try #require(members.flatMap(\.allLinks).first as? Link)
        let deadline = try #require(link.state.withLock { $0.connection.probeDeadline })
        _ = try await channel.unary(HostileTrial.echo, [1])
        try await eventually { channel.connectivity == .idle }
        return Int(((deadline - .now) / interval).rounded(.up))
    }

    @Test("receives PINGs half as often on each later connection, down to a 64th")
    func tooManyPings() async throws {
        let peer = try Self.peer(.enhanceYourCalm, "too_many_pings")
        let channel = try Self.channel(to: peer)
        for factor in [1, 2, 4, 8, 16, 32, 64, 64] {
            try #require(try await Self.intervalCount(on: channel) == factor)
        }
        #expect(peer.connectionCount == 8)
    }

    @Test("receives PINGs half as often, however often it repeats its complaint")
    func repeated() async throws {
        let peer = try Self.peer(.enhanceYourCalm, "too_many_pings", goAwayCount: 3)
        let channel = try Self.channel(to: peer)
        for factor in [1, 2, 4] {
            try #require(try await Self.intervalCount(on: channel) == factor)
        }
    }

    @Test("may do so although the interval is the longest duration")
    func longestInterval() throws {
        var arguments = ChannelArguments()
        arguments.keepAliveInterval = .seconds(Int64.max)
        let plan = ConnectionPlan(
            try Target("a.test"), credentials: .insecure, arguments: arguments,
            queues: [try CompletionQueue(.byHand)], sockets: nil, proxy: nil)
        var last = Duration.zero
        for _ in 0..<8 {
            let interval = try #require(plan.configuration.keepAlive?.interval)
            #expect(interval >= last)
            last = interval
            plan.doubleKeepAliveInterval()
        }
        #expect(last > .seconds(1 << 40))
    }

    @Test(
        "is recognized by its code and its text",
        arguments: [
            (.enhanceYourCalm, ""), (.enhanceYourCalm, "too_many_ping"),
            (.noError, "too_many_pings"),
        ] as [(ErrorCode, String)])
    func otherReason(code: ErrorCode, debugData: String) async throws {
        let peer = try Self.peer(code, debugData)
        let channel = try Self.channel(to: peer)
        for _ in 0..<2 { try #require(try await Self.intervalCount(on: channel) == 1) }
        #expect(peer.connectionCount == 2)
    }
}
