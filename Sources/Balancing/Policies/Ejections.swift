import SwiftletCore

/// The ejected endpoints, and the rules that eject endpoints and end ejections (A50).
struct Ejections: Sendable {
    struct Host: Sendable {
        let results = CallResults()
        /// When the endpoint was ejected; nil when it is not.
        var ejectedAt: Duration?
        /// The ejection time grows with it. Each ejection adds 1. Each interval in which the
        /// endpoint is not ejected subtracts 1.
        var multiplier = 0
    }

    private(set) var hosts: [EndpointKey: Host] = [:]
    private var ejectedCount = 0

    /// Keeps the endpoints that are in the list and adds new ones.
    mutating func update(_ endpoints: [Endpoint]) {
        var kept: [EndpointKey: Host] = [:]
        for endpoint in endpoints {
            guard let key = EndpointKey(endpoint), kept[key] == nil else { continue }
            kept[key] = hosts[key] ?? Host()
        }
        hosts = kept
        ejectedCount = hosts.values.count { $0.ejectedAt != nil }
    }

    func isEjected(_ key: EndpointKey) -> Bool { hosts[key]?.ejectedAt != nil }
}

// MARK: - Evaluation

extension Ejections {
    private typealias Counted = (key: EndpointKey, counts: CallResults.Counts)

    /// Evaluates the calls since the last sweep. Ejects endpoints and ends ejections.
    ///
    /// - Parameter random: Returns a random number.
    /// - Returns: What was decided for the endpoints that meet a criterion and were not ejected before.
    mutating func sweep(
        _ policy: OutlierDetection, at now: Duration, random: () -> UInt64
    ) -> [BalancingDecision.Outlier] {
        var found: [BalancingDecision.Outlier] = []
        let counted = hosts.map { ($0.key, $0.value.results.take()) }
        if let rule = policy.successRateEjection {
            let results = eject(bySuccessRate: counted, rule, policy, at: now, random: random)
            found += results.map { .init(.successRate, $0) }
        }
        if let rule = policy.failurePercentageEjection {
            let results = eject(byFailurePercentage: counted, rule, policy, at: now, random: random)
            found += results.map { .init(.failurePercentage, $0) }
        }
        for key in hosts.keys { age(key, policy, at: now) }
        return found
    }

    private mutating func eject(
        bySuccessRate counted: [Counted], _ rule: OutlierDetection.SuccessRateEjection,
        _ policy: OutlierDetection, at now: Duration, random: () -> UInt64
    ) -> [BalancingDecision.Outlier.Result] {
        let busy = counted.filter { $0.counts.total >= max(rule.requestVolume, 1) }
        guard !busy.isEmpty, busy.count >= rule.minimumHosts else { return [] }
        let rates = busy.map(\.counts.successRate)
        let mean = rates.reduce(0, +) / Double(rates.count)
        let variance = rates.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(rates.count)
        let lowest = mean - variance.squareRoot() * Double(rule.stdevFactor) / 1_000
        return busy.compactMap { key, counts in
            guard counts.successRate < lowest else { return nil }
            return eject(key, rule.enforcementPercentage, policy, at: now, random: random)
        }
    }

    private mutating func eject(
        byFailurePercentage counted: [Counted], _ rule: OutlierDetection.FailurePercentageEjection,
        _ policy: OutlierDetection, at now: Duration, random: () -> UInt64
    ) -> [BalancingDecision.Outlier.Result] {
        let busy = counted.filter { $0.counts.total >= max(rule.requestVolume, 1) }
        guard busy.count >= rule.minimumHosts else { return [] }
        return busy.compactMap { key, counts in
            guard counts.failurePercentage > Double(rule.threshold) else { return nil }
            return eject(key, rule.enforcementPercentage, policy, at: now, random: random)
        }
    }

    /// Ejects an endpoint with the probability `enforcementPercentage`, unless the limit of ejected endpoints is
    /// reached. Nil if it is ejected already.
    private mutating func eject(
        _ key: EndpointKey, _ enforcementPercentage: Int, _ policy: OutlierDetection,
        at now: Duration, random: () -> UInt64
    ) -> BalancingDecision.Outlier.Result? {
        guard !isEjected(key) else { return nil }
        let maxPercent = min(max(policy.maxEjectionPercent, 0), 100)
        let isFull = ejectedCount > 0 && ejectedCount * 100 >= hosts.count * maxPercent
        guard !isFull else { return .keptByLimit }
        guard Int(random() % 100) < enforcementPercentage else { return .keptByChance }
        hosts[key]?.ejectedAt = now
        hosts[key]?.multiplier += 1
        ejectedCount += 1
        return .ejected
    }

    private mutating func age(_ key: EndpointKey, _ policy: OutlierDetection, at now: Duration) {
        guard var host = hosts[key] else { return }
        if let ejectedAt = host.ejectedAt {
            guard now > ejectedAt + policy.ejectionTime(multiplier: host.multiplier) else { return }
            host.ejectedAt = nil
            ejectedCount -= 1
        } else {
            host.multiplier = max(host.multiplier - 1, 0)
        }
        hosts[key] = host
    }
}
