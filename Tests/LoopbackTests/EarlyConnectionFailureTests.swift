import Swiftlet
import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

/// Tests calls to a server that accepts connections but is not a working HTTP/2 server.
@Suite("A server whose connections fail early", .timeLimit(.minutes(5)))
struct EarlyConnectionFailureTests {
    private static func server() throws -> LoopbackServer {
        try LoopbackServer { $0.unary(HostileTrial.echo) { request, _ in request } }
    }

    /// A channel to both addresses, in this order.
    private static func channel(
        _ first: RawPeer, _ second: String, connectTimeout: Duration = .seconds(20),
        // So long that the error describes the first attempt even on a busy machine.
        backoff: Duration = .seconds(60)
    ) throws -> Channel {
        var arguments = ChannelArguments()
        arguments.connectTimeout = connectTimeout
        arguments.initialReconnectBackoff = backoff
        return try Channel(
            "ipv4:\(first.target),\(second)", credentials: .insecure, arguments: arguments)
    }

    @Test("is skipped when another address is left")
    func garbage() async throws {
        let server = try Self.server()
        let first = try RawPeer(RawScript(opening: { try $0.send(Array("SSH-2.0-x\r\n".utf8)) }))
        let channel = try Self.channel(first, server.target)
        #expect(try await channel.unary(HostileTrial.echo, [7]) == [7])
        #expect(first.connectionCount == 1)
    }

    @Test(
        "fails a call with the error of its attempt, even if the next attempt follows at once")
    func longAttempt() async throws {
        var script = RawScript(opening: { _ in })
        script.acknowledges = false
        let peer = try RawPeer(script)
        var arguments = ChannelArguments()
        arguments.connectTimeout = .milliseconds(100)
        // The delay counts from the begin of the attempt, so it has passed when the attempt fails.
        arguments.initialReconnectBackoff = .milliseconds(20)
        arguments.maxReconnectBackoff = .milliseconds(20)
        let channel = try Channel(peer.target, credentials: .insecure, arguments: arguments)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(
                HostileTrial.echo, [7], options: .with { $0.timeout = .seconds(100) })
        }
        #expect(error?.code == .unavailable)
        #expect(error?.mayHaveBeenExecuted == false)
    }

    @Test("is named in the error, with all other addresses, when all of them fail")
    func allFail() async throws {
        let first = try RawPeer(RawScript(opening: { try $0.send(Array("HTTP/1.1 400\r\n".utf8)) }))
        let second = try RawPeer(RawScript(opening: { try $0.close() }))
        let channel = try Self.channel(first, second.target)
        let error = await #expect(throws: RPCError.self) {
            _ = try await channel.unary(HostileTrial.echo, [7])
        }
        #expect(error?.code == .unavailable)
        #expect(error?.attempts.map(\.address) == [first.target, second.target])
        #expect(error?.mayHaveBeenExecuted == false)
        #expect(error?.reconnection?.attemptNumber == 1)
    }

    @Test("sends GOAWAY after every call: the waiting calls use the next connection")
    func leavesAfterEach() async throws {
        var script = RawScript { connection, stream in
            try connection.send(RawFrame.goAway(last: stream, 0))
            try connection.reply(stream)
        }
        // MAX_CONCURRENT_STREAMS
        script.opening = { try $0.send(RawFrame.settings([(3, 1)])) }
        let peer = try RawPeer(script)
        let channel = try Channel(peer.target, credentials: .insecure)
        let replies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<5 {
                group.addTask { try await channel.unary(HostileTrial.echo, [7]) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(replies == Array(repeating: RawPeer.replyBody, count: 5))
    }

    @Test("drains the first connection with its SETTINGS: no call fails")
    func drainsOnce() async throws {
        let isFirst = Mutex(true)
        let peer = try RawPeer(
            RawScript(
                opening: { connection in
                    let mustDrain = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    let goAway = mustDrain ? RawFrame.goAway(last: 0, 0) : []
                    try connection.send(RawFrame.settings([]) + goAway)
                }))
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .seconds(60)
        let channel = try Channel(peer.target, credentials: .insecure, arguments: arguments)
        #expect(try await channel.unary(HostileTrial.echo, [7]) == RawPeer.replyBody)
        #expect(peer.connectionCount == 2)
    }

    @Test(
        "fails right after SETTINGS, and is not connected to again before the backoff; a drain may happen once",
        arguments: [
            (RawFrame.goAway(last: 0, 0), 2), (RawFrame.goAway(last: 0, 2), 1),
            (RawFrame.bytes(0, [1]), 1),
        ])
    func takenBack(_ second: [UInt8], connectionCount: Int) async throws {
        let peer = try RawPeer(RawScript(opening: { try $0.send(RawFrame.settings([]) + second) }))
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .seconds(60)
        let channel = try Channel(peer.target, credentials: .insecure, arguments: arguments)
        let error = await #expect(throws: RPCError.self) {
            _ = try await channel.unary(HostileTrial.echo, [7])
        }
        #expect(error?.code == .unavailable)
        #expect(peer.connectionCount == connectionCount)
    }
}
