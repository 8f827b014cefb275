import SwiftletCore
import Synchronization

/// The weight of an endpoint in `weighted_round_robin`, and the times that decide whether it is used
/// (A58).
struct EndpointWeight: Sendable {
    /// The weights that the trailers of calls report.
    let reports = ReportedWeight()
    /// How often the server reports in its stream; nil when it does not.
    var reportInterval: Duration?

    private var weight = 0.0
    private var lastUpdate: Duration?
    /// When the first report of the current blackout period arrived; nil before it.
    private var nonEmptySince: Duration?

    /// The weight at one moment.
    enum Current: Equatable {
        case usable(Double)
        /// There was no report, or the blackout period has not passed.
        case notYetUsable
        /// The last report has expired.
        case stale

        /// 0 if the weight is not usable.
        var value: Double {
            if case .usable(let value) = self { value } else { 0 }
        }
    }
}

extension EndpointWeight {
    /// Restarts the blackout period, because a new connection may lead to another server.
    mutating func becameReady() { nonEmptySince = nil }

    mutating func record(_ weight: Double, at now: Duration) {
        self.weight = weight
        lastUpdate = now
        nonEmptySince = nonEmptySince ?? now
    }

    /// Records what the trailers of calls reported since the last time.
    mutating func collect(at now: Duration) {
        if let weight = reports.take() { record(weight, at: now) }
    }

    /// The weight, if it is known and neither too new nor too old.
    mutating func weight(at now: Duration, _ policy: WeightedRoundRobin) -> Current {
        guard let lastUpdate else { return .notYetUsable }
        guard now - lastUpdate < policy.weightExpirationPeriod else {
            nonEmptySince = nil
            return .stale
        }
        guard policy.blackoutPeriod > .zero else { return .usable(weight) }
        guard let nonEmptySince, now - nonEmptySince >= policy.blackoutPeriod else {
            return .notYetUsable
        }
        return .usable(weight)
    }
}

/// Receives the load reports of an endpoint's calls on any thread, and keeps the last weight until
/// the balancer collects it.
final class ReportedWeight: CallTracker {
    /// The bit pattern of the last weight. 0 means that there was no report since the last
    /// collection.
    private let latest = Atomic<UInt64>(0)
    /// Of the policy in use. Taken only for calls with a report.
    private let rule = Mutex(WeightRule(WeightedRoundRobin()))

    func use(_ rule: WeightRule) { self.rule.withLock { $0 = rule } }

    func callEnded(_ outcome: CallOutcome) {
        guard let load = outcome.load, let weight = rule.withLock({ $0 }).weight(of: load)
        else { return }
        latest.store(weight.bitPattern, ordering: .relaxed)
    }

    /// Returns the last weight that was reported since the last call of this function; nil if there
    /// is none.
    func take() -> Double? {
        let bits = latest.exchange(0, ordering: .relaxed)
        return bits == 0 ? nil : Double(bitPattern: bits)
    }
}

extension WeightUpdate {
    mutating func append(_ weight: EndpointWeight.Current) {
        weights.append(weight.value)
        switch weight {
        case .usable: break
        case .notYetUsable: notYetUsableCount += 1
        case .stale: staleCount += 1
        }
    }
}
