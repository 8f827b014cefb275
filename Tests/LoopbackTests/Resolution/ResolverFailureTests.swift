import SwiftletBalancing
import SwiftletLoopback
import SwiftletStyles
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("A resolver that fails", .timeLimit(.minutes(5)))
struct ResolverFailureTests {
    private static let whoAmI = ManyServersTests.whoAmI
    private static let failure = ResolverResult(
        endpoints: .failure(RPCError(.unavailable, "no answer")))

    /// A server that fails all calls with UNAVAILABLE, and counts them.
    private static func busyServer(_ attempts: Counter) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(whoAmI) { _, _ in
                attempts.add()
                throw RPCError(.unavailable, "busy")
            }
        }
    }

    private static func threeAttempts(_ server: LoopbackServer) throws -> ResolverResult {
        var policy = RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable])
        policy.initialBackoff = .milliseconds(1)
        var config = ServiceConfig()
        config.methods = [MethodConfig([.all]) { [policy] in $0.retry = policy }]
        return ResolverResult(
            endpoints: .success([Endpoint([try ServerAddress(server.target)])]),
            serviceConfig: .success(config))
    }

    @Test("leaves the method configs of its last result in use")
    func methodConfigs() async throws {
        let attempts = Counter()
        let server = try Self.busyServer(attempts)
        let resolver = PushedResolver(try Self.threeAttempts(server))
        let channel = try Channel(resolver.target(), credentials: .insecure)
        for expected in [3, 6] {
            await #expect(throws: RPCError.self) { try await channel.unary(Self.whoAmI, []) }
            #expect(attempts.count == expected)
            await resolver.push(Self.failure)
        }
    }

    @Test("leaves the health checks of its last result in use")
    func healthChecks() async throws {
        let healths = (0..<2).map { _ in HealthService() }
        healths[0].set(.serving, for: "t.T")
        healths[1].set(.notServing, for: "t.T")
        let servers = try healths.enumerated().map { number, health in
            try LoopbackServer { server in
                server.unary(Self.whoAmI) { _, _ in [UInt8(number)] }
                server.add(health)
            }
        }
        var config = ServiceConfig(balancing: RoundRobin())
        config.healthCheckServiceName = "t.T"
        let resolver = PushedResolver(
            ResolverResult(
                endpoints: .success(try servers.map { Endpoint([try ServerAddress($0.target)]) }),
                serviceConfig: .success(config)))
        let channel = try Channel(resolver.target(), credentials: .insecure)
        func answers() async throws -> Set<UInt8> {
            var answers: Set<UInt8> = []
            for _ in 0..<6 { answers.insert(try await channel.unary(Self.whoAmI, [])[0]) }
            return answers
        }
        #expect(try await answers() == [0])
        try await eventually { healths[1].watcherCount(of: "t.T") == 1 }
        await resolver.push(Self.failure)
        #expect(try await answers() == [0])
        #expect(healths.map { $0.watcherCount(of: "t.T") } == [1, 1])
    }

    @Test("before its first result leaves wait-for-ready calls waiting for the service config")
    func beforeFirstResult() async throws {
        let attempts = Counter()
        let server = try Self.busyServer(attempts)
        let resolver = PushedResolver(Self.failure)
        let channel = try Channel(resolver.target(), credentials: .insecure)
        let ends = Counter()
        let options = CallOptions.with { $0.waitForReady = true }
        _ = try channel.startUnary(Self.whoAmI, [], options: options) { _ in ends.add() }
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.whoAmI, [])
        }
        #expect(error?.message == "no answer")
        // The resolver has failed now.
        _ = try channel.startUnary(Self.whoAmI, [], options: options) { _ in ends.add() }
        await resolver.push(try Self.threeAttempts(server))
        try await eventually { ends.count == 2 }
        #expect(attempts.count == 6)
    }
}
