import SwiftletLoopback
import SwiftletStyles
import Testing

@testable import Swiftlet
@testable import SwiftletCore

/// The call of such a stream is made later than the stream: when its token or its service config is there.
@Suite("A stream of responses whose call waits before it is made", .timeLimit(.minutes(5)))
struct DeferredStreamTests {
    enum Delay: CaseIterable, Sendable { case credentials, serviceConfig }

    private static let stream = Method<[UInt8], [UInt8]>(
        "/t.T/Stream", .serverStreaming, request: .bytes, reply: .bytes)
    /// Many times the window of the stream.
    private static let messageCount = 20_000

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.serverStreaming(stream) { _, replies, _ in
                let message = [UInt8](repeating: 7, count: 100)
                for _ in 0..<messageCount { try await replies.write(message) }
            }
        }
    }

    private static func channel(to server: LoopbackServer, _ delay: Delay) throws -> Channel {
        var options = CallOptions()
        var target = server.target
        switch delay {
        case .credentials:
            options.credentials = BearerToken(allowsInsecureConnections: true) {
                BearerToken.Token("secret")
            }
        case .serviceConfig:
            let endpoint = Endpoint([try ServerAddress(server.target)])
            target = OwnScheme.target { channel in
                let resolver = PushedResolver(nil).made(on: channel)
                // After the start of the call that has started the resolver.
                channel.loop.run { Task { await resolver.push(ResolverResult([endpoint])) } }
                return resolver
            }
        }
        var arguments = ChannelArguments()
        arguments.streamWindowByteCount = 65_536
        return try Channel(
            target, credentials: .insecure, arguments: arguments, defaultOptions: options)
    }

    @Test("is read to its end by a task", arguments: Delay.allCases)
    func task(delay: Delay) async throws {
        let server = try Self.server()
        let channel = try Self.channel(to: server, delay)
        var count = 0
        for try await _ in try await channel.serverStreaming(Self.stream, []) { count += 1 }
        #expect(count == Self.messageCount && server.connectionCount == 1)
    }

    @Test("is read to its end by a thread", arguments: Delay.allCases)
    func thread(delay: Delay) async throws {
        let server = try Self.server()
        let channel = try Self.channel(to: server, delay)
        let count = try await onThread {
            let call = try channel.blockingServerStreaming(Self.stream, [])
            var count = 0
            while try call.next() != nil { count += 1 }
            return count
        }
        #expect(count == Self.messageCount && server.connectionCount == 1)
    }
}
