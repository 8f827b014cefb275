import SwiftletBalancing
import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("A channel to many servers", .timeLimit(.minutes(5)))
struct ManyServersTests {
    static let whoAmI = Method<[UInt8], [UInt8]>(
        "/t.T/WhoAmI", .unary, request: .bytes, reply: .bytes)

    /// A server that answers with its number.
    private static func server(_ number: UInt8) throws -> LoopbackServer {
        try LoopbackServer { server in server.unary(Self.whoAmI) { _, _ in [number] } }
    }

    private static func target(_ servers: [LoopbackServer]) -> String {
        "ipv4:" + servers.map(\.target).joined(separator: ",")
    }

    private static func roundRobin() -> ChannelArguments {
        var arguments = ChannelArguments()
        arguments.serviceConfig = ServiceConfig(balancing: RoundRobin())
        arguments.initialReconnectBackoff = .milliseconds(50)
        return arguments
    }

    /// The number of calls that each server answered, out of `count` calls.
    private static func answers(_ count: Int, on channel: Channel) async throws -> [UInt8: Int] {
        var answers: [UInt8: Int] = [:]
        for _ in 0..<count {
            let reply = try await channel.unary(
                whoAmI, [], options: .with { $0.waitForReady = true })
            answers[reply[0], default: 0] += 1
        }
        return answers
    }

    /// Makes calls until all servers have answered.
    private static func meet(_ numbers: Set<UInt8>, on channel: Channel) async throws {
        var seen: Set<UInt8> = []
        while seen != numbers {
            seen.formUnion(try await answers(numbers.count, on: channel).keys)
        }
    }

    @Test("spreads calls evenly with round_robin")
    func evenly() async throws {
        let servers = try (0..<3).map { try Self.server(UInt8($0)) }
        let channel = try Channel(
            Self.target(servers), credentials: .insecure, arguments: Self.roundRobin())
        try await Self.meet([0, 1, 2], on: channel)
        #expect(try await Self.answers(30, on: channel) == [0: 10, 1: 10, 2: 10])
        #expect(servers.map(\.connectionCount) == [1, 1, 1])
    }

    @Test(
        "sends all calls to one server with pick_first: the first one, unless another connects sooner"
    )
    func first() async throws {
        let servers = try (0..<3).map { try Self.server(UInt8($0)) }
        let channel = try Channel(Self.target(servers), credentials: .insecure)
        #expect(Array(try await Self.answers(10, on: channel).values) == [10])
        #expect(servers[0].connectionCount == 1)
    }

    @Test("uses the other servers while one is down, and then uses it again")
    func failover() async throws {
        let servers = try (0..<3).map { try Self.server(UInt8($0)) }
        let channel = try Channel(
            Self.target(servers), credentials: .insecure, arguments: Self.roundRobin())
        try await Self.meet([0, 1, 2], on: channel)
        let port = try #require(Int(servers[1].target.split(separator: ":")[1]))
        servers[1].shutdown()
        var answers: [UInt8: Int] = [:]
        while answers[0, default: 0] < 10 {
            // A call that was already sent to the server may fail.
            let reply = try? await channel.unary(Self.whoAmI, [])
            if let reply { answers[reply[0], default: 0] += 1 }
        }
        #expect(answers[1] == nil)
        let again = try LoopbackServer(on: .ipv4(port: UInt16(port))) { server in
            server.unary(Self.whoAmI) { _, _ in [1] }
        }
        try await Self.meet([0, 1, 2], on: channel)
        #expect(again.connectionCount == 1)
    }

    private static func endpoints(_ servers: [LoopbackServer]) throws -> [Endpoint] {
        try servers.map { Endpoint([try ServerAddress($0.target)]) }
    }

    @Test("uses the endpoints that a resolver of the program reports")
    func pushed() async throws {
        let servers = try (0..<3).map { try Self.server(UInt8($0)) }
        let resolver = PushedResolver(ResolverResult(try Self.endpoints([servers[0]])))
        let channel = try Channel(
            resolver.target("shop"), credentials: .insecure, arguments: Self.roundRobin())
        #expect(channel.backend.authority == "shop")
        #expect(try await Self.answers(4, on: channel) == [0: 4])
        await resolver.push(ResolverResult(try Self.endpoints([servers[1], servers[2]])))
        try await Self.meet([1, 2], on: channel)
        #expect(try await Self.answers(10, on: channel) == [1: 5, 2: 5])
        // An error leaves the endpoints in use.
        await resolver.push(
            ResolverResult(endpoints: .failure(RPCError(.unavailable, "no answer"))))
        #expect(try await Self.answers(4, on: channel) == [1: 2, 2: 2])
    }

