import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("Replacing a policy")
struct GracefulSwitchTests {
    /// Makes a switch, so that a channel can run it.
    private struct Switching: BalancingPolicy {
        var name: String { "switch" }
        func makeBalancer() -> any Balancer { GracefulSwitch() }
    }

    @Test("calls use the old policy until the new one is READY")
    func ready() throws {
        var channel = VirtualChannel(Switching())
        try channel.update(Endpoint.many(1), PickFirst())
        let old = channel.live[0]
        channel.change(old, to: .ready)
        try channel.update(Endpoint.many(2), RoundRobin())
        #expect(channel.outcome() == "10.0.0.1:80" && channel.picker is SinglePicker)
        #expect(channel.dropped.isEmpty)
        channel.change(channel.live[1], to: .connecting)
        #expect(channel.picker is SinglePicker)
        channel.change(channel.live[1], to: .ready)
        #expect(channel.picker is RoundRobinPicker)
        #expect(channel.dropped == [old])
    }

    @Test("a new policy that fails replaces the old one")
    func failed() throws {
        var channel = VirtualChannel(Switching())
        try channel.update(Endpoint.many(1), PickFirst())
        channel.change(channel.live[0], to: .ready)
        try channel.update(Endpoint.many(1), RoundRobin())
        channel.change(channel.live[1], to: .transientFailure)
        #expect(channel.connectivity == .transientFailure && channel.live.count == 1)
    }

    @Test("an old policy that is not READY is replaced at once")
    func notReady() throws {
        var channel = VirtualChannel(Switching())
        try channel.update(Endpoint.many(1), PickFirst())
        try channel.update(Endpoint.many(1), RoundRobin())
        #expect(channel.live.count == 1 && channel.connectivity == .connecting)
        try channel.update(Endpoint.many(1), PickFirst())
        channel.change(channel.live[0], to: .ready)
        try channel.update(Endpoint.many(1), RoundRobin())
        channel.change(channel.live[0], to: .idle)
        #expect(channel.live.count == 1 && channel.connectivity == .connecting)
    }

    @Test("a second new policy replaces the first one that is not in use yet")
    func twice() throws {
        var channel = VirtualChannel(Switching())
        try channel.update(Endpoint.many(1), PickFirst())
        channel.change(channel.live[0], to: .ready)
        try channel.update(Endpoint.many(1), RoundRobin())
        try channel.update(Endpoint.many(1), LeastRequest())
        #expect(channel.live.count == 2)
        channel.change(channel.live[1], to: .ready)
        #expect(channel.picker is LeastRequestPicker)
    }

    @Test("an error of the new policy is thrown, and its failure counts")
    func throwing() throws {
        var channel = VirtualChannel(Switching())
        try channel.update(Endpoint.many(1), PickFirst())
        channel.change(channel.live[0], to: .ready)
        #expect(throws: RPCError.self) { try channel.update([], RoundRobin()) }
        #expect(channel.connectivity == .transientFailure && channel.live.isEmpty)
        channel.close()
    }
}

@Suite("A policy that contains another one")
struct ContainingPolicyTests {
    /// Makes a switch, so that a channel can run it.
    private struct Switching: BalancingPolicy {
        var name: String { "switch" }
        func makeBalancer() -> any Balancer { GracefulSwitch() }
    }

    private static let inner: WeightedRoundRobin = {
        var policy = WeightedRoundRobin()
        policy.enableOutOfBandLoadReport = true
        policy.blackoutPeriod = .zero
        return policy
    }()

    private static func shares(
        _ outer: some BalancingPolicy, _ policy: some BalancingPolicy
    ) throws -> [String: Int] {
        var channel = VirtualChannel(outer)
        try channel.update(
            (1...2).map { number in try .at("10.0.0.\(number):80") { $0.path = ["a"] } }, policy)
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        for (number, callCount) in [(1, 30.0), (2, 10.0)] {
            var load = LoadReport()
            load.requestsPerSecond = callCount
            load.cpuUtilization = 0.1
            channel.report(load, of: "10.0.0.\(number):80")
        }
        channel.advance(by: .seconds(1))
        return channel.shares(of: 4_000)
    }

