import Swiftlet
import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A channel whose connections end early", .timeLimit(.minutes(5)))
struct ReconnectTests {
    /// Makes sockets whose peer has sent SETTINGS and then ended its output.
    private final class ClosingServer: Sendable {
        private let peers = Mutex<[Peer]>([])

        private final class Peer: Sendable {
            let socket: Socket
            init(_ socket: consuming Socket) { self.socket = socket }
        }

        var connectionCount: Int { peers.withLock { $0.count } }

        func connect() throws -> Socket {
            try Socket.withPair { client, server in
                var settings = GatherList()
                settings.append(referencing: RawFrame.settings([]))
                while !settings.isEmpty { _ = try server.write(gathering: &settings) }
                try server.endWriting()
                let peer = Peer(server)
                peers.withLock { $0.append(peer) }
                return client
            }
        }
    }

    private static func channel(
        to server: ClosingServer, backoff: Duration
    ) throws -> Channel {
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = backoff
        arguments.maxReconnectBackoff = backoff
        return try Channel(
            "closing", credentials: .insecure, arguments: arguments,
            defaultOptions: CallOptions(), interceptors: [], queues: [try .shared],
            sockets: { () throws(SystemError) in
                do { return try server.connect() } catch {
                    throw SystemError("socketpair", "\(error)", code: 0)
                }
            })
    }

    /// Makes sockets whose peer has sent SETTINGS. It sends GOAWAY when the test wants it to.
    private final class DrainingServer: Sendable {
        private let peers = Mutex<[Peer]>([])

        private final class Peer: Sendable {
            let socket: Socket
            init(_ socket: consuming Socket) { self.socket = socket }

            func send(_ frame: [UInt8]) throws {
                var output = GatherList()
                output.append(referencing: frame)
                while !output.isEmpty { _ = try socket.write(gathering: &output) }
            }
        }

        var connectionCount: Int { peers.withLock { $0.count } }

        func connect() throws -> Socket {
            try Socket.withPair { client, server in
                let peer = Peer(server)
                try peer.send(RawFrame.settings([]))
                peers.withLock { $0.append(peer) }
                return client
            }
        }

        func drainLast() throws {
            try peers.withLock { $0.last }?.send(RawFrame.goAway(last: 0, 0))
        }
    }

    @Test("becomes idle when a server drains a connection that has carried no call")
    func gracefulDrain() async throws {
        let server = DrainingServer()
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .seconds(3_600)
        arguments.maxReconnectBackoff = .seconds(3_600)
        let channel = try Channel(
            "draining", credentials: .insecure, arguments: arguments,
            defaultOptions: CallOptions(), interceptors: [], queues: [try .shared],
            sockets: { () throws(SystemError) in
                do { return try server.connect() } catch {
                    throw SystemError("socketpair", "\(error)", code: 0)
                }
            })
        func connectAndDrain() async throws -> ConnectivityState {
            channel.connect()
            var states = channel.connectivityChanges.makeAsyncIterator()
            while let state = await states.next(), state != .ready {}
            try server.drainLast()
            return try #require(await states.next())
        }
        #expect(try await connectAndDrain() == .idle)
        // A server that drains each connection at once would otherwise be connected to without a pause.
        #expect(try await connectAndDrain() == .transientFailure)
        #expect(server.connectionCount == 2)
    }

