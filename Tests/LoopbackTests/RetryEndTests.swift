import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@testable import SwiftletCore

/// A call with a policy has no connection between two attempts, and before the service config is known.
@Suite("A call with a policy that has no attempt at the moment", .timeLimit(.minutes(5)))
struct RetryEndTests {
    private static func arguments(backoff: Duration) -> ChannelArguments {
        var policy = RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable])
        policy.initialBackoff = backoff
        policy.maxBackoff = backoff
        return RetryTests.arguments(.retry(policy))
    }

    /// A server that fails the first `failureCount` attempts.
    private static func server(failureCount: Int, _ attempts: Counter) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(RetryTests.echo) { request, _ in
                attempts.add()
                if attempts.count <= failureCount { throw RPCError(.unavailable, "busy") }
                return request
            }
        }
    }

    /// Starts a call whose end arrives in the stream.
    private static func start(
        on channel: Channel
    ) throws -> (call: any CallRequests, ends: AsyncStream<Result<[UInt8], RPCError>>) {
        let (ends, end) = AsyncStream.makeStream(of: Result<[UInt8], RPCError>.self)
        let running = try channel.startUnary(RetryTests.echo, [1]) { result in
            end.yield(result.map(\.message))
            end.finish()
        }
        return (running.call, ends)
    }

    @Test("ends when its channel is closed", arguments: [Duration.zero, .seconds(3_600)])
    func closed(grace: Duration) async throws {
        let server = try Self.server(failureCount: 9, Counter())
        let channel = try server.makeChannel(arguments: Self.arguments(backoff: .seconds(3_600)))
        let (call, ends) = try Self.start(on: channel)
        // The first attempt has ended, and the second one is due after an hour.
        let core = try #require(call.core)
        try await eventually { core.state.withLock { $0.lifetime.isWaiting } }
        await channel.close(grace: grace)
        for await end in ends {
            let error = #expect(throws: RPCError.self) { try end.get() }
            #expect(error?.code == .unavailable)
            #expect(error?.attempts.map(\.cause) == ["UNAVAILABLE: busy"])
        }
    }

    @Test("continues when its channel is released before the service config is known")
    func releasedBeforeConfig() async throws {
        let server = try Self.server(failureCount: 0, Counter())
        let resolver = PushedResolver(nil)
        var channel: Channel? = try Channel(resolver.target(), credentials: .insecure)
        let ends = try Self.start(on: try #require(channel)).ends
        channel = nil
        try await eventually { resolver.isStarted }
        await resolver.push(ResolverResult([Endpoint([try ServerAddress(server.target)])]))
        for await end in ends { #expect(try end.get() == [1]) }
        #expect(server.connectionCount == 1)
    }

    @Test("continues when its channel is released between two attempts")
    func releasedBetweenAttempts() async throws {
        let server = try Self.server(failureCount: 1, Counter())
        var channel: Channel? = try server.makeChannel(
            arguments: Self.arguments(backoff: .milliseconds(100)))
        let ends = try Self.start(on: try #require(channel)).ends
        channel = nil
        for await end in ends { #expect(try end.get() == [1]) }
    }

    @Test("ends at once on a queue that has been shut down")
    func queueEnded() async throws {
        let attempts = Counter()
        let server = try Self.server(failureCount: 0, attempts)
        let queue = try CompletionQueue()
        let channel = try Channel(
            server.target, credentials: .insecure,
            arguments: Self.arguments(backoff: .seconds(3_600)), queue: queue)
        queue.shutdown()
        await queue.waitForShutdown()
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(
                RetryTests.echo, [1], options: .with { $0.timeout = .seconds(3_600) })
        }
        #expect(error?.code == .unavailable)
        #expect(error?.attempts == [])
        #expect(attempts.count == 0)
    }
}
