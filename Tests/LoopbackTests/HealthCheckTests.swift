import SwiftletBalancing
import SwiftletLoopback
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("Health checks by the client (A17)", .timeLimit(.minutes(5)))
struct HealthCheckTests {
    private static let whoAmI = ManyServersTests.whoAmI
    private static let service = "t.T"

    private static func server(_ number: UInt8, _ health: HealthService?) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(whoAmI) { _, _ in [number] }
            if let health { server.add(health) }
        }
    }

    private static func arguments(_ policy: any BalancingPolicy = RoundRobin()) -> ChannelArguments
    {
        var arguments = ChannelArguments()
        var config = ServiceConfig(balancing: policy)
        config.healthCheckServiceName = service
        arguments.serviceConfig = config
        arguments.initialReconnectBackoff = .milliseconds(5)
        return arguments
    }

    private static func channel(
        _ servers: [LoopbackServer], _ arguments: ChannelArguments = arguments()
    ) throws -> Channel {
        try Channel(
            "ipv4:" + servers.map(\.target).joined(separator: ","), credentials: .insecure,
            arguments: arguments)
    }

    /// The servers that answer `count` calls.
    private static func answers(_ count: Int, on channel: Channel) async throws -> Set<UInt8> {
        var answers: Set<UInt8> = []
        for _ in 0..<count {
            answers.insert(
                try await channel.unary(whoAmI, [], options: .with { $0.waitForReady = true })[0])
        }
        return answers
    }

    private static func answersBecome(_ expected: Set<UInt8>, on channel: Channel) async throws {
        while try await answers(6, on: channel) != expected {}
    }

    @Test("take only the server that does not serve out of use")
    func unhealthyServer() async throws {
        let healths = (0..<3).map { _ in HealthService() }
        for health in healths { health.set(.serving, for: Self.service) }
        let servers = try healths.enumerated().map { try Self.server(UInt8($0.offset), $0.element) }
        let channel = try Self.channel(servers)
        try await Self.answersBecome([0, 1, 2], on: channel)
        healths[1].set(.notServing, for: Self.service)
        try await Self.answersBecome([0, 2], on: channel)
        #expect(try await Self.answers(9, on: channel) == [0, 2])
        healths[1].set(.serving, for: Self.service)
        try await Self.answersBecome([0, 1, 2], on: channel)
        // Each server has had only one connection.
        #expect(servers.map(\.connectionCount) == [1, 1, 1])
        await channel.close()
        try await eventually { healths.allSatisfy { $0.watcherCount(of: Self.service) == 0 } }
    }

    @Test("give the reason of failed calls when no server serves, and wait-for-ready calls wait")
    func nobodyServes() async throws {
        let health = HealthService()
        health.set(.notServing, for: Self.service)
        let server = try Self.server(1, health)
        let channel = try Self.channel([server])
        let thrown = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.whoAmI, [])
        }
        #expect(thrown?.code == .unavailable)
        #expect(thrown?.message == "\(server.target) reports that 't.T' is NOT_SERVING")
        #expect(thrown?.mayHaveBeenExecuted == false)
        #expect(channel.connectivity == .transientFailure)
        async let reply = channel.unary(
            Self.whoAmI, [], options: .with { $0.waitForReady = true })
        health.set(.serving, for: Self.service)
        #expect(try await reply == [1])
    }

    @Test("make calls wait until the first answer")
    func firstAnswer() async throws {
        let gate = Gate()
        let server = try LoopbackServer { server in
            server.unary(Self.whoAmI) { _, _ in [1] }
            server.serverStreaming(Self.watch) { _, replies, context in
                await gate.pass()
                try await replies.write([8, 1])
                try await context.sleep(for: .seconds(3_600))
            }
        }
        let channel = try Self.channel([server])
        channel.connect()
        await gate.waitFor(1)
        #expect(channel.connectivity == .connecting)
        async let reply = channel.unary(Self.whoAmI, [])
        gate.open()
        #expect(try await reply == [1])
        #expect(channel.connectivity == .ready)
    }

    private static let watch = Method<[UInt8], [UInt8]>(
        "/grpc.health.v1.Health/Watch", .serverStreaming, request: .bytes, reply: .bytes)

    @Test("send the call credentials of the channel", arguments: [true, false])
    func credentials(areKept: Bool) async throws {
        let server = try LoopbackServer { server in
            server.unary(Self.whoAmI) { _, _ in [1] }
            server.serverStreaming(Self.watch) { _, replies, context in
                guard context.metadata["authorization"] == "Bearer t" else {
                    throw RPCError(.unauthenticated, "who are you?")
                }
                try await replies.write([8, 1])
                try await context.sleep(for: .seconds(3_600))
            }
        }
        let token =
            areKept
            ? BearerToken("t", allowsInsecureConnections: true)
            : BearerToken(allowsInsecureConnections: true) {
                try await Task.sleep(for: .milliseconds(5))
                return BearerToken.Token("t", validFor: .zero)
            }
        let channel = try Channel(
            server.target, credentials: .insecure, arguments: Self.arguments(),
            defaultOptions: .with { $0.credentials = token })
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
        // Does not wait for the channel's own call.
        await channel.close(grace: .seconds(3_600))
        #expect(server.connectionCount == 1)
    }

    @Test("fail with the credentials, and take the server out of use")
    func failingCredentials() async throws {
        let health = HealthService()
        health.set(.serving, for: Self.service)
        let server = try Self.server(1, health)
        let isBroken = Atomic(true)
        let token = BearerToken(allowsInsecureConnections: true) {
            if isBroken.load(ordering: .relaxed) { throw RPCError(.unavailable, "no token") }
            return BearerToken.Token("t")
        }
        let channel = try Channel(
            server.target, credentials: .insecure, arguments: Self.arguments(),
            defaultOptions: .with { $0.credentials = token })
        channel.connect()
        for await state in channel.connectivityChanges where state == .transientFailure { break }
        isBroken.store(false, ordering: .relaxed)
        #expect(try await Self.answers(1, on: channel) == [1])
    }

    @Test("count a server without the service as healthy")
    func unimplemented() async throws {
        let server = try Self.server(1, nil)
        let channel = try Self.channel([server])
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
        #expect(channel.connectivity == .ready)
    }

    @Test(
        "are made by policies that spread calls, unless the arguments forbid them",
        arguments: [
            (RoundRobin(), true, true), (PickFirst(), true, false), (RoundRobin(), false, false),
            (LeastRequest(), true, true), (WeightedRoundRobin(), true, true),
        ] as [(any BalancingPolicy, Bool, Bool)])
    func policies(policy: any BalancingPolicy, isAllowed: Bool, isChecked: Bool) async throws {
        let health = HealthService()
        let server = try Self.server(1, health)
        var arguments = Self.arguments(policy)
        arguments.checksHealth = isAllowed
        let channel = try Self.channel([server], arguments)
        if isChecked {
            // The service is not known to the server, so that it counts as unhealthy.
            await #expect(throws: RPCError.self) { try await channel.unary(Self.whoAmI, []) }
            #expect(health.watcherCount(of: Self.service) == 1)
        } else {
            #expect(try await channel.unary(Self.whoAmI, []) == [1])
            #expect(health.watcherCount(of: Self.service) == 0)
        }
    }

    @Test("follow a change of the service config to another service, and to none")
    func otherService() async throws {
        let health = HealthService()
        health.set(.serving, for: "a")
        health.set(.serving, for: "b")
        let server = try Self.server(1, health)
        let endpoints = [Endpoint([try ServerAddress(server.target)])]
        func result(_ service: String?) -> ResolverResult {
            var config = ServiceConfig(balancing: RoundRobin())
            config.healthCheckServiceName = service
            return ResolverResult(
                endpoints: .success(endpoints), serviceConfig: .success(config))
        }
        let resolver = PushedResolver(result("a"))
        let channel = try Channel(resolver.target(), credentials: .insecure)
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
        #expect(health.watcherCount(of: "a") == 1)
        await resolver.push(result("b"))
        try await eventually {
            health.watcherCount(of: "b") == 1 && health.watcherCount(of: "a") == 0
        }
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
        await resolver.push(result(nil))
        try await eventually { health.watcherCount(of: "b") == 0 }
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
        #expect(server.connectionCount == 1)
    }

    @Test("that fail take the server out of use until one succeeds")
    func failingChecks() async throws {
        let calls = Atomic(0)
        let gate = Gate()
        let server = try LoopbackServer { server in
            server.unary(Self.whoAmI) { _, _ in [1] }
            server.serverStreaming(Self.watch) { _, replies, context in
                switch calls.add(1, ordering: .relaxed).newValue {
                case 1: throw RPCError(.internal, "no health today")
                case 2: try await replies.write([0xff])
                default:
                    await gate.pass()
                    try await replies.write([8, 1])
                }
                try await context.sleep(for: .seconds(3_600))
            }
        }
        let channel = try Self.channel([server])
        let thrown = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.whoAmI, [])
        }
        #expect(thrown?.code == .unavailable)
        #expect(
            thrown?.message.hasPrefix("the health check of \(server.target) failed with") == true)
        await gate.waitFor(1)
        gate.open()
        #expect(try await Self.answers(1, on: channel) == [1])
        #expect(server.connectionCount == 1)
    }

    @Test("do not make a server that closes each connection after one check successful")
    func closingServer() async throws {
        let server = try LoopbackServer { server in
            server.unary(Self.whoAmI) { _, _ in [1] }
            server.add(HealthService())
            server.faults = [.on("/grpc.health.v1.Health/Watch", .drop)]
        }
        var arguments = Self.arguments()
        arguments.initialReconnectBackoff = .seconds(3_600)
        arguments.maxReconnectBackoff = .seconds(3_600)
        let channel = try Self.channel([server], arguments)
        // The end of the connection is not a result of the check.
        let thrown = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.whoAmI, [])
        }
        #expect((thrown?.reconnection?.nextAttempt ?? .zero) > .seconds(30))
        #expect(server.connectionCount == 1)
    }
}
