import SwiftletBalancing
import SwiftletCore

extension MeshSelector {
    /// What a call would get, by the same steps as ``select(for:_:)``.
    ///
    /// - Parameters:
    ///   - path: The path of its method.
    ///   - authority: The authority of the channel.
    ///   - clusters: The clusters of the configuration.
    func explanation(
        for path: String, _ metadata: Metadata, authority: String,
        _ clusters: [ByteText: ClusterState]
    ) -> XDS.Explanation {
        let call = CallHeaders(path: path, metadata: metadata)
        var skipped: [XDS.Explanation.Skipped] = []
        var random = SplitMix64(seed: random.next())
        let found = table.decide(call, random: &random, passesAll: true) {
            index, mismatch in
            let route = table.route(at: index)
            skipped.append(
                XDS.Explanation.Skipped(
                    route: .init(index, route), reason: route.match.reason(mismatch, call)))
        }
        let outcome: XDS.Explanation.Outcome
        if let index = found.index {
            let route = XDS.Explanation.Route(index, table.route(at: index))
            if case .forward(let end) = found.decision {
                outcome = .forward(route, forward(call, table.ends[end], clusters))
            } else {
                outcome = .otherAction(route)
            }
        } else {
            outcome = .noRoute
        }
        return XDS.Explanation(
            domains: table.domains.map { "\($0)" }, authority: "\(ByteText(authority))",
            skipped: skipped, outcome: outcome)
    }

    private func forward(
        _ call: CallHeaders, _ routed: RoutedCall, _ clusters: [ByteText: ClusterState]
    ) -> XDS.Explanation.Forward {
        let forwarding = routed.forwarding
        var choices: [XDS.Explanation.Forward.Choice] = []
        if case .weighted(let weighted) = forwarding.destination {
            choices = weighted.map { .init(cluster: "\($0.name)", weight: $0.weight) }
        }
        return XDS.Explanation.Forward(
            cluster: "\(routed.cluster)", choices: choices,
            timeout: routed.maxDuration(of: listener),
            retry: forwarding.retry.map { XDS.Explanation.Retry($0) },
            hash: XDS.Explanation.Hash(
                parts: forwarding.hashPolicies.map { "\($0)" },
                value: forwarding.hashPolicies.hash(of: call, channelID: channelID)),
            rewritesAuthority: forwarding.rewritesAuthority,
            filters: listener.filters.filter { $0.config != .router }
                .map { .init($0, routed.override(of: $0.name)) },
            destination: .init(clusters[routed.cluster]))
    }
}

extension Route.Match {
    /// Why the route does not match a call.
    fileprivate func reason(_ mismatch: RouteMismatch, _ call: CallHeaders) -> String {
        switch mismatch {
        case .path: return "the path is \(TextMatcher.quoted(Array(call.path.utf8)))"
        case .header(let index):
            let name = headers[index].name
            guard let value = call.value(of: name) else {
                return "the call has no header '\(name)'"
            }
            return "the header '\(name)' is \(TextMatcher.quoted(value))"
        case .fraction(let drawn):
            let percent = Self.percent(millionths ?? 0)
            return
                "it is for \(percent) of the calls, and this one has drawn \(drawn) of 1000000"
        }
    }
}

// MARK: - Parts

extension XDS.Explanation.Route {
    fileprivate init(_ index: Int, _ route: Route) {
        self.init(index: index, conditions: route.match.conditions)
    }
}

extension XDS.Explanation.Retry {
    fileprivate init(_ policy: RetryPolicy) {
        self.init(
            maxAttempts: policy.maxAttempts,
            codes: policy.retryableCodes.map { "\($0)" }.sorted(),
            initialBackoff: policy.initialBackoff, maxBackoff: policy.maxBackoff)
    }
}

extension XDS.Explanation.Filter {
    fileprivate init(_ filter: Listener.Filter, _ override: FilterOverride?) {
        let isDisabled =
            switch override {
            case .disabled?: true
            case nil: filter.isDisabled
            default: false
            }
        self.init(
            name: "\(filter.name)", isDisabled: isDisabled, isOverridden: override != nil)
    }
}

extension XDS.Explanation.Destination {
    fileprivate init(_ state: ClusterState?) {
        switch state {
        case nil: self = .failed("the cluster is not in the configuration")
        case .failed(let text)?, .removed(let text)?: self = .failed(text)
        case .usable(let configuration)?: self = .clusters(configuration.leaves.map { .init($0) })
        }
    }
}

extension XDS.Explanation.Leaf {
    fileprivate init(_ leaf: LeafCluster) {
        self.init(
            name: "\(leaf.name)", policy: "\(leaf.cluster.policy)",
            maxRequests: leaf.cluster.maxRequests,
            drops: (leaf.endpoints?.drops ?? []).map {
                .init(category: "\($0.category)", millionths: $0.millionths)
            },
            priorities: (leaf.endpoints?.priorities ?? []).map { groups in
                groups.map { .init($0) }
            },
            note: leaf.note)
    }
}

extension XDS.Explanation.Locality {
    fileprivate init(_ group: Endpoints.Group) {
        let parts = [group.locality.region, group.locality.zone, group.locality.subZone]
        self.init(
            name: parts.filter { !$0.isEmpty }.map { "\($0)" }.joined(separator: "/"),
            weight: group.weight,
            endpoints: group.endpoints.map { endpoint in
                .init(
                    addresses: endpoint.addresses.map { "\($0)" },
                    hostName: "\(endpoint.hostName)", weight: endpoint.weight,
                    isDraining: endpoint.state == .draining)
            })
    }
}
