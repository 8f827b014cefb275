import SwiftletCore
import SwiftletTransport
import Synchronization

/// The weight of an endpoint in `weighted_round_robin`, and the times that decide whether it is used
/// (A58).
struct EndpointWeight: Sendable {
    /// The weights that the trailers of calls report.
    let reports: ReportedWeight
    /// How often the server reports in its stream; nil when it does not.
    var reportInterval: Duration?

    private var weight = 0.0
    private var lastUpdate: Duration?
    /// When the first report of the current blackout period arrived; nil before it.
    private var nonEmptySince: Duration?

    /// - Parameter clock: The time at which a call ends, on any thread. Reports are dated by it.
    init(clock: @escaping @Sendable () -> MonotonicInstant = { .now }) {
        reports = ReportedWeight(clock)
    }

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
    mutating func becameReady(at now: Duration) {
        // What the earlier connection reported does not begin the period.
        collect(at: now)
        nonEmptySince = nil
    }

    mutating func record(_ weight: Double, at now: Duration) {
        record(weight, since: now, until: now)
    }

    private mutating func record(_ weight: Double, since first: Duration, until last: Duration) {
        self.weight = weight
        lastUpdate = last
        nonEmptySince = nonEmptySince ?? first
    }

    /// Records what the trailers of calls reported since the last time.
    mutating func collect(at now: Duration) {
        guard let (weight, firstAge, lastAge) = reports.take() else { return }
        record(weight, since: now - firstAge, until: now - lastAge)
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
/// the balancer collects it. Locked only for calls with a report.
final class ReportedWeight: CallTracker {
    private struct State {
        /// Of the policy in use.
        var rule = WeightRule(WeightedRoundRobin())
        /// The last weight, and when the first and the last report since the last collection arrived; nil without one.
        var latest: (weight: Double, first: MonotonicInstant, last: MonotonicInstant)?
    }

    private let clock: @Sendable () -> MonotonicInstant
    private let state = Mutex(State())

    init(_ clock: @escaping @Sendable () -> MonotonicInstant) { self.clock = clock }

    func use(_ rule: WeightRule) { state.withLock { $0.rule = rule } }

    func callEnded(_ outcome: CallOutcome) {
        guard let load = outcome.load,
            let weight = state.withLock({ $0.rule }).weight(of: load)
        else { return }
        let now = clock()
        state.withLock { $0.latest = (weight, $0.latest?.first ?? now, now) }
    }

    /// Returns the last weight that was reported since the last call of this function, and how long ago the first
    /// and the last report arrived; nil if there is none.
    func take() -> (weight: Double, firstAge: Duration, lastAge: Duration)? {
        guard let (weight, first, last) = state.withLock({ $0.latest.take() }) else { return nil }
        let now = clock()
        return (weight, first.duration(to: now), last.duration(to: now))
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
