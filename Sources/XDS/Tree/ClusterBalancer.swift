import SwiftletBalancing
import SwiftletCore
import SwiftletTransport

/// The balancer of one cluster that calls are sent to. It makes the policies of the cluster from its resources (A37,
/// A75), and tells them only what has changed.
///
/// For each cluster with endpoints: `outlier_detection`, ``ClusterLimits``, `priority`, and the cluster's own policy
/// in each priority. Above them, for an aggregate cluster: `priority`.
struct ClusterBalancer: Sendable {
    private var child = GracefulSwitch()
    private var state: ClusterState?
    /// Numbers the clusters with endpoints below an aggregate cluster.
    private(set) var leaves = Numbering<ByteText>()
    /// What is kept of each cluster with endpoints.
    private var memories: [ByteText: LeafMemory] = [:]
    private var tree: TreeContext

    init(_ tree: TreeContext) { self.tree = tree }
}

extension ClusterBalancer {
    mutating func update(
        to state: ClusterState, _ tree: TreeContext, _ context: inout BalancerContext
    ) {
        guard self.state != state || self.tree != tree else { return }
        (self.state, self.tree) = (state, tree)
        switch state {
        case .failed(let text):
            removeChild(&context)
            context.reportFailure(.noConnection(text))
        case .removed(let text):
            removeChild(&context)
            context.report(.transientFailure, DroppingPicker(error: .noConnection(text)))
        case .usable(let configuration):
            let update = update(for: configuration, at: context.now)
            do throws(RPCError) {
                try child.update(update, &context)
            } catch {
                // The balancers below have reported what they cannot use. The resolver is told of every change, so
                // it has nothing newer.
            }
        }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) { child.subchannel(subchannel, changedTo: state, &context) }

    mutating func subchannel(
        _ subchannel: Subchannel, reported load: LoadReport, _ context: inout BalancerContext
    ) { child.subchannel(subchannel, reported: load, &context) }

    mutating func timeHasCome(_ context: inout BalancerContext) { child.timeHasCome(&context) }

    mutating func exitIdle(_ context: inout BalancerContext) { child.exitIdle(&context) }

    mutating func close(_ context: inout BalancerContext) { child.close(&context) }

    private mutating func removeChild(_ context: inout BalancerContext) {
        child.close(&context)
        child = GracefulSwitch()
        memories = [:]
    }
}

/// Fails all calls, also those that wait for ready.
private final class DroppingPicker: Picker {
    private let error: RPCError

    init(error: RPCError) { self.error = error }

    func pick(_ call: borrowing PickInfo) -> Pick { .drop(error) }
}

// MARK: - Policies

extension ClusterBalancer {
    private mutating func update(
        for configuration: ClusterConfiguration, at now: Duration
    ) -> BalancerUpdate {
        leaves.keep(configuration.leaves.map(\.name))
        memories = memories.filter { leaves.numbers[$0.key] != nil }
        guard case .aggregate = configuration.cluster.discovery else {
            let (policy, endpoints) = leaf(configuration.leaves[0], path: [], at: now)
            return BalancerUpdate(endpoints: endpoints, policy: policy)
        }
        var children: [String: PriorityPolicy.Child] = [:]
        var order: [String] = []
        var endpoints: [Endpoint] = []
        for leafCluster in configuration.leaves {
            let name = "\(leaves.number(of: leafCluster.name))"
            let (policy, own) = leaf(leafCluster, path: [name], at: now)
            children[name] = PriorityPolicy.Child(policy: policy)
            order.append(name)
            endpoints += own
        }
        return BalancerUpdate(
            endpoints: endpoints, policy: PriorityPolicy(children: children, priorities: order))
    }

    /// The policy of a cluster that has endpoints, and its endpoints.
    ///
    /// - Parameter path: Where the cluster is in the tree.
    private mutating func leaf(
        _ leaf: LeafCluster, path: [String], at now: Duration
    ) -> (policy: any BalancingPolicy, endpoints: [Endpoint]) {
        var memory = memories[leaf.name] ?? LeafMemory(tree.providers)
        memory.use(leaf, tree)
        let made = LeafTree(
            leaf, path: path, at: now, node: tree.node, rewritesAuthority: tree.rewritesAuthority,
            hasSessions: tree.hasSessions, &memory)
        memories[leaf.name] = memory
        return (made.policy, made.endpoints)
    }
}

/// The name alone is also that of a frame of HTTP/2.
typealias PriorityPolicy = SwiftletBalancing.Priority
