import SwiftletLoopback
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

/// A resolver that answers each request before the request returns, or never.
private final class PromptResolver: Resolver {
    let requests = Counter()
    private let results = Mutex<ResolverResults?>(nil)
    private let answer: Mutex<ResolverResult>
    /// It stops answering after this many requests, so that a channel which asks without a pause does not hang
    /// the test.
    private let limit: Int
    /// The requests that it does not answer.
    private let silentCount: Int

    init(_ answer: ResolverResult, limit: Int = .max, silentCount: Int = 0) {
        self.answer = Mutex(answer)
        self.limit = limit
        self.silentCount = silentCount
    }

    func change(to result: ResolverResult) { answer.withLock { $0 = result } }

    func start(_ results: ResolverResults) {
        self.results.withLock { $0 = results }
        results.report(answer.withLock { $0 })
    }

    func requestResolution() {
        requests.add()
        guard requests.count < limit, requests.count > silentCount else { return }
        results.withLock { $0 }?.report(answer.withLock { $0 })
    }

    func stop() { _ = results.withLock { $0.take() } }
}

/// Asks for another result whenever it receives one.
private struct Curious: BalancingPolicy {
    var name: String { "curious" }
    func makeBalancer() -> any Balancer { CuriousBalancer() }
}

private struct CuriousBalancer: Balancer {
    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        context.report(.transientFailure, FailingPicker(error: RPCError(.unavailable, "curious")))
        context.requestResolution()
    }
    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {}
    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {}
    mutating func close(_ context: inout BalancerContext) {}
}

@Suite("A result of the resolver that the channel rejects", .timeLimit(.minutes(5)))
struct RejectedResultTests {
    private static let whoAmI = ManyServersTests.whoAmI

    private struct Kind: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var result: ResolverResult
    }

    private static let kinds = [
        Kind(testDescription: "no endpoints", result: ResolverResult([])),
        Kind(
            testDescription: "a first service config that is not valid",
            result: ResolverResult(
                endpoints: .success([]),
                serviceConfig: .failure(RPCError(.unavailable, "bad config")))),
        Kind(
            testDescription: "a failure",
            result: ResolverResult(endpoints: .failure(RPCError(.unavailable, "no answer")))),
        Kind(
            testDescription: "a result after which the balancer asks again",
            result: ResolverResult(
                endpoints: .success([]),
                serviceConfig: .success(ServiceConfig(balancing: Curious()))
            )),
    ]

    private static func channel(
        _ resolver: PromptResolver, backoff: Duration
    ) throws -> Channel {
        let scheme = "prompt-\(ObjectIdentifier(resolver).hashValue.magnitude)"
        try Resolvers.register(scheme) { _ in resolver }
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = backoff
        arguments.maxReconnectBackoff = backoff
        return try Channel("\(scheme):///x", credentials: .insecure, arguments: arguments)
    }

    @Test("after an idle time lets calls use the last service config (A21)")
    func afterIdle() async throws {
        let server = try LoopbackServer { $0.unary(Self.whoAmI) { _, _ in [1] } }
        var result = ResolverResult([Endpoint([try ServerAddress(server.target)])])
        var config = ServiceConfig()
        config.methods = [MethodConfig([.all]) { $0.maxResponseByteCount = 0 }]
        result.serviceConfig = .success(config)
        let resolver = PromptResolver(result)
        var arguments = ChannelArguments()
        arguments.idleTimeout = .seconds(1)
        let channel = try Channel(
            OwnScheme.target { _ in resolver }, credentials: .insecure, arguments: arguments)
        for _ in 0..<2 {
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(Self.whoAmI, [])
            }
            #expect(error?.code == .resourceExhausted)
            try await eventually { channel.connectivity == .idle }
            result.serviceConfig = .failure(RPCError(.unavailable, "bad config"))
            resolver.change(to: result)
        }
    }

    @Test(
        "is asked for again only after the backoff, also if the answer is immediate",
        arguments: kinds)
    private func noSpin(kind: Kind) async throws {
        let resolver = PromptResolver(kind.result, limit: 1_000)
        let channel = try Self.channel(resolver, backoff: .seconds(3_600))
        for _ in 0..<3 {
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(Self.whoAmI, [])
            }
            #expect(error?.code == .unavailable)
        }
        #expect(resolver.requests.count == 0)
        // The network is back, so the channel does not wait for the backoff.
        (channel.backend as? ChannelCore)?.resetBackoff()
        try await eventually { resolver.requests.count == 1 }
    }

    @Test("is asked for again until one is accepted", arguments: kinds, [0, 2])
    private func asksAgain(kind: Kind, silentCount: Int) async throws {
        let server = try LoopbackServer { server in server.unary(Self.whoAmI) { _, _ in [1] } }
        let resolver = PromptResolver(kind.result, silentCount: silentCount)
        let channel = try Self.channel(resolver, backoff: .milliseconds(1))
        channel.connect()
        try await eventually { resolver.requests.count >= 3 }
        resolver.change(to: ResolverResult([Endpoint([try ServerAddress(server.target)])]))
        let options = CallOptions.with { $0.waitForReady = true }
        #expect(try await channel.unary(Self.whoAmI, [], options: options) == [1])
    }
}

