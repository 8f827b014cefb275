import Foundation
import SwiftletLoopback
import SwiftletStyles
import SwiftletTransport
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("A channel that may have several connections to a server", .timeLimit(.minutes(5)))
struct ConnectionScalingTests {
    /// A server that allows one call at a time on each connection, and holds calls with the request `[0]`.
    private static func server(
        on address: LoopbackServer.Address = .ipv4(), _ gate: Gate
    ) throws -> LoopbackServer {
        try LoopbackServer(on: address) { server in
            server.maxConcurrentStreams = 1
            server.unary(HostileTrial.echo) { request, _ in
                if request == [0] { await gate.pass() }
                return request
            }
        }
    }

    @Test("uses a limit that the service config raises later (A105)")
    func raisedLimit() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        let endpoints = [Endpoint([try ServerAddress(server.target)])]
        func result(_ count: Int) -> ResolverResult {
            var config = ServiceConfig()
            config.maxConnectionsPerSubchannel = count
            return ResolverResult(endpoints: .success(endpoints), serviceConfig: .success(config))
        }
        let resolver = PushedResolver(result(1))
        let channel = try Channel(resolver.target(), credentials: .insecure)
        async let first = channel.unary(HostileTrial.echo, [0])
        await gate.waitFor(1)
        await resolver.push(result(2))
        let second = try await channel.unary(
            HostileTrial.echo, [1], options: .with { $0.timeout = .seconds(60) })
        #expect(second == [1])
        #expect(server.connectionCount == 2)
        gate.open()
        #expect(try await first == [0])
    }

    /// The first socket leads to a server. The peer of the second one sends nothing, until the test
    /// closes it.
    private final class Sockets: Sendable {
        private let address: SocketAddress
        private let peers = Mutex<[Peer]>([])
        private let count = Counter()

        private final class Peer: Sendable {
            let socket: Socket
            init(_ socket: consuming Socket) { self.socket = socket }
        }

        init(_ address: SocketAddress) { self.address = address }

        var hasSecond: Bool { !peers.withLock { $0.isEmpty } }

        func closeSecond() {
            var closed: [Peer] = []
            peers.withLock { swap(&$0, &closed) }
        }

        func next() throws -> Socket {
            count.add()
            if count.count == 1 {
                let socket = try Socket(for: address)
                _ = try socket.startConnecting(to: address)
                return socket
            }
            return try Socket.withPair { client, server in
                let peer = Peer(server)
                peers.withLock { $0.append(peer) }
                return client
            }
        }
    }

    @Test("closes after it was released, even if its last call waited for another connection")
    func released() async throws {
        let gate = Gate()
        let path = NSTemporaryDirectory() + "swiftlet-\(UUID().uuidString)"
        let server = try Self.server(on: .unix(path: path), gate)
        defer { server.shutdown() }
        let sockets = Sockets(.unix(path: path))
        let queue = try CompletionQueue()
        defer { queue.shutdown() }
        var arguments = ChannelArguments()
        arguments.idleTimeout = nil
        arguments.maxConnectionCount = 2
        var channel: Channel? = try Channel(
            "released", credentials: .insecure, arguments: arguments,
            defaultOptions: CallOptions(), interceptors: [], queues: [queue],
            sockets: { () throws(SystemError) in
                do { return try sockets.next() } catch {
                    throw SystemError("connect", "\(error)", code: 0)
                }
            })
        let answers = Counter()
        _ = try channel?.startUnary(HostileTrial.echo, [0]) { result in
            if case .success = result { answers.add() }
        }
        await gate.waitFor(1)
        _ = try channel?.startUnary(HostileTrial.echo, [1]) { result in
            if case .success = result { answers.add() }
        }
        try await eventually { sockets.hasSecond }
        channel = nil
        // The second connection fails, so the second call waits for a stream of the first one.
        sockets.closeSecond()
        gate.open()
        try await eventually { answers.count == 2 }
        try await eventually { queue.loop.descriptorCount == 0 }
    }
}