    @Test("gives it the load reports of its endpoints")
    func loadReports() throws {
        let priority = Priority(children: ["a": .init(policy: Self.inner)], priorities: ["a"])
        let targets = WeightedTarget(["a": .init(weight: 1, policy: Self.inner)])
        let subset = RandomSubsetting(subsetSize: 2, policy: Self.inner)
        let detection = OutlierDetection(policy: Self.inner)
        let shares = try [
            Self.shares(Switching(), Self.inner), Self.shares(priority, priority),
            Self.shares(targets, targets), Self.shares(subset, subset),
            Self.shares(detection, detection),
        ]
        for share in shares { #expect(abs((share["10.0.0.1:80"] ?? 0) - 3_000) <= 20) }
    }
}

@Suite("weighted_target (A28)")
struct WeightedTargetTests {
    private func policy(_ weights: [String: UInt32]) -> WeightedTarget {
        WeightedTarget(weights.mapValues { .init(weight: $0, policy: RoundRobin()) })
    }

    private func endpoints(_ names: String...) throws -> [Endpoint] {
        try names.enumerated().map { index, name in
            try .at("10.0.0.\(index + 1):80") { $0.path = [name] }
        }
    }

    private func channel(_ weights: [String: UInt32]) throws -> VirtualChannel {
        var channel = VirtualChannel(policy(weights))
        try channel.update(endpoints("a", "b"), policy(weights))
        return channel
    }

    @Test("distributes picks to the child policies that are READY, based on the weights")
    func weights() throws {
        var channel = try channel(["a": 1, "b": 3])
        channel.change("10.0.0.1:80", to: .ready)
        #expect(channel.shares(of: 100) == ["10.0.0.1:80": 100])
        channel.change("10.0.0.2:80", to: .ready)
        #expect(abs((channel.shares(of: 4_000)["10.0.0.2:80"] ?? 0) - 3_000) < 150)
    }

    @Test("the first element of the path is removed for the child")
    func paths() throws {
        let channel = try channel(["a": 1, "b": 1])
        #expect(channel.endpoints.values.allSatisfy { $0.attributes.path.isEmpty })
        #expect(channel.live.count == 2)
    }

    @Test("the paths of the children's endpoints share the names of the first")
    func sharedPaths() throws {
        var attributes = EndpointAttributes()
        attributes.path = ["cluster", "region", "zone"]
        let endpoints = Array(repeating: Endpoint([], attributes: attributes), count: 3)
        let below = try #require(endpoints.byChild()["cluster"]?.byChild()["region"])
        #expect(below.map(\.attributes.path) == [["zone"], ["zone"], ["zone"]])
        #expect(below.byChild()["zone"]?.byChild().isEmpty ?? false)
        #expect(endpoints[0].attributes.path == ["cluster", "region", "zone"])
        var equal = EndpointAttributes()
        equal.path = ["zone"]
        #expect(below[0].attributes == equal)
        #expect(below[0].attributes.hashValue == equal.hashValue)
        // A slice of the first array, not an array of its own.
        #expect(below.allSatisfy { $0.attributes.names.indices == 2..<3 })
    }

    @Test("the state is the aggregated state of all children")
    func aggregation() throws {
        var channel = try channel(["a": 1, "b": 1])
        #expect(channel.connectivity == .connecting)
        channel.change("10.0.0.1:80", to: .transientFailure, failure: RPCError(.unavailable, "no"))
        #expect(channel.connectivity == .connecting && channel.outcome() == "queue")
        channel.change("10.0.0.2:80", to: .transientFailure, failure: RPCError(.unavailable, "no"))
        #expect(channel.connectivity == .transientFailure && channel.outcome() == "fail: no")
    }