/// A policy that tells the test when its balancer receives endpoints, and when it leaves idle mode.
private struct Observed: BalancingPolicy {
    /// Compared by identity: the policy must be hashable.
    final class Probe: Sendable {
        let onUpdate = Mutex<(@Sendable () -> Void)?>(nil)
    }

    let probe = Probe()
    var isLazy = false
    var name: String { "observed" }

    static func == (left: Observed, right: Observed) -> Bool { left.probe === right.probe }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(probe)) }
    func makeBalancer() -> any Balancer { ObservedBalancer(policy: self) }
}

private final class Waiting: Picker {
    func pick(_ call: borrowing PickInfo) -> Pick { .queue() }
}

/// Is `pick_first`, except that it may connect only in ``exitIdle(_:)``.
private struct ObservedBalancer: Balancer {
    let policy: Observed
    var inner: any Balancer = PickFirst().makeBalancer()
    var held: BalancerUpdate?

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        policy.probe.onUpdate.withLock { $0 }?()
        let update = BalancerUpdate(endpoints: update.endpoints, policy: PickFirst())
        guard policy.isLazy else { return try inner.update(update, &context) }
        held = update
        context.report(.idle, Waiting())
    }

    mutating func exitIdle(_ context: inout BalancerContext) {
        guard let update = held.take() else { return }
        try? inner.update(update, &context)
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {}
    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) { inner.subchannel(subchannel, changedTo: state, &context) }
    mutating func close(_ context: inout BalancerContext) { inner.close(&context) }
}

@Suite("The balancer of a channel", .timeLimit(.minutes(5)))
struct BalancerOrderTests {
    private static let whoAmI = ManyServersTests.whoAmI

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { server in server.unary(whoAmI) { _, _ in [1] } }
    }

    @Test("leaves idle mode for a call that its picker queues without a subchannel")
    func exitIdle() async throws {
        let server = try Self.server()
        var policy = Observed()
        policy.isLazy = true
        var arguments = ChannelArguments()
        arguments.balancing = policy
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
    }

    @Test("has the endpoints before the service config of the same result releases waiting calls")
    func endpointsFirst() async throws {
        let server = try Self.server()
        let policy = Observed()
        let resolver = PushedResolver(
            ResolverResult(
                endpoints: .success([Endpoint([try ServerAddress(server.target)])]),
                serviceConfig: .success(ServiceConfig(balancing: policy))))
        let channel = try Channel(resolver.target(), credentials: .insecure)
        let configs = try #require(channel.backend.methodConfigs)
        let waitingCounts = Mutex<[Int]>([])
        policy.probe.onUpdate.withLock {
            $0 = {
                let count = configs.waitingCount
                waitingCounts.withLock { $0.append(count) }
            }
        }
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
        #expect(waitingCounts.withLock { $0 } == [1])
    }
}
