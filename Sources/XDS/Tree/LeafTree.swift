import SwiftletBalancing
import SwiftletCore
import SwiftletTransport

/// The policies of a cluster that has endpoints, and the endpoints with their places in these policies.
struct LeafTree {
    let policy: any BalancingPolicy
    let endpoints: [Endpoint]

    /// - Parameters:
    ///   - path: Where the cluster is in the tree.
    ///   - now: For the names of localities that come back.
    ///   - node: The name of the program at the control plane.
    ///   - rewritesAuthority: Whether calls of a route have the name of their endpoint as the authority.
    ///   - hasSessions: Whether calls can have sessions.
    ///   - memory: What is kept of the cluster, which uses its newest resources already.
    init(
        _ leaf: LeafCluster, path: [String], at now: Duration, node: String = "",
        rewritesAuthority: Bool = false, hasSessions: Bool = false, _ memory: inout LeafMemory
    ) {
        let priorities = leaf.endpoints?.priorities ?? []
        let priorityNames = memory.names.names(
            for: priorities, hasLocalities: leaf.cluster.policy.hasLocalities, at: now)
        // Endpoints that drain get only the calls of sessions.
        let keepsDraining = hasSessions && leaf.cluster.sessionStates.contains(.draining)
        let needsPlace = memory.load != nil || rewritesAuthority || hasSessions
        let isLookedUp = if case .dns = leaf.cluster.discovery { true } else { false }
        var children: [String: PriorityPolicy.Child] = [:]
        var endpoints: [Endpoint] = []
        for (name, groups) in zip(priorityNames, priorities) {
            children[name] = PriorityPolicy.Child(
                policy: leaf.cluster.policy.policy(for: groups, memory.names),
                ignoresResolutionRequests: !isLookedUp)
            endpoints += Self.endpoints(
                groups, leaf, path + [name], needsPlace: needsPlace,
                keepsDraining: keepsDraining, &memory)
        }
        let limits = ClusterLimits(
            leaf, note: leaf.note ?? "xds: node \(node)", load: memory.load,
            child: PolicyBox(
                policy: Affinity(
                    isUsed: hasSessions, states: leaf.cluster.sessionStates,
                    idleTimeout: leaf.cluster.idleTimeout,
                    child: PolicyBox(
                        policy: PriorityPolicy(children: children, priorities: priorityNames)))))
        policy = OutlierDetection(limits, leaf.cluster.outliers)
        self.endpoints = endpoints
    }

    /// The endpoints of one priority.
    private static func endpoints(
        _ groups: [Endpoints.Group], _ leaf: LeafCluster, _ path: [String], needsPlace: Bool,
        keepsDraining: Bool, _ memory: inout LeafMemory
    ) -> [Endpoint] {
        let cluster = leaf.cluster
        var endpoints: [Endpoint] = []
        let sum = groups.reduce(0) { $0 + UInt64($1.weight) }
        for group in groups {
            let usable = group.endpoints.filter { keepsDraining || $0.state != .draining }
            let groupShare = FixedFraction(UInt64(group.weight), of: sum)
            let groupSum = usable.reduce(0) { $0 + ($1.state == .draining ? 0 : UInt64($1.weight)) }
            let path =
                cluster.policy.hasLocalities ? path + [memory.names.name(of: group.locality)] : path
            let labels = BackendLabels(
                service: leaf.name.string, locality: group.locality.labelText)
            for endpoint in usable {
                var made = Endpoint(endpoint.addresses.map { ServerAddress($0) })
                made.attributes.path = path
                made.attributes.labels = labels
                if endpoint.state != .draining {
                    let share = FixedFraction(UInt64(endpoint.weight), of: groupSum)
                    made.attributes.weight = (groupShare * share).weight
                }
                if !endpoint.hashKey.isEmpty { made.attributes.hashKey = endpoint.hashKey.string }
                if cluster.usesProxies { made.attributes.proxy = endpoint.proxy }
                made.attributes.security = memory.security.security(of: endpoint)
                if needsPlace {
                    made.attributes[MeshEndpoint.self] = MeshEndpoint.Value(
                        group.locality, endpoint)
                }
                endpoints.append(made)
            }
        }
        return endpoints
    }
}

