import SwiftletBalancing
import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("Diagnostics of a channel", .timeLimit(.minutes(5)))
struct DiagnosticsTests {
    private static let whoAmI = ManyServersTests.whoAmI

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(whoAmI) { request, _ in
                guard request.isEmpty else { throw RPCError(.notFound, "no such thing") }
                return [1]
            }
        }
    }

    @Test("events report resolution, policy, subchannels and connections, in this order")
    func events() async throws {
        let server = try Self.server()
        var arguments = ChannelArguments()
        arguments.serviceConfig = ServiceConfig(balancing: RoundRobin())
        let channel = try Channel(
            "ipv4:" + server.target, credentials: .insecure, arguments: arguments)
        let events = channel.events
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
        await channel.close()
        var texts: [String] = []
        // The stream ends with the channel.
        for await event in events { texts.append("\(event)") }
        let id = try #require(
            texts.first { $0.hasPrefix("subchannel ") }?.split(separator: " ")[1])
        let expected = [
            "the channel is CONNECTING", "the resolver found 1 endpoint",
            "calls are spread by round_robin",
            "subchannel \(id) to \(server.target) was made",
            "subchannel \(id) is CONNECTING",
            "subchannel \(id) is connected to \(server.target)",
            "subchannel \(id) is READY", "the channel is READY", "the channel is SHUTDOWN",
        ]
        // The end of the connection depends on its thread, and may be reported between these.
        #expect(texts.filter { expected.contains($0) } == expected)
    }

    @Test(
        "events report each subchannel that is dropped once, also if its connection is still open")
    func dropped() async throws {
        let server = try Self.server()
        let channel = try Channel(server.target, credentials: .insecure)
        let events = channel.events
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
        channel.reconnect()
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
        await channel.close()
        var dropped: [UInt64] = []
        for await event in events {
            if case .subchannelDropped(let id) = event.kind { dropped.append(id) }
        }
        #expect(!dropped.isEmpty && Set(dropped).count == dropped.count)
    }

    @Test("events report why there is no connection")
    func failures() async throws {
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .seconds(3_600)
        arguments.maxReconnectBackoff = .seconds(3_600)
        let channel = try Channel(
            "unix:/nowhere/swiftlet.sock", credentials: .insecure, arguments: arguments)
        let events = channel.events
        channel.connect()
        for await event in events {
            guard case .subchannel(_, .transientFailure, let error) = event.kind else { continue }
            #expect(event.isFailure)
            #expect(error?.code == .unavailable)
            #expect("\(event)".contains("/nowhere/swiftlet.sock"))
            break
        }
    }

    @Test("a follower that does not read keeps 256 events at most, and the snapshot 64")
    func bounds() async {
        let log = ChannelLog()
        let events = log.follow()
        for number in 0..<1_000 { log.note(.resolved(endpointCount: number)) }
        log.note(.connectivity(.shutdown))
        var counts: [Int] = []
        for await event in events {
            if case .resolved(let count) = event.kind { counts.append(count) }
        }
        #expect(counts == Array(745..<1_000))
        #expect(log.record.recent.count == 64)
        #expect(log.record.count == 1_001)
        // No event follows the end, and a late follower ends at once.
        log.note(.resolved(endpointCount: 1))
        #expect(log.record.count == 1_001)
        for await _ in log.follow() { Issue.record("an event after the end") }
    }

    @Test("a snapshot counts calls by their end, and names every connection")
    func snapshot() async throws {
        let server = try Self.server()
        let channel = try Channel(server.target, credentials: .insecure)
        for _ in 0..<3 { _ = try await channel.unary(Self.whoAmI, []) }
        await #expect(throws: RPCError.self) { try await channel.unary(Self.whoAmI, [7]) }
        let snapshot = try #require(channel.snapshot)
        #expect(snapshot.target == server.target)
        #expect(snapshot.connectivity == .ready)
        #expect(snapshot.policy == "pick_first")
        #expect(snapshot.calls.started == 4)
        #expect(snapshot.calls.succeeded == 3)
        #expect(snapshot.calls.failed == 1)
        let subchannel = try #require(snapshot.subchannels.first)
        #expect(snapshot.subchannels.count == 1)
        #expect(subchannel.connectivity == .ready)
        #expect(subchannel.calls == snapshot.calls)
        let connection = try #require(subchannel.connections.first)
        #expect(connection.peer.description == server.target)
        #expect(connection.localAddress?.description.hasPrefix("127.0.0.1:") == true)
        #expect(connection.sendWindowByteCount > 0)
        #expect(!connection.isSecure)
        #expect(!connection.isDraining)
        #expect(Set([snapshot.id, subchannel.id, connection.id]).count == 3)
        #if os(Linux)
            #expect(connection.roundTripTime.map { $0 > .zero && $0 < .seconds(60) } == true)
            // TCP_ESTABLISHED.
            #expect(connection.tcp?.state == 1)
        #endif
        let text = "\(snapshot)"
        #expect(
            text.hasPrefix(
                "channel \(snapshot.id) to \(server.target): READY, pick_first; "
                    + "4 calls: 3 succeeded, 1 failed, 0 running"))
        #expect(text.contains("\n    connection \(connection.id) 127.0.0.1:"))
        #expect(text.contains("the channel is READY"))
        #expect(Channel.snapshots.contains { $0.id == snapshot.id })
        await channel.close()
        #expect(!Channel.snapshots.contains { $0.id == snapshot.id })
    }

    @Test("a call that runs, waits or fails without a server is counted as such")
    func otherCalls() async throws {
        let gate = Gate()
        let server = try LoopbackServer { server in
            server.unary(Self.whoAmI) { _, _ in
                await gate.pass()
                return [1]
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        async let reply = channel.unary(Self.whoAmI, [])
        await gate.waitFor(1)
        #expect(channel.snapshot?.calls.running == 1)
        gate.open()
        #expect(try await reply == [1])
        try await eventually { channel.snapshot?.calls.running == 0 }

        // The server never reports its health, so calls wait.
        let silent = try LoopbackServer { server in
            server.serverStreaming(
                Method<[UInt8], [UInt8]>(
                    "/grpc.health.v1.Health/Watch", .serverStreaming, request: .bytes,
                    reply: .bytes)
            ) { _, _, context in try await context.sleep(for: .seconds(3_600)) }
        }
        var config = ServiceConfig(balancing: RoundRobin())
        config.healthCheckServiceName = ""
        var arguments = ChannelArguments()
        arguments.serviceConfig = config
        let waiting = try Channel(
            "ipv4:" + silent.target, credentials: .insecure, arguments: arguments)
        let call = Task { try await waiting.unary(Self.whoAmI, []) }
        try await eventually { waiting.snapshot?.waitingCallCount == 1 }
        call.cancel()
        _ = await call.result
        #expect(waiting.snapshot?.waitingCallCount == 0)
        #expect(waiting.snapshot?.calls.failed == 1)
    }

    @Test("counts are kept after a connection has ended")
    func pastConnections() async throws {
        let server = try Self.server()
        let channel = try Channel(server.target, credentials: .insecure)
        _ = try await channel.unary(Self.whoAmI, [])
        server.leaveGracefully()
        try await eventually { channel.snapshot?.subchannels.first?.connections.isEmpty == true }
        _ = try await channel.unary(Self.whoAmI, [])
        let snapshot = try #require(channel.snapshot)
        #expect(snapshot.calls.succeeded == 2)
        #expect(snapshot.subchannels.first?.calls.succeeded == 2)
        #expect(snapshot.subchannels.first?.connections.first?.streams.succeeded == 1)
    }

    @Test("the time of an event is read in UTC")
    func times() {
        #expect(WallClock.text(.milliseconds(1_700_000_000_050)) == "22:13:20.050")
        #expect(WallClock.text(.zero) == "00:00:00.000")
        #expect(WallClock.now > .seconds(1_700_000_000))
    }

    @Test("too few bytes are no TCP_INFO")
    func shortInfo() {
        #expect(TCPInfo([UInt8](repeating: 0, count: 103)) == nil)
        var bytes = [UInt8](repeating: 0, count: 104)
        (bytes[6], bytes[68], bytes[69]) = (0x97, 0xe8, 0x03)
        let info = TCPInfo(bytes)
        #expect(info?.sendWindowScale == 7)
        #expect(info?.receiveWindowScale == 9)
        #expect(info?.roundTripTime == .milliseconds(1))
    }
}
