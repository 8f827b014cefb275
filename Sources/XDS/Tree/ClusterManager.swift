import SwiftletBalancing
import SwiftletCore
import SwiftletTransport

/// Sends each call to the cluster that its route has chosen: the root of the tree (A75).
struct ClusterManager: BalancingPolicy {
    let clusters: [ByteText: ClusterState]
    let tree: TreeContext

    var name: String { "xds_cluster_manager_experimental" }

    func makeBalancer() -> any Balancer { ClusterManagerBalancer() }
}

private struct ClusterManagerBalancer: Balancer {
    private var clusters: [ByteText: ClusterBalancer] = [:]
    private var reports: [ByteText: BalancerReport] = [:]
    /// The cluster whose balancer has made a subchannel.
    private var owners: [Subchannel: ByteText] = [:]
    /// Why nothing can be used; nil if clusters can.
    private var failure: RPCError?

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        guard let policy = update.policy as? ClusterManager else { return }
        failure = nil
        keep(Set(policy.clusters.keys), &context)
        for (name, state) in policy.clusters.inOrder(by: { $0.key < $1.key }) {
            if clusters[name] == nil { clusters[name] = ClusterBalancer(policy.tree) }
            run(name, &context) { $0.update(to: state, policy.tree, &$1) }
        }
        report(&context)
    }

    /// There is no configuration any more. The calls of the last one fail, too, or wait for the next one.
    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        failure = error
        keep([], &context)
        report(&context)
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {
        guard let owner = owners[subchannel] else { return }
        let isReported = run(owner, &context) { $0.subchannel(subchannel, changedTo: state, &$1) }
        if isReported { report(&context) }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, reported load: LoadReport, _ context: inout BalancerContext
    ) {
        guard let owner = owners[subchannel] else { return }
        let isReported = run(owner, &context) { $0.subchannel(subchannel, reported: load, &$1) }
        if isReported { report(&context) }
    }

    mutating func timeHasCome(_ context: inout BalancerContext) {
        runAll(&context) { $0.timeHasCome(&$1) }
    }

    mutating func exitIdle(_ context: inout BalancerContext) {
        runAll(&context) { $0.exitIdle(&$1) }
    }

    mutating func close(_ context: inout BalancerContext) {
        for name in Array(clusters.keys) { run(name, &context) { $0.close(&$1) } }
        (clusters, reports, owners) = ([:], [:], [:])
    }
}

extension ClusterManagerBalancer {
    private typealias Call = (inout ClusterBalancer, inout BalancerContext) -> Void

    /// Closes all other clusters.
    private mutating func keep(_ names: Set<ByteText>, _ context: inout BalancerContext) {
        for name in clusters.keys.filter({ !names.contains($0) }) {
            run(name, &context) { $0.close(&$1) }
            clusters[name] = nil
            reports[name] = nil
        }
    }

    private mutating func runAll(_ context: inout BalancerContext, _ call: Call) {
        var isReported = false
        for name in clusters.keys.inOrder() {
            isReported = run(name, &context, call) || isReported
        }
        if isReported { report(&context) }
    }

    /// Calls the balancer of a cluster. Returns whether it made a report.
    @discardableResult
    private mutating func run(
        _ name: ByteText, _ context: inout BalancerContext, _ call: Call
    ) -> Bool {
        guard var cluster = clusters.removeValue(forKey: name) else { return false }
        let count = context.actions.count
        let report = context.reportOf { call(&cluster, &$0) }
        for action in context.actions[count...] {
            switch action {
            case .make(let subchannel, _, _): owners[subchannel] = name
            case .drop(let subchannel): owners[subchannel] = nil
            case .update, .connect, .reportLoad: break
            }
        }
        clusters[name] = cluster
        if let report { reports[name] = report }
        return report != nil
    }

    private func report(_ context: inout BalancerContext) {
        if let failure { return context.reportFailure(failure) }
        let states = reports.values.map(\.connectivity)
        let order: [ConnectivityState] = [.ready, .connecting, .idle]
        let connectivity = order.first(where: states.contains) ?? .transientFailure
        context.report(connectivity, ClusterPicker(reports.mapValues(\.picker)))
    }
}

/// Lets the picker of the call's cluster choose.
private final class ClusterPicker: Picker {
    /// In the order of the names. Most channels have few clusters, so that a search compares less than it would hash.
    private let pickers: [(name: ByteText, picker: any Picker)]

    init(_ pickers: [ByteText: any Picker]) {
        self.pickers = pickers.inOrder { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // Inlined into the protocol's function, which would copy the pick once more.
    @inline(__always)
    func pick(_ call: borrowing PickInfo) -> Pick {
        if let place = call.place, let picker = picker(of: place.cluster) {
            return picker.pick(call)
        }
        // The configuration of the tree is in use before the selector's (A31).
        return .fail(RPCError(.internal, "xds: the call has no cluster of the configuration"))
    }

    private func picker(of name: ByteText) -> (any Picker)? {
        let place = pickers.count > 1 ? pickers.firstPlace { !($0.name < name) } : 0
        guard place < pickers.count, pickers[place].name == name else { return nil }
        return pickers[place].picker
    }
}
