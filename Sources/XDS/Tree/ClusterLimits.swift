import SwiftletBalancing
import SwiftletCore
import SwiftletTransport

/// Drops calls of a cluster as its resources demand, and limits how many run at the same time (A32): the policy
/// `xds_cluster_impl_experimental`.
struct ClusterLimits: BalancingPolicy {
    let key: CallCount.Key
    let drops: [Endpoints.Drop]
    let maxRequests: UInt32
    /// Why no call can be sent; nil if calls can.
    let failure: String?
    let child: PolicyBox

    init(_ leaf: LeafCluster, failure: String?, child: PolicyBox) {
        key = CallCount.Key(cluster: leaf.name, endpoints: leaf.cluster.endpointsName)
        drops = leaf.endpoints?.drops ?? []
        maxRequests = leaf.cluster.maxRequests
        self.failure = failure
        self.child = child
    }

    var name: String { "xds_cluster_impl_experimental" }

    func makeBalancer() -> any Balancer { ClusterLimitsBalancer() }
}

extension Cluster {
    /// The name of the endpoints; empty if they are not a resource.
    var endpointsName: ByteText {
        if case .endpoints(let name) = discovery { name.text } else { "" }
    }
}

private struct ClusterLimitsBalancer: Balancer {
    private var child = GracefulSwitch()
    private var report = BalancerReport.connecting
    private var policy: ClusterLimits?
    private var count: CallCount?
    private var random: PickerRandom?

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        guard let policy = update.policy as? ClusterLimits else { return }
        if policy.key != self.policy?.key { count = CallCount.shared(policy.key) }
        self.policy = policy
        if random == nil { random = PickerRandom(seed: context.randomNumber()) }
        if policy.failure != nil {
            child.close(&context)
            child = GracefulSwitch()
            return report(&context)
        }
        let update = BalancerUpdate(endpoints: update.endpoints, policy: policy.child.policy)
        var failure: RPCError?
        run(&context, alwaysReports: true) { child, context in
            do throws(RPCError) {
                try child.update(update, &context)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        run(&context) { $0.resolverFailed(error, &$1) }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) { run(&context) { $0.subchannel(subchannel, changedTo: state, &$1) } }

    mutating func subchannel(
        _ subchannel: Subchannel, reported load: LoadReport, _ context: inout BalancerContext
    ) { run(&context) { $0.subchannel(subchannel, reported: load, &$1) } }

    mutating func timeHasCome(_ context: inout BalancerContext) {
        run(&context) { $0.timeHasCome(&$1) }
    }

    mutating func exitIdle(_ context: inout BalancerContext) {
        run(&context) { $0.exitIdle(&$1) }
    }

    mutating func close(_ context: inout BalancerContext) { child.close(&context) }
}

extension ClusterLimitsBalancer {
    private mutating func run(
        _ context: inout BalancerContext, alwaysReports: Bool = false,
        _ call: (inout GracefulSwitch, inout BalancerContext) -> Void
    ) {
        let report = context.reportOf { call(&child, &$0) }
        if let report { self.report = report }
        if report != nil || alwaysReports { self.report(&context) }
    }

    private func report(_ context: inout BalancerContext) {
        guard let policy, let count, let random else { return }
        if let failure = policy.failure { return context.reportFailure(.noConnection(failure)) }
        context.report(
            report.connectivity,
            LimitingPicker(child: report.picker, policy: policy, count: count, random: random))
    }
}

/// Drops calls, and lets the others choose.
private struct LimitingPicker: Picker {
    let child: any Picker
    let policy: ClusterLimits
    let count: CallCount
    let random: PickerRandom

    func pick(_ call: borrowing PickInfo) -> Pick {
        for drop in policy.drops where random.next(below: 1_000_000) < drop.millionths {
            return .drop(
                .noConnection(
                    "xds: the control plane drops calls to the cluster \(policy.key.cluster), category '\(drop.category)'"
                ))
        }
        guard count.begin(upTo: policy.maxRequests) else {
            return .drop(
                .noConnection(
                    "xds: \(policy.maxRequests) calls to the cluster \(policy.key.cluster) run at the same time, which is its limit"
                ))
        }
        let pick = child.pick(call)
        guard case .subchannel(let subchannel, let tracker) = pick else {
            count.end()
            return pick
        }
        guard let tracker else { return .subchannel(subchannel, tracker: count) }
        return .subchannel(subchannel, tracker: TrackerPair(first: tracker, second: count))
    }
}