    @Test("ends calls with the resolver's error when there are no endpoints")
    func resolverFails() async throws {
        let error = RPCError(.unavailable, "the registry does not answer")
        let resolver = PushedResolver(ResolverResult(endpoints: .failure(error)))
        let channel = try Channel(resolver.target(), credentials: .insecure)
        let thrown = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.whoAmI, [])
        }
        #expect(thrown == error)
        #expect(channel.connectivity == .transientFailure)
    }

    @Test("that has found no endpoint fails calls with this reason")
    func noEndpoints() async throws {
        try Resolvers.register("empty-test") { _ in PushedResolver(ResolverResult([])) }
        for arguments in [ChannelArguments(), Self.roundRobin()] {
            let channel = try Channel(
                "empty-test:///x", credentials: .insecure, arguments: arguments)
            let thrown = await #expect(throws: RPCError.self) {
                try await channel.unary(Self.whoAmI, [])
            }
            #expect(thrown?.code == .unavailable)
            #expect(thrown?.message == "the resolver found no addresses")
            await channel.close()
        }
    }

    @Test("spreads its connections over the queues of a group")
    func group() async throws {
        let servers = try (0..<4).map { try Self.server(UInt8($0)) }
        let group = try CompletionQueue.Group(threads: 2)
        let channel = try Channel(
            Self.target(servers), credentials: .insecure, arguments: Self.roundRobin(),
            group: group)
        try await Self.meet([0, 1, 2, 3], on: channel)
        let core = try #require(channel.backend as? ChannelCore)
        let members = core.state.withLock { Array($0.members.values) }
        let loops = members.flatMap(\.allLinks).compactMap { ($0 as? Link)?.loop }.map {
            ObjectIdentifier($0)
        }
        #expect(Set(loops).count == 2)
        await channel.close()
        group.shutdown()
    }

    @Test("keeps one wake time of its balancer, however often its resolver reports")
    func wakeTimes() async throws {
        let server = try Self.server(1)
        var policy = OutlierDetection(policy: RoundRobin())
        policy.interval = .seconds(86_400)
        policy.failurePercentageEjection = .init()
        let result = ResolverResult(
            endpoints: .success(try Self.endpoints([server])),
            serviceConfig: .success(ServiceConfig(balancing: policy)))
        let resolver = PushedResolver(result)
        let channel = try Channel(resolver.target(), credentials: .insecure)
        #expect(try await Self.answers(1, on: channel) == [1: 1])
        for _ in 0..<50 { await resolver.push(result) }
        let core = try #require(channel.backend as? ChannelCore)
        #expect(core.balancing.state.withLock { $0.wakeTimes.count } == 1)
    }

    @Test("changes its policy without a failed call")
    func policyChange() async throws {
        let servers = try (0..<2).map { try Self.server(UInt8($0)) }
        let endpoints = try Self.endpoints(servers)
        let resolver = PushedResolver(ResolverResult(endpoints))
        let channel = try Channel(resolver.target(), credentials: .insecure)
        #expect(try await Self.answers(4, on: channel) == [0: 4])
        for balancing in [RoundRobin(), PickFirst(), RoundRobin()] as [any BalancingPolicy] {
            await resolver.push(
                ResolverResult(
                    endpoints: .success(endpoints),
                    serviceConfig: .success(ServiceConfig(balancing: balancing))))
            for _ in 0..<20 { _ = try await channel.unary(Self.whoAmI, []) }
        }
        try await Self.meet([0, 1], on: channel)
    }

    @Test("keeps the last good service config when another one is not valid")
    func badConfig() async throws {
        let servers = try (0..<2).map { try Self.server(UInt8($0)) }
        let endpoints = try Self.endpoints(servers)
        let bad = RPCError(.unavailable, "bad config")
        let resolver = PushedResolver(
            ResolverResult(endpoints: .success(endpoints), serviceConfig: .failure(bad)))
        let channel = try Channel(resolver.target(), credentials: .insecure)
        let thrown = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.whoAmI, [])
        }
        #expect(thrown == bad)
        await resolver.push(
            ResolverResult(
                endpoints: .success(endpoints),
                serviceConfig: .success(ServiceConfig(balancing: RoundRobin()))))
        try await Self.meet([0, 1], on: channel)
        await resolver.push(
            ResolverResult(endpoints: .success(endpoints), serviceConfig: .failure(bad)))
        #expect(try await Self.answers(4, on: channel) == [0: 2, 1: 2])
    }

    @Test("whose resolver never reports ends calls at their deadline, without sending them")
    func silentResolver() async throws {
        let channel = try Channel(PushedResolver(nil).target(), credentials: .insecure)
        let thrown = await #expect(throws: RPCError.self) {
            try await channel.unary(
                Self.whoAmI, [], options: .with { $0.timeout = .milliseconds(50) })
        }
        #expect(thrown?.code == .deadlineExceeded)
        #expect(thrown?.message == "the deadline passed before the resolver's first result")
        #expect(thrown?.mayHaveBeenExecuted == false)
    }

    @Test("whose resolver reports a service config uses it from the first call on")
    func resolverConfig() async throws {
        let failures = Atomic(0)
        let server = try LoopbackServer { server in
            server.unary(Self.whoAmI) { _, _ in
                guard failures.add(1, ordering: .relaxed).newValue > 2 else {
                    throw RPCError(.unavailable, "not yet")
                }
                return [7]
            }
        }
        let resolver = PushedResolver(nil)
        let channel = try Channel(resolver.target(), credentials: .insecure)
        async let reply = channel.unary(Self.whoAmI, [])
        try await eventually { resolver.isStarted }
        var config = ServiceConfig()
        config.methods = [
            MethodConfig([.service("t.T")]) {
                var policy = RetryPolicy(maxAttempts: 4, retryableCodes: [.unavailable])
                policy.initialBackoff = .milliseconds(1)
                $0.retry = policy
            }
        ]
        await resolver.push(
            ResolverResult(
                endpoints: .success(try Self.endpoints([server])), serviceConfig: .success(config))
        )
        #expect(try await reply == [7])
    }

    @Test("tries a new address at once, even if the others have failed")
    func newAddress() async throws {
        let server = try Self.server(1)
        // No other process can start to listen at this address.
        let dead = Endpoint([try ServerAddress("unix:/nowhere/moved.sock")])
        let resolver = PushedResolver(ResolverResult([dead]))
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .seconds(3_600)
        arguments.maxReconnectBackoff = .seconds(3_600)
        let channel = try Channel(resolver.target(), credentials: .insecure, arguments: arguments)
        await #expect(throws: RPCError.self) { try await channel.unary(Self.whoAmI, []) }
        async let answers = Self.answers(1, on: channel)
        await resolver.push(ResolverResult([dead] + (try Self.endpoints([server]))))
        #expect(try await answers == [1: 1])
    }

    @Test("closes the connection that it is opening when the resolver no longer lists its address")
    func abandonedAttempt() async throws {
        let closed = Counter()
        // A server that accepts connections and sends nothing.
        let silent = try RawPeer(
            RawScript(opening: { connection in
                defer { closed.add() }
                var buffer = ReceiveBuffer()
                while true {
                    try connection.receive(&buffer)
                    buffer.consume(buffer.count)
                }
            }))
        let server = try Self.server(1)
        let resolver = PushedResolver(
            ResolverResult([Endpoint([try ServerAddress(silent.target)])]))
        var arguments = ChannelArguments()
        arguments.connectTimeout = .seconds(3_600)
        let channel = try Channel(
            resolver.target(), credentials: .insecure, arguments: arguments)
        async let answers = Self.answers(1, on: channel)
        try await eventually { silent.connectionCount == 1 }
        await resolver.push(ResolverResult(try Self.endpoints([server])))
        #expect(try await answers == [1: 1])
        try await eventually { closed.count == 1 }
    }

    @Test("uses the policy of its arguments if no service config names one")
    func argumentPolicy() async throws {
        let servers = try (0..<2).map { try Self.server(UInt8($0)) }
        var arguments = ChannelArguments()
        arguments.serviceConfig = ServiceConfig()
        arguments.balancing = RoundRobin()
        let channel = try Channel(
            Self.target(servers), credentials: .insecure, arguments: arguments)
        try await Self.meet([0, 1], on: channel)
    }

    @Test("does not retry when its arguments forbid it")
    func noRetries() async throws {
        let attempts = Atomic(0)
        let server = try LoopbackServer { server in
            server.unary(Self.whoAmI) { _, _ in
                attempts.add(1, ordering: .relaxed)
                throw RPCError(.unavailable, "not today")
            }
        }
        var arguments = ChannelArguments()
        var config = ServiceConfig()
        config.methods = [
            MethodConfig([.all]) {
                $0.retry = RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable])
            }
        ]
        arguments.serviceConfig = config
        arguments.usesRetryPolicies = false
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        await #expect(throws: RPCError.self) { try await channel.unary(Self.whoAmI, []) }
        #expect(attempts.load(ordering: .relaxed) == 1)
    }
}
