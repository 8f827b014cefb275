import SwiftletBalancing
import SwiftletCore
import SwiftletTransport

/// The balancer of one cluster that calls are sent to. It makes the policies of the cluster from its resources (A37,
/// A75), and tells them only what has changed.
///
/// For each cluster with endpoints: `outlier_detection`, ``ClusterLimits``, `priority`, and the cluster's own policy
/// in each priority. Above them, for an aggregate cluster: `priority`.
struct ClusterBalancer: Sendable {
    private let name: ByteText
    private var child = GracefulSwitch()
    private var state: ClusterState?
    private var failure: RPCError?
    private var leaves = Numbering<ByteText>()
    private var priorities: [ByteText: PriorityNames] = [:]
    /// The counters of the clusters that report their load.
    private var loads: [ByteText: ClusterLoad] = [:]
    private let reports: LoadReports

    init(_ name: ByteText, _ reports: LoadReports) {
        self.name = name
        self.reports = reports
    }
}

extension ClusterBalancer {
    mutating func update(to state: ClusterState, _ context: inout BalancerContext) {
        guard self.state != state else { return }
        self.state = state
        switch state {
        case .failed(let text):
            child.close(&context)
            child = GracefulSwitch()
            loads = [:]
            let error = RPCError.noConnection(text)
            failure = error
            context.reportFailure(error)
        case .usable(let configuration):
            failure = nil
            let update = update(for: configuration)
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
}

// MARK: - Policies

extension ClusterBalancer {
    private mutating func update(for configuration: ClusterConfiguration) -> BalancerUpdate {
        let names = Set(configuration.leaves.map(\.name))
        priorities = priorities.filter { names.contains($0.key) }
        loads = loads.filter { names.contains($0.key) }
        guard case .aggregate = configuration.cluster.discovery else {
            let (policy, endpoints) = leaf(configuration.leaves[0], path: [])
            return BalancerUpdate(endpoints: endpoints, policy: policy)
        }
        var children: [String: PriorityPolicy.Child] = [:]
        var order: [String] = []
        var endpoints: [Endpoint] = []
        for leafCluster in configuration.leaves {
            let name = "\(leaves.number(of: leafCluster.name))"
            let (policy, own) = leaf(leafCluster, path: [name])
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
        _ leaf: LeafCluster, path: [String]
    ) -> (policy: any BalancingPolicy, endpoints: [Endpoint]) {
        var names = priorities[leaf.name] ?? PriorityNames()
        let tree = LeafTree(leaf, path: path, &names, load: load(of: leaf))
        priorities[leaf.name] = names
        return (tree.policy, tree.endpoints)
    }

    private mutating func load(of leaf: LeafCluster) -> ClusterLoad? {
        guard let settings = ClusterLoad.Settings(leaf) else {
            loads[leaf.name] = nil
            return nil
        }
        if let load = loads[leaf.name], load.settings == settings { return load }
        let load = reports.load(settings)
        loads[leaf.name] = load
        return load
    }
}

/// The name alone is also that of a frame of HTTP/2.
typealias PriorityPolicy = SwiftletBalancing.Priority
