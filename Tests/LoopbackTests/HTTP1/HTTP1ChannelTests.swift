import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import Testing

@testable import SwiftletCore

/// What a channel of HTTP/1.1 has because it is a channel like any other.
@Suite("A channel of HTTP/1.1", .timeLimit(.minutes(5)))
struct HTTP1ChannelTests {
    @Test("reports its resolution, its policy and its connections")
    func events() async throws {
        let server = try echoServer()
        let channel = try Channel(url: "http://\(server.target)")
        let events = channel.events
        #expect(try await channel.request(.get, "/echo").status == 200)
        await channel.close()
        var texts: [String] = []
        // The stream ends with the channel.
        for await event in events { texts.append("\(event)") }
        let id = try #require(
            texts.first { $0.hasPrefix("subchannel ") }?.split(separator: " ")[1])
        let expected = [
            "the channel is CONNECTING", "the resolver found 1 endpoint",
            "calls are spread by pick_first",
            "subchannel \(id) to \(server.target) was made",
            "subchannel \(id) is CONNECTING",
            "subchannel \(id) is connected to \(server.target)",
            "subchannel \(id) is READY", "the channel is READY", "the channel is SHUTDOWN",
        ]
        #expect(texts.filter { expected.contains($0) } == expected)
    }

    @Test("has a snapshot of its connections and requests")
    func snapshot() async throws {
        let server = try echoServer()
        let channel = try Channel(url: "http://\(server.target)")
        #expect(try await channel.request(.get, "/echo").status == 200)
        #expect(try await channel.request(.get, "/nowhere").status == 404)
        await #expect(throws: RPCError.self) {
            try await channel.request(
                .put, "/echo", body: [1, 2, 3], options: .with { $0.maxReceiveByteCount = 2 })
        }
        // The last connection was closed with the response that was too large.
        try await eventually { channel.snapshot?.subchannels.first?.connections.isEmpty == true }
        #expect(try await channel.request(.get, "/echo").status == 200)
        let snapshot = try #require(channel.snapshot)
        #expect(Channel.snapshots.contains { $0.id == snapshot.id })
        let subchannel = try #require(snapshot.subchannels.first)
        #expect(subchannel.calls.started == 4)
        #expect(subchannel.calls.succeeded == 3)
        #expect(subchannel.calls.failed == 1)
        let connection = try #require(subchannel.connections.first)
        #expect(connection.peer.description == server.target)
        #expect(connection.streams.started == 1 && connection.streams.succeeded == 1)
        #expect(!connection.isSecure && !connection.isDraining)
    }

    @Test("uses the resolver and the policy of the program")
    func ownResolver() async throws {
        let servers = try [1, 2].map { number in
            try LoopbackServer { server in
                server.http("/") { _ in HTTPReply(contentType: "text/plain", body: [number]) }
            }
        }
        let endpoints = try servers.map { Endpoint([try ServerAddress($0.target)]) }
        try Resolvers.register("http1-own") { _ in FixedResolver(endpoints: endpoints) }
        var arguments = ChannelArguments()
        arguments.balancing = RoundRobin()
        let channel = try Channel(
            "http1-own:///a", version: .http1, credentials: .insecure, arguments: arguments)
        var numbers: Set<UInt8> = []
        while numbers.count < 2 { numbers.formUnion(try await channel.request(.get, "/").body) }
        #expect(numbers == [1, 2])
    }

    @Test("refuses a call of gRPC also while no server can be reached")
    func refusal() async throws {
        let channel = try Channel("127.0.0.1:1", version: .http1, credentials: .insecure)
        for _ in 0..<2 {
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(HTTP1CallTests.sayHello, HelloRequest(name: "you"))
            }
            #expect(error?.code == .failedPrecondition)
            await #expect(throws: RPCError.self) { try await channel.request(.get, "/") }
        }
    }

    @Test("connects again at once after a request on a young connection was cancelled")
    func cancelledEarly() async throws {
        let peer = try RawHTTP1 { connection, _ in
            connection == 1
                ? ("", false) : ("HTTP/1.1 200 OK\nContent-Length: 2\n\nok", false)
        }
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .seconds(3_600)
        arguments.maxReconnectBackoff = .seconds(3_600)
        arguments.maxConnectionCount = 1
        let channel = try Channel(
            peer.target, version: .http1, credentials: .insecure, arguments: arguments)
        let first = Task { try await channel.request(.get, "/") }
        try await eventually { !peer.requestTexts.isEmpty }
        first.cancel()
        let error = await #expect(throws: RPCError.self) { try await first.value }
        #expect(error?.code == .cancelled)
        #expect(try await channel.request(.get, "/").status == 200)
        #expect(peer.connectionCount == 2)
    }
}
