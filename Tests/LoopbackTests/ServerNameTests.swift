import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

@testable import SwiftletCore

@Suite(
    "An endpoint with a TLS name of its own", .timeLimit(.minutes(5)),
    .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
struct ServerNameTests {
    private static func endpoint(_ server: LoopbackServer, _ name: String?) throws -> Endpoint {
        var attributes = EndpointAttributes()
        attributes.serverName = name
        return Endpoint([try ServerAddress(server.target)], attributes: attributes)
    }

    private static func channel(_ resolver: PushedResolver) throws -> Channel {
        try Channel(resolver.target(), credentials: .tls(try CertificateTests.options()))
    }

    @Test("is checked against this name by pick_first, wherever it is in the list")
    func pickFirst() async throws {
        let servers = try ["wrong-host", "server"].map { try SecureCallTests.server($0) }
        let endpoints = [
            try Self.endpoint(servers[0], "elsewhere.example"),
            try Self.endpoint(servers[1], "localhost"),
        ]
        let resolver = PushedResolver(ResolverResult(endpoints))
        let channel = try Self.channel(resolver)
        #expect(try await channel.unary(HostileTrial.echo, [1]) == [1])
        // The order is no reason to leave a connection.
        await resolver.push(ResolverResult(endpoints.reversed()))
        let counts = servers.map(\.connectionCount)
        for _ in 0..<4 { #expect(try await channel.unary(HostileTrial.echo, [1]) == [1]) }
        #expect(servers.map(\.connectionCount) == counts)
        await resolver.push(ResolverResult(endpoints))
        // The first server is used, unless its handshake took so long that the second one was tried.
        let core = try #require(channel.backend as? ChannelCore)
        let used = core.state.withLock { Array($0.members.values) }.flatMap(\.allLinks).map(\.peer)
        let (first, second) =
            used == [servers[0].target] ? (servers[0], servers[1]) : (servers[1], servers[0])
        #expect(used == [first.target])
        let before = second.connectionCount
        first.shutdown()
        let options = CallOptions.with { $0.waitForReady = true }
        while second.connectionCount == before {
            // A call that was already sent to the first server may fail.
            _ = try? await channel.unary(HostileTrial.echo, [2], options: options)
        }
        #expect(try await channel.unary(HostileTrial.echo, [2], options: options) == [2])
    }

    @Test("gets a new connection when only the name changes")
    func otherName() async throws {
        let server = try SecureCallTests.server("server")
        let resolver = PushedResolver(ResolverResult([try Self.endpoint(server, "localhost")]))
        let channel = try Self.channel(resolver)
        #expect(try await channel.unary(HostileTrial.echo, [1]) == [1])
        await resolver.push(ResolverResult([try Self.endpoint(server, "a.test.swiftlet.example")]))
        while server.connectionCount == 1 {
            #expect(try await channel.unary(HostileTrial.echo, [1]) == [1])
        }
        await resolver.push(ResolverResult([try Self.endpoint(server, "other.example")]))
        var failure: RPCError?
        while failure == nil {
            do throws(RPCError) {
                _ = try await channel.unary(HostileTrial.echo, [1])
            } catch {
                failure = error
            }
        }
        #expect(failure?.phase == .tls)
    }
}
