import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import SwiftletWellKnown

extension ClusterPolicy {
    /// The most policies inside each other (A52).
    private static let maxDepth = 16
    private static let ringSizes = 1...8_388_608

    /// The policy of `load_balancing_policy`, or else that of `lb_policy`.
    init?(
        _ cluster: Envoy.Clusters.Cluster, _ context: ValidationContext,
        _ violations: inout Violations
    ) {
        if let list = cluster.loadBalancingPolicy {
            let policy = violations.within("load_balancing_policy") {
                Self.first(list, depth: 1, context, &$0)
            }
            guard let policy else { return nil }
            self = policy
            return
        }
        switch cluster.lbPolicy {
        case .roundRobin: self = .localities(.roundRobin)
        case .leastRequest:
            var config: Envoy.Clusters.Cluster.LeastRequestLbConfig?
            if case .leastRequestLBConfig(let message)? = cluster.lbConfig { config = message }
            let count = config?.choiceCount?.value
            guard
                let policy = violations.within(
                    "least_request_lb_config", nil, { Self.leastRequest(count, &$0) })
            else { return nil }
            self = .localities(policy)
        case .ringHash:
            let policy = violations.within("ring_hash_lb_config") { violations in
                var config: Envoy.Clusters.Cluster.RingHashLbConfig?
                if case .ringHashLBConfig(let message)? = cluster.lbConfig { config = message }
                if let function = config?.hashFunction, function != .xxHash {
                    violations.add("hash_function", "'\(function)' is not supported")
                }
                return Self.ringHash(
                    config?.minimumRingSize?.value, config?.maximumRingSize?.value, &violations)
            }
            guard let policy else { return nil }
            self = policy
        default:
            violations.add("lb_policy", "'\(cluster.lbPolicy)' is not supported")
            return nil
        }
    }

    /// The first policy that is known. Calls itself for policies inside, up to `maxDepth`.
    private static func first(
        _ list: Envoy.Clusters.LoadBalancingPolicy, depth: Int, _ context: ValidationContext,
        _ violations: inout Violations
    ) -> ClusterPolicy? {
        guard depth <= maxDepth else {
            violations.add(nil, "more than \(maxDepth) policies inside each other")
            return nil
        }
        for (index, policy) in list.policies.enumerated() {
            guard let any = policy.typedExtensionConfig?.typedConfig else {
                violations.add(
                    nil, "policies[\(index)].typed_extension_config.typed_config is required")
                return nil
            }
            var isKnown = true
            let checked = violations.within("policies", index) { violations in
                one(any, depth: depth, context, isKnown: &isKnown, &violations)
            }
            if isKnown { return checked }
        }
        violations.add("policies", "none of \(list.policies.count) policies is known")
        return nil
    }

    private static func one(
        _ any: Google.Protobuf.AnyMessage, depth: Int, _ context: ValidationContext,
        isKnown: inout Bool, _ violations: inout Violations
    ) -> ClusterPolicy? {
        let field: StaticString = "typed_extension_config.typed_config"
        guard let config = ExtensionConfig(field, any, &violations) else { return nil }
        if case .structure(let settings) = config.content {
            do throws(RPCError) {
                let policy = try context.policies.policy(named: config.typeName, settings)
                isKnown = policy != nil
                return policy.map { .registered(PolicyBox(policy: $0)) }
            } catch {
                violations.add(field, error.message)
                return nil
            }
        }
        func message<M: Message>(_ type: M.Type) -> M? { config.message(field, type, &violations) }
        if config.isOfType(Envoy.Policies.RoundRobin.self) {
            return message(Envoy.Policies.RoundRobin.self).map { _ in .roundRobin }
        }
        if config.isOfType(Envoy.Policies.PickFirst.self) {
            return message(Envoy.Policies.PickFirst.self)
                .map { .pickFirst(shuffles: $0.shuffleAddressList) }
        }
        if config.isOfType(Envoy.Policies.LeastRequest.self) {
            guard let message = message(Envoy.Policies.LeastRequest.self) else { return nil }
            return violations.within(field) { leastRequest(message.choiceCount?.value, &$0) }
        }
        if config.isOfType(Envoy.Policies.RingHash.self) {
            guard let message = message(Envoy.Policies.RingHash.self) else { return nil }
            return violations.within(field) { violations in
                if message.hashFunction != .defaultHash, message.hashFunction != .xxHash {
                    violations.add("hash_function", "'\(message.hashFunction)' is not supported")
                }
                return ringHash(
                    message.minimumRingSize?.value, message.maximumRingSize?.value, &violations)
            }
        }
        if config.isOfType(Envoy.Policies.ClientSideWeightedRoundRobin.self) {
            guard let message = message(Envoy.Policies.ClientSideWeightedRoundRobin.self) else {
                return nil
            }
            return violations.within(field) { .weightedRoundRobin(WeightedSettings(message, &$0)) }
        }
        if config.isOfType(Envoy.Policies.WrrLocality.self) {
            guard let message = message(Envoy.Policies.WrrLocality.self) else { return nil }
            guard let list = message.endpointPickingPolicy else {
                violations.add(field, "has no endpoint_picking_policy")
                return nil
            }
            return violations.within("endpoint_picking_policy") {
                first(list, depth: depth + 1, context, &$0).map { .localities($0) }
            }
        }
        isKnown = false
        return nil
    }

    private static func leastRequest(
        _ count: UInt32?, _ violations: inout Violations
    ) -> ClusterPolicy? {
        violations.number("choice_count", count ?? 2, in: 2...Int(UInt32.max))
            .map { .leastRequest(choiceCount: $0) }
    }

    private static func ringHash(
        _ min: UInt64?, _ max: UInt64?, _ violations: inout Violations
    ) -> ClusterPolicy? {
        let least = violations.number("minimum_ring_size", min ?? 1_024, in: ringSizes)
        let most = violations.number(
            "maximum_ring_size", max ?? UInt64(ringSizes.upperBound), in: ringSizes)
        guard let least, let most else { return nil }
        guard least <= most else {
            violations.add("maximum_ring_size", "\(most) is below minimum_ring_size, \(least)")
            return nil
        }
        return .ringHash(minSize: least, maxSize: most)
    }
}

extension ClusterPolicy.WeightedSettings {
    fileprivate init(
        _ message: Envoy.Policies.ClientSideWeightedRoundRobin, _ violations: inout Violations
    ) {
        usesOutOfBandReports = message.enableOOBLoadReport?.value ?? false
        reportingPeriod = violations.duration("oob_reporting_period", message.oobReportingPeriod)
        blackoutPeriod = violations.duration("blackout_period", message.blackoutPeriod)
        expirationPeriod = violations.duration(
            "weight_expiration_period", message.weightExpirationPeriod)
        updatePeriod = violations.duration("weight_update_period", message.weightUpdatePeriod)
        // A name with too many combining marks is in no report either.
        utilizationMetrics = message.metricNamesForComputingUtilization
            .filter { WireText.hasBoundedMarks($0) }.map { ByteText($0) }
        guard let penalty = message.errorUtilizationPenalty?.value else { return }
        // NaN is not above zero either.
        if penalty >= 0, penalty.isFinite {
            errorPenalty = Double(penalty)
        } else {
            violations.add("error_utilization_penalty", "\(penalty) is no number of 0 or more")
        }
    }
}
