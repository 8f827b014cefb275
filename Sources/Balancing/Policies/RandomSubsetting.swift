public import SwiftletCore
import SwiftletTransport

/// Uses a random subset of the endpoints, so that not every client connects to every server: the
/// policy `random_subsetting_experimental` (A68).
///
/// When endpoints are added or removed, the subset changes as little as possible.
public struct RandomSubsetting: BalancingPolicy {
    /// How many endpoints are used: 1 or more.
    public var subsetSize: Int
    private var box: PolicyBox

    /// Makes the policy. A `subsetSize` below 1 counts as 1.
    public init(subsetSize: Int, policy: any BalancingPolicy) {
        self.subsetSize = subsetSize
        box = PolicyBox(policy: policy)
    }

    /// How calls are spread over the endpoints that are used.
    public var policy: any BalancingPolicy {
        get { box.policy }
        set { box.policy = newValue }
    }

    public var name: String { "random_subsetting_experimental" }

    public func makeBalancer() -> any Balancer { RandomSubsettingBalancer() }
}

/// Passes the endpoints with the lowest hashes to its child, and everything else unchanged.
struct RandomSubsettingBalancer: Balancer {
    private var child = GracefulSwitch()
    private var seed: UInt64?

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        guard let policy = update.policy as? RandomSubsetting else { return }
        let seed = seed ?? context.randomNumber()
        self.seed = seed
        let subset = Self.subset(of: update.endpoints, size: max(policy.subsetSize, 1), seed: seed)
        try child.update(BalancerUpdate(endpoints: subset, policy: policy.policy), &context)
    }

    private static func subset(of endpoints: [Endpoint], size: Int, seed: UInt64) -> [Endpoint] {
        guard endpoints.count > size else { return endpoints }
        let hashed = endpoints.map { endpoint in
            (
                hash: XXH64.hash(endpoint.addresses.first?.description ?? "", seed: seed),
                endpoint: endpoint
            )
        }
        return hashed.inOrder { $0.hash < $1.hash }.prefix(size).map(\.endpoint)
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        child.resolverFailed(error, &context)
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {
        child.subchannel(subchannel, changedTo: state, &context)
    }

    mutating func timeHasCome(_ context: inout BalancerContext) { child.timeHasCome(&context) }

    mutating func exitIdle(_ context: inout BalancerContext) { child.exitIdle(&context) }

    mutating func subchannel(
        _ subchannel: Subchannel, reported load: LoadReport, _ context: inout BalancerContext
    ) {
        child.subchannel(subchannel, reported: load, &context)
    }

    mutating func close(_ context: inout BalancerContext) { child.close(&context) }
}