extension Endpoints.Locality {
    /// As metrics say it (A78).
    fileprivate var labelText: String {
        #"{region="\#(region.string)", zone="\#(zone.string)", sub_zone="\#(subZone.string)"}"#
    }
}

/// A part from 0 to 1, in units of 2⁻³¹ (A113).
private struct FixedFraction {
    private let units: UInt64

    /// - Parameter whole: At least `part`, and above zero; both fit into 32 bits.
    init(_ part: UInt64, of whole: UInt64) { units = (part << 31) / whole }

    private init(units: UInt64) { self.units = units }

    static func * (left: FixedFraction, right: FixedFraction) -> FixedFraction {
        FixedFraction(units: (left.units * right.units) >> 31)
    }

    /// Above zero: an endpoint with a very small part still gets calls.
    var weight: UInt32 { UInt32(max(units, 1)) }
}

// MARK: - The cluster's own policy

extension ClusterPolicy {
    /// Whether the policy chooses a locality first.
    fileprivate var hasLocalities: Bool {
        if case .localities = self { true } else { false }
    }

    /// Whether a subchannel may have the addresses of several endpoints. That of the program's own policy may.
    var joinsEndpoints: Bool {
        switch self {
        case .pickFirst, .registered: true
        case .localities(let inner): inner.joinsEndpoints
        case .roundRobin, .leastRequest, .ringHash, .weightedRoundRobin: false
        }
    }

    /// The policy of one priority.
    fileprivate func policy(
        for groups: [Endpoints.Group], _ names: PriorityNames
    ) -> any BalancingPolicy {
        guard case .localities(let inner) = self else { return leafPolicy }
        var targets: [String: WeightedTarget.Target] = [:]
        for group in groups {
            targets[names.name(of: group.locality)] = WeightedTarget.Target(
                weight: group.weight, policy: inner.leafPolicy)
        }
        return WeightedTarget(targets)
    }

    /// The policy for endpoints of one locality, or of all of them.
    private var leafPolicy: any BalancingPolicy {
        switch self {
        // The localities were chosen above.
        case .localities(let inner): return inner.leafPolicy
        case .roundRobin: return RoundRobin()
        case .pickFirst(let shuffles): return PickFirst(shuffleAddressList: shuffles)
        case .leastRequest(let count): return LeastRequest(choiceCount: count)
        case .ringHash(let minSize, let maxSize):
            return RingHash(minRingSize: minSize, maxRingSize: maxSize)
        case .weightedRoundRobin(let settings): return WeightedRoundRobin(settings)
        case .registered(let box): return box.policy
        }
    }
}

extension WeightedRoundRobin {
    fileprivate init(_ settings: ClusterPolicy.WeightedSettings) {
        self.init()
        enableOutOfBandLoadReport = settings.usesOutOfBandReports
        outOfBandReportingPeriod = settings.reportingPeriod ?? outOfBandReportingPeriod
        blackoutPeriod = settings.blackoutPeriod ?? blackoutPeriod
        weightExpirationPeriod = settings.expirationPeriod ?? weightExpirationPeriod
        weightUpdatePeriod = settings.updatePeriod ?? weightUpdatePeriod
        errorUtilizationPenalty = settings.errorPenalty ?? errorUtilizationPenalty
        metricNamesForComputingUtilization = settings.utilizationMetrics.map(\.string)
    }
}

extension OutlierDetection {
    /// Always in the tree, so that a change of its settings does not make other subchannels.
    fileprivate init(_ policy: any BalancingPolicy, _ settings: Cluster.Outliers?) {
        self.init(policy: policy)
        guard let settings else { return }
        interval = settings.interval
        baseEjectionTime = settings.baseEjectionTime
        maxEjectionTime = settings.maxEjectionTime
        maxEjectionPercent = settings.maxEjectionPercent
        successRateEjection = settings.successRate
        failurePercentageEjection = settings.failurePercentage
    }
}