    @Test("a child that is IDLE is connected again at once")
    func idle() throws {
        let policy = WeightedTarget(["a": .init(weight: 1, policy: PickFirst())])
        var channel = VirtualChannel(policy)
        try channel.update(endpoints("a"), policy)
        channel.change(channel.live[0], to: .ready)
        channel.change(channel.live[0], to: .idle)
        #expect(channel.connectRequests.count == 2 && channel.connectivity == .connecting)
    }

    @Test("a child that begins IDLE is connected")
    func idleAtFirst() throws {
        let policy = WeightedTarget(["a": .init(weight: 1, policy: RingHash())])
        var channel = VirtualChannel(policy)
        try channel.update(endpoints("a"), policy)
        #expect(channel.connectRequests.count == 1)
    }

    @Test("a child policy that is removed is cached for 15 minutes")
    func cache() throws {
        var channel = try channel(["a": 1, "b": 1])
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        try channel.update(endpoints("a"), policy(["a": 1]))
        #expect(channel.shares(of: 50).count == 1 && channel.live.count == 2)
        channel.advance(by: .seconds(899))
        try channel.update(endpoints("a", "b"), policy(["a": 1, "b": 1]))
        #expect(channel.shares(of: 100).count == 2 && channel.made.count == 2)
        channel.advance(by: .seconds(3_600))
        #expect(channel.live.count == 2)
        try channel.update(endpoints("a"), policy(["a": 1]))
        channel.advance(by: .seconds(901))
        #expect(channel.live.count == 1)
    }

    @Test("a child without endpoints fails, and the others continue")
    func emptyChild() throws {
        var channel = VirtualChannel(policy(["a": 1, "z": 1]))
        #expect(throws: RPCError.self) {
            try channel.update(endpoints("a", "nobody"), policy(["a": 1, "z": 1]))
        }
        channel.change("10.0.0.1:80", to: .ready)
        #expect(channel.outcome() == "10.0.0.1:80")
    }

    @Test("without targets, or with weights of 0 alone, calls fail", arguments: [[:], ["a": 0]])
    func noTargets(weights: [String: UInt32]) throws {
        var channel = VirtualChannel(policy(weights))
        try channel.update(endpoints("a"), policy(weights))
        #expect(channel.connectivity == .transientFailure)
    }
}

@Suite("random_subsetting (A68)")
struct RandomSubsettingTests {
    private let policy = RandomSubsetting(subsetSize: 5, policy: RoundRobin())

    private func subset(_ count: Int, seed: UInt64) throws -> Set<String> {
        var channel = VirtualChannel(policy, seed: seed)
        try channel.update(Endpoint.many(count), policy)
        return Set(channel.endpoints.values.map(\.description))
    }

    @Test("passes subset_size endpoints to the child, different ones in different clients")
    func size() throws {
        let subsets = try (1...20).map { try subset(50, seed: $0) }
        #expect(subsets.allSatisfy { $0.count == 5 })
        #expect(Set(subsets.joined()).count > 35)
    }

    @Test("if the number of endpoints is less than subset_size, uses all of them")
    func few() throws {
        #expect(try subset(3, seed: 1).count == 3)
    }

    @Test("if a single server is added or removed, at most 1 entry of the subset changes")
    func churn() throws {
        var channel = VirtualChannel(policy)
        try channel.update(Endpoint.many(50), policy)
        let before = Set(channel.endpoints.values.map(\.description))
        for removed in try Endpoint.many(50) {
            try channel.update(Endpoint.many(50).filter { $0 != removed }, policy)
            let after = Set(channel.endpoints.values.map(\.description))
            #expect(before.subtracting(after).count == (before.contains("\(removed)") ? 1 : 0))
        }
    }

    @Test("forwards states and load reports")
    func passesThrough() throws {
        var channel = VirtualChannel(policy)
        try channel.update(Endpoint.many(9), policy)
        for subchannel in channel.live { channel.change(subchannel, to: .ready) }
        #expect(channel.shares(of: 100).count == 5)
        #expect(throws: RPCError.self) { try channel.update([], policy) }
    }
}
