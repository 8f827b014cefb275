import SwiftletBalancing
import SwiftletCore
import SwiftletTransport

/// Drops calls of a cluster as its resources demand, and limits how many run at the same time (A32): the policy
/// `xds_cluster_impl_experimental`.
struct ClusterLimits: BalancingPolicy {
    let key: CallCount.Key
    let drops: [Endpoints.Drop]
    let maxRequests: UInt32
    /// Whether no call can be sent.
    let hasNoEndpoints: Bool
    /// Is added to the message of each call that has no connection (A88).
    let note: String
    /// Counts the calls; nil if the cluster does not report its load.
    let load: ClusterLoad?
    /// Whether a subchannel may have the addresses of several endpoints.
    let joinsEndpoints: Bool
    /// What metrics say of calls before an endpoint is chosen.
    let labels: BackendLabels
    let child: PolicyBox

    init(_ leaf: LeafCluster, note: String, load: ClusterLoad?, child: PolicyBox) {
        key = CallCount.Key(leaf)
        drops = leaf.endpoints?.drops ?? []
        maxRequests = leaf.cluster.maxRequests
        hasNoEndpoints = leaf.endpoints?.priorities.isEmpty ?? true
        self.note = note
        self.load = load
        joinsEndpoints = leaf.cluster.policy.joinsEndpoints
        labels = BackendLabels(service: leaf.name.string)
        self.child = child
    }

    var name: String { "xds_cluster_impl_experimental" }

    func makeBalancer() -> any Balancer { ClusterLimitsBalancer() }
}

private struct ClusterLimitsBalancer: Balancer {
    private var child = GracefulSwitch()
    private var report = BalancerReport.connecting
    private var policy: ClusterLimits?
    private var count: CallCount?
    private var subchannels = ChildSubchannels<Void>()
    /// Kept for the pickers, which share it. Empty if nothing needs the places.
    private var places = SubchannelTable<SubchannelPlace>()
    /// What the control plane says of each address, if a subchannel may have those of several endpoints and if
    /// something needs the places.
    private var addresses: [ServerAddress: MeshEndpoint.Value] = [:]
    private var random: PickerRandom?

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        guard let policy = update.policy as? ClusterLimits else { return }
        let counts = policy.load != self.policy?.load || policy.key != self.policy?.key
        if policy.key != self.policy?.key { count = CallCount.shared(policy.key) }
        self.policy = policy
        addresses = policy.joinsEndpoints ? Self.addresses(of: update.endpoints) : [:]
        if counts || policy.joinsEndpoints { index(Array(subchannels.entries.keys)) }
        if random == nil { random = PickerRandom(seed: context.randomNumber()) }
        if policy.hasNoEndpoints {
            run(&context) { $0.close(&$1) }
            child = GracefulSwitch()
            return report(&context)
        }
        let update = BalancerUpdate(endpoints: update.endpoints, policy: policy.child.policy)
        var failure: RPCError?
        run(&context, alwaysReports: true) { failure = $0.failure(of: update, &$1) }
        if let failure { throw failure }
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        run(&context) { $0.resolverFailed(error, &$1) }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {
        let entry = subchannels.subchannel(subchannel, changedTo: state)
        if entry != nil, !addresses.isEmpty { index([subchannel]) }
        run(&context) { $0.subchannel(subchannel, changedTo: state, &$1) }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, reported load: LoadReport, _ context: inout BalancerContext
    ) { run(&context) { $0.subchannel(subchannel, reported: load, &$1) } }

    mutating func timeHasCome(_ context: inout BalancerContext) {
        run(&context) { $0.timeHasCome(&$1) }
    }

    mutating func exitIdle(_ context: inout BalancerContext) {
        run(&context) { $0.exitIdle(&$1) }
    }

    mutating func close(_ context: inout BalancerContext) {
        child.close(&context)
        subchannels.removeAll()
        (places, addresses) = (SubchannelTable(), [:])
    }
}

extension ClusterLimitsBalancer {
    private mutating func run(
        _ context: inout BalancerContext, alwaysReports: Bool = false,
        _ call: (inout GracefulSwitch, inout BalancerContext) -> Void
    ) {
        let count = context.actions.count
        let report = context.reportOf { call(&child, &$0) }
        let changed = subchannels.follow(context.actions[count...], new: ())
        index(changed)
        if let report { self.report = report }
        if report != nil || alwaysReports { self.report(&context) }
    }

