import SwiftletBalancing
import SwiftletCore

/// Chooses the route of each call of a channel, and with it the cluster and the settings (A31).
final class MeshSelector: ConfigSelector {
    let listener: Listener
    let table: RouteTable
    /// At the numbers of the ends of the table.
    private let plans: [CallPlan]
    private let uses: [ByteText: ClusterUse]
    /// The same for all calls of the channel.
    let channelID: UInt64
    let random: PickerRandom

    /// - Parameter uses: Those of all clusters of the routes.
    init(
        _ configuration: MeshConfiguration, _ uses: [ByteText: ClusterUse], channelID: UInt64,
        seed: UInt64 = .random(in: 0 ... .max)
    ) {
        random = PickerRandom(seed: seed)
        listener = configuration.listener
        table = RouteTable(configuration.virtualHost)
        plans = table.ends.map { end in
            // Always one of `uses`, which has each cluster of the routes.
            let use = uses[end.cluster] ?? ClusterUse(end.cluster) { _ in }
            return CallPlan(end, use, configuration.listener)
        }
        self.uses = uses
        self.channelID = channelID
    }

    func select(for path: String, _ metadata: Metadata) throws(RPCError) -> CallSelection {
        let call = CallHeaders(path: path, metadata: metadata)
        var random = SplitMix64(seed: random.next())
        switch table.decide(call, random: &random).decision {
        case .noRoute: throw .noConnection("xds: no route matches the call")
        case .otherAction:
            throw .noConnection("xds: the call matches a route that forwards no calls")
        case .forward(let end): return selection(for: call, plans[end], &random)
        }
    }

    private func selection(
        for call: CallHeaders, _ plan: CallPlan, _ random: inout SplitMix64
    ) -> CallSelection {
        // A call without a hash goes to a random endpoint (A42).
        let hash =
            plan.forwarding.hashPolicies.hash(of: call, channelID: channelID) ?? random.next()
        let fault =
            plan.faults.isEmpty ? nil : FaultInjection(plan.faults, call, random: &random)
        guard let cookie = plan.cookies.first(where: { $0.isSent(to: call.path) }) else {
            let rules = fault.map { plan.rules(with: $0) } ?? plan.rules
            return CallSelection(rules, requestHash: hash, cluster: plan)
        }
        let server = cookie.server(of: call.metadata)
        // A60: the cluster of a session is kept if the route still has it.
        let kept = plan.forwarding.has(server.cluster) ? uses[server.cluster] : nil
        let use = kept ?? plan.use
        let session = Session(cookie, server, in: use.name)
        let place = use.place(
            rewritingAuthority: plan.forwarding.rewritesAuthority, of: session)
        let rules = CallRules(
            plan.rules.config, attributes: place, filter: fault, responseFilter: session)
        return CallSelection(rules, requestHash: hash, cluster: use)
    }
}

/// What is the same for all calls to a cluster by a route.
private final class CallPlan: Sendable {
    let forwarding: Forwarding
    /// Calls without a session keep the plan, and not this: the resolver has a weak reference to it, which makes
    /// counting the others slow.
    let use: ClusterUse
    /// Of the calls without a session and without a fault.
    let rules: CallRules
    /// Of the filters that are on. A session has the first cookie that is sent to the call's path.
    let cookies: [SessionCookie]
    /// Of the filters that are on, in the order in which a call passes them.
    let faults: [FaultConfig]

    init(_ end: RoutedCall, _ use: ClusterUse, _ listener: Listener) {
        forwarding = end.forwarding
        let config = MethodConfig([]) { [forwarding] in
            $0.timeout = end.maxDuration(of: listener)
            $0.retry = forwarding.retry
        }
        self.use = use
        rules = CallRules(
            config, attributes: use.place(rewritingAuthority: forwarding.rewritesAuthority))
        var (cookies, faults): ([SessionCookie], [FaultConfig]) = ([], [])
        for filter in listener.filters {
            switch end.config(of: filter) {
            case .statefulSession(let cookie?)?: cookies.append(cookie)
            case .fault(let fault)?: faults.append(fault)
            case .statefulSession(nil)?, .router?, nil: break
            }
        }
        (self.cookies, self.faults) = (cookies, faults)
    }

    func rules(with fault: FaultInjection) -> CallRules {
        CallRules(rules.config, attributes: rules.attributes, filter: fault)
    }
}

extension RoutedCall {
    /// The configuration of a filter for the calls; nil if it is off.
    fileprivate func config(of filter: Listener.Filter) -> FilterConfig? {
        switch (filter.config, override(of: filter.name)) {
        case (_, .disabled?): nil
        case (.fault, .fault(let other)?): .fault(other)
        case (.statefulSession, .statefulSession(let other)?): .statefulSession(other)
        default: filter.isDisabled ? nil : filter.config
        }
    }
}

extension Forwarding {
    /// Whether calls of the route can go to a cluster.
    fileprivate func has(_ cluster: ByteText) -> Bool {
        switch destination {
        case .cluster(let name): name == cluster
        case .weighted(let clusters): clusters.contains { $0.name == cluster }
        }
    }
}