    @Test("waits for the backoff when a server sends SETTINGS and closes")
    func closesAtOnce() async throws {
        let server = ClosingServer()
        let channel = try Self.channel(to: server, backoff: .seconds(3_600))
        for _ in 0..<3 {
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(HostileTrial.echo, [1])
            }
            #expect(error?.code == .unavailable)
            #expect(error?.mayHaveBeenExecuted == false)
            #expect(error?.reconnection?.attemptNumber == 1)
        }
        #expect(server.connectionCount == 1)
    }

    @Test("keeps a wait-for-ready call waiting, however often its request was not sent")
    func waitsForReady() async throws {
        let server = ClosingServer()
        let channel = try Self.channel(to: server, backoff: .milliseconds(1))
        let call = Task {
            try await channel.unary(
                HostileTrial.echo, [1], options: .with { $0.waitForReady = true })
        }
        try await eventually { server.connectionCount >= 50 }
        call.cancel()
        let error = await #expect(throws: RPCError.self) { try await call.value }
        #expect(error?.code == .cancelled)
    }

    @Test("becomes idle while its server is down and no call uses it")
    func idleWhileFailing() async throws {
        var arguments = ChannelArguments()
        arguments.idleTimeout = .seconds(1)
        arguments.initialReconnectBackoff = .milliseconds(10)
        arguments.maxReconnectBackoff = .milliseconds(10)
        let queue = try CompletionQueue()
        defer { queue.shutdown() }
        let channel = try Channel(
            "127.0.0.1:1", credentials: .insecure, arguments: arguments, queue: queue)
        channel.connect()
        var states: [ConnectivityState] = []
        for await state in channel.connectivityChanges {
            states.append(state)
            if states.contains(.transientFailure), state == .idle { break }
        }
        try await eventually { queue.loop.timerCount == 0 }
        #expect(channel.connectivity == .idle)
    }

    /// Has one endpoint. Counts how often it was stopped.
    private final class StoppableResolver: Resolver {
        let stops = Counter()
        private let endpoint: Endpoint

        init(_ endpoint: Endpoint) { self.endpoint = endpoint }

        func start(_ results: ResolverResults) {
            results.report(ResolverResult(endpoints: .success([endpoint])))
        }
        func requestResolution() {}
        func stop() { stops.add() }
    }

    @Test("stops its resolver when no call uses it, although its server has closed the connection")
    func idleWithoutConnection() async throws {
        let server = try LoopbackServer { server in
            server.unary(ManyServersTests.whoAmI) { _, _ in [1] }
        }
        let resolver = StoppableResolver(Endpoint([try ServerAddress(server.target)]))
        try Resolvers.register("stoppable") { _ in resolver }
        var arguments = ChannelArguments()
        arguments.idleTimeout = .seconds(1)
        let channel = try Channel(
            "stoppable:///x", credentials: .insecure, arguments: arguments)
        for count in 1...2 {
            _ = try await channel.unary(ManyServersTests.whoAmI, [])
            server.leaveGracefully()
            // The balancer reports IDLE before the first check, or the check stops the resolver.
            try await eventually { resolver.stops.count == count }
        }
    }

    @Test("is not kept alive by a response")
    func keptResponse() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        var channel: Channel? = try Channel(server.target, credentials: .insecure)
        weak let core = channel?.backend as? ChannelCore
        #expect(core != nil)
        let response = try await channel?.unaryResponse(
            Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary),
            HelloRequest(name: "you"))
        channel = nil
        try await eventually { core == nil }
        #expect(response?.timeline?.streamCount == 1)
        #expect(response?.timeline?.peer != nil)
    }

    @Test("stops waiting for its calls when the task that closes it is cancelled")
    func cancelledClose() async throws {
        let peer = try RawPeer(RawScript { connection, _ in try connection.stall() })
        let channel = try Channel(peer.target, credentials: .insecure)
        let call = Task { try await channel.unary(HostileTrial.echo, [1]) }
        try await eventually { peer.callCount == 1 }
        let closing = Task { await channel.close(grace: .seconds(3_600)) }
        try await eventually { channel.connectivity == .shutdown }
        closing.cancel()
        await closing.value
        let error = await #expect(throws: RPCError.self) { try await call.value }
        #expect(error?.code == .cancelled)
    }

    @Test("begins with the initial delay after connections that its resolver has replaced")
    func backoffAfterMoves() async throws {
        let servers = try (0..<4).map { number in
            try LoopbackServer { server in
                server.unary(ManyServersTests.whoAmI) { _, _ in [UInt8(number)] }
            }
        }
        let resolver = PushedResolver(nil)
        let channel = try Channel(resolver.target(), credentials: .insecure)
        channel.connect()
        for (number, server) in servers.enumerated() {
            await resolver.push(ResolverResult([Endpoint([try ServerAddress(server.target)])]))
            while try await channel.unary(ManyServersTests.whoAmI, []) != [UInt8(number)] {}
        }
        // No other process can start to listen at this address.
        await resolver.push(
            ResolverResult([Endpoint([try ServerAddress("unix:/nowhere/moved.sock")])]))
        var failure: RPCError?
        while failure == nil {
            do throws(RPCError) {
                _ = try await channel.unary(ManyServersTests.whoAmI, [])
            } catch {
                failure = error
            }
        }
        #expect(failure?.reconnection?.attemptNumber == 1)
    }
}