    /// Finds the places of subchannels that are new, or have another endpoint or another connection.
    private mutating func index(_ changed: [Subchannel]) {
        for subchannel in changed {
            let entry = subchannels.entries[subchannel]
            // Its attributes are those of the first of its endpoints.
            let connected = entry?.state?.address.flatMap { addresses[$0] }
            let value = connected ?? entry?.endpoint.attributes[MeshEndpoint.self]
            guard let value, let count else {
                places[subchannel] = nil
                continue
            }
            places[subchannel] = SubchannelPlace(
                count, policy?.load?.place(value.locality), authority: value.authority)
        }
    }

    private static func addresses(
        of endpoints: [Endpoint]
    ) -> [ServerAddress: MeshEndpoint.Value] {
        var values: [ServerAddress: MeshEndpoint.Value] = [:]
        for endpoint in endpoints {
            guard let value = endpoint.attributes[MeshEndpoint.self] else { continue }
            for address in endpoint.addresses { values[address] = value }
        }
        return values
    }

    private func report(_ context: inout BalancerContext) {
        guard let policy, let count, let random else { return }
        if policy.hasNoEndpoints {
            return context.reportFailure(
                .noConnection(
                    "xds: the cluster \(policy.key.cluster) has no endpoints (\(policy.note))"))
        }
        context.report(
            report.connectivity, LimitingPicker(report, policy, count, random, places))
    }
}

/// What the calls on a subchannel need of its endpoint, and their tracker: they are counted for the limit of the
/// cluster, and for load reports if there are any. Calls keep this, and not the count: a table has a weak reference
/// to that, which makes counting the others slow.
private final class SubchannelPlace: CallTracker {
    let count: CallCount
    /// Nil if the cluster does not report its load.
    let load: LocalityLoad?
    /// Nil if the endpoint has no name.
    let authority: String?

    init(_ count: CallCount, _ load: LocalityLoad?, authority: String?) {
        (self.count, self.load, self.authority) = (count, load, authority)
    }

    func callEnded(_ outcome: CallOutcome) {
        count.end()
        load?.end(outcome)
    }
}

/// Drops calls, and lets the others choose.
private final class LimitingPicker: Picker {
    private let child: any Picker
    private let policy: ClusterLimits
    /// Empty unless the child is READY: a call that waits is picked again for each change, and would be drawn each time.
    private let drops: [Endpoints.Drop]
    private let count: CallCount
    private let random: PickerRandom
    /// Empty if nothing needs them.
    private let places: SubchannelTable<SubchannelPlace>
    /// Of the other subchannels.
    private let noPlace: SubchannelPlace
    /// For each of the drops; empty if the cluster does not report its load.
    private let dropCounts: [DropCount]

    init(
        _ child: BalancerReport, _ policy: ClusterLimits, _ count: CallCount,
        _ random: PickerRandom, _ places: SubchannelTable<SubchannelPlace>
    ) {
        self.child = child.picker
        self.policy = policy
        let drops = child.connectivity == .ready ? policy.drops : []
        self.drops = drops
        self.count = count
        self.random = random
        self.places = places
        noPlace = SubchannelPlace(count, nil, authority: nil)
        dropCounts = policy.load.map { load in drops.map { load.drops($0.category) } } ?? []
    }

    // Inlined into the protocol's function, which would copy the pick once more.
    @inline(__always)
    func pick(_ call: borrowing PickInfo) -> Pick {
        call.meter?.isRouted(to: policy.labels)
        for index in drops.indices
        where random.next(below: 1_000_000) < drops[index].millionths {
            if !dropCounts.isEmpty { dropCounts[index].add() }
            return .drop(
                .noConnection(
                    "xds: the control plane drops calls to the cluster \(policy.key.cluster), category '\(drops[index].category)'"
                ))
        }
        guard count.begin(upTo: policy.maxRequests) else {
            policy.load?.excessDrops.add()
            return .drop(
                .noConnection(
                    "xds: \(policy.maxRequests) calls to the cluster \(policy.key.cluster) run at the same time, which is its limit"
                ))
        }
        let pick = child.pick(call)
        switch consume pick {
        case .subchannel(var subchannel, var trackers):
            let place = places[subchannel] ?? noPlace
            if let authority = place.authority, call.place?.rewritesAuthority == true {
                subchannel.authority = authority
            }
            place.load?.begin()
            trackers.add(place)
            return .subchannel(subchannel, trackers: trackers)
        case .fail(var error):
            count.end()
            error.message += " (\(policy.note))"
            return .fail(error)
        case let pick:
            count.end()
            return pick
        }
    }
}
