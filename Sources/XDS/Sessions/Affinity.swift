import SwiftletBalancing
import SwiftletCore

/// Sends the calls of a session to the server that their cookie names, and lets another policy choose for the other
/// calls (A55, A75): the policy `xds_override_host_experimental`.
struct Affinity: BalancingPolicy {
    /// Whether calls have sessions. If not, the policy costs calls nothing.
    let isUsed: Bool
    /// The health status of the servers to which sessions stick.
    let states: EndpointStates
    /// How long a connection is kept that only sessions need.
    let idleTimeout: Duration
    let child: PolicyBox

    var name: String { "xds_override_host_experimental" }

    func makeBalancer() -> any Balancer { AffinityBalancer() }
}

/// Makes, keeps and drops the subchannels that sessions need beside those of its child.
private struct AffinityBalancer: Balancer {
    /// The shortest time between two sweeps, and the longest one.
    private static let sweepIntervals = Duration.seconds(5)...Duration.seconds(86_400)

    private var child = GracefulSwitch()
    private var report = BalancerReport.connecting
    private var policy: Affinity?
    private let hosts = OverrideHosts()
    /// Those of the child.
    private var subchannels = ChildSubchannels<Void>()
    /// Nil while no call has a session.
    private var nextSweep: Duration?

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        guard let policy = update.policy as? Affinity else { return }
        self.policy = policy
        var endpoints = update.endpoints
        if policy.isUsed {
            let (dropped, changed) = hosts.use(endpoints, policy.states)
            for subchannel in dropped { context.drop(subchannel) }
            for (subchannel, endpoint) in changed { context.update(subchannel, to: endpoint) }
            endpoints.removeAll { $0.isDraining }
            if nextSweep == nil {
                // If sessions begin, and the endpoints stay the same, then the child does not change its subchannels.
                for (subchannel, entry) in subchannels.entries {
                    _ = hosts.record(subchannel, to: entry.key, entry.state)
                }
                sweepLater(&context)
            }
        } else {
            dropOwn(&context)
            nextSweep = nil
        }
        let update = BalancerUpdate(endpoints: endpoints, policy: policy.child.policy)
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
        guard policy?.isUsed == true else {
            _ = subchannels.subchannel(subchannel, changedTo: state)
            return run(&context) { $0.subchannel(subchannel, changedTo: state, &$1) }
        }
        if let change = hosts.record(own: subchannel, state) {
            return carryOut(change, &context)
        }
        let entry = subchannels.subchannel(subchannel, changedTo: state)
        let change = hosts.record(subchannel, to: entry?.key, state)
        run(&context) { $0.subchannel(subchannel, changedTo: state, &$1) }
        carryOut(change, &context)
    }

    mutating func subchannel(
        _ subchannel: Subchannel, reported load: LoadReport, _ context: inout BalancerContext
    ) { run(&context) { $0.subchannel(subchannel, reported: load, &$1) } }

    mutating func timeHasCome(_ context: inout BalancerContext) {
        makeWanted(&context)
        if let time = nextSweep, time <= context.now {
            let unused = hosts.sweep(unusedSince: context.now - idleTimeout, now: context.now)
            for subchannel in unused { context.drop(subchannel) }
            sweepLater(&context)
        }
        run(&context) { $0.timeHasCome(&$1) }
    }

    mutating func exitIdle(_ context: inout BalancerContext) {
        run(&context) { $0.exitIdle(&$1) }
    }

    mutating func close(_ context: inout BalancerContext) {
        dropOwn(&context)
        child.close(&context)
        subchannels.removeAll()
        nextSweep = nil
    }
}

extension AffinityBalancer {
    private var idleTimeout: Duration { policy?.idleTimeout ?? .zero }

    /// Calls the child, and keeps the subchannels that it drops and sessions need.
    private mutating func run(
        _ context: inout BalancerContext, alwaysReports: Bool = false,
        _ call: (inout GracefulSwitch, inout BalancerContext) -> Void
    ) {
        let start = context.actions.count
        let report = context.reportOf { call(&child, &$0) }
        if let report { self.report = report }
        follow(since: start, &context)
        if report != nil || alwaysReports { self.report(&context) }
    }

    private mutating func follow(since start: Int, _ context: inout BalancerContext) {
        let isUsed = policy?.isUsed == true
        if isUsed {
            let (now, oldest) = (context.now, context.now - idleTimeout)
            context.withdrawDrops(since: start) { subchannel in
                let isKept = hosts.keep(
                    subchannel, to: subchannels.entries[subchannel]?.key, ifUsedSince: oldest,
                    now: now)
                if isKept { subchannels.remove(subchannel) }
                return isKept
            }
        }
        let changed = subchannels.follow(context.actions[start...], new: ())
        guard isUsed else { return }
        for subchannel in changed {
            let entry = subchannels.entries[subchannel]
            _ = hosts.record(subchannel, to: entry?.key, entry?.state)
        }
    }

    /// What follows after a change of a subchannel: calls that wait for it choose again.
    private func carryOut(_ change: OverrideChange, _ context: inout BalancerContext) {
        for subchannel in change.dropped { context.drop(subchannel) }
        if change.isAwaited { report(&context) }
    }

    /// Connects to the servers that sessions need and the child does not.
    private func makeWanted(_ context: inout BalancerContext) {
        for (number, endpoint) in hosts.takeWanted() {
            let subchannel = context.makeSubchannel(to: endpoint, checksHealth: true)
            hosts.add(own: subchannel, to: number, now: context.now)
            context.connect(subchannel)
        }
    }

    private mutating func sweepLater(_ context: inout BalancerContext) {
        let interval = min(
            max(idleTimeout, Self.sweepIntervals.lowerBound), Self.sweepIntervals.upperBound)
        let time = context.now + interval
        nextSweep = time
        context.wake(at: time)
    }

    private func dropOwn(_ context: inout BalancerContext) {
        for subchannel in hosts.removeAll() { context.drop(subchannel) }
    }

    private func report(_ context: inout BalancerContext) {
        guard policy?.isUsed == true else { return context.report(report) }
        context.report(
            report.connectivity,
            AffinityPicker(child: report.picker, hosts: hosts, wakeBalancer: context.wakeUp))
    }
}

extension Endpoint {
    fileprivate var isDraining: Bool { attributes[MeshEndpoint.self]?.state == .draining }
}

/// Chooses the server of a call's session, and lets the child choose for other calls.
private final class AffinityPicker: Picker {
    private let child: any Picker
    private let hosts: OverrideHosts
    private let wakeBalancer: @Sendable () -> Void

    init(child: any Picker, hosts: OverrideHosts, wakeBalancer: @escaping @Sendable () -> Void) {
        (self.child, self.hosts, self.wakeBalancer) = (child, hosts, wakeBalancer)
    }

    func pick(_ call: borrowing PickInfo) -> Pick {
        guard let session = call.place?.session else { return child.pick(call) }
        switch hosts.choose(session.wanted) {
        case .send(let subchannel, let list):
            session.choose(list)
            return .subchannel(subchannel)
        case .wait(let subchannel): return .queue(connecting: subchannel)
        case .make:
            wakeBalancer()
            return .queue()
        case .none: break
        }
        let pick = child.pick(call)
        switch consume pick {
        case .subchannel(let subchannel, let trackers):
            session.choose(hosts.list(of: subchannel))
            return .subchannel(subchannel, trackers: trackers)
        case let pick: return pick
        }
    }
}
