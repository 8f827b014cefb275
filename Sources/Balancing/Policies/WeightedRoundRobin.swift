public import SwiftletCore
import Synchronization

/// Sends calls to the endpoints in proportion to the capacity that their servers report: the policy
/// `weighted_round_robin` (A58).
///
/// It keeps a connection to every endpoint, as `RoundRobin` does. An endpoint whose load is not known
/// gets as many calls as the average one.
public struct WeightedRoundRobin: BalancingPolicy {
    /// Whether the servers report their load in a separate stream; false, the default, reads it from
    /// the trailers of calls.
    public var enableOutOfBandLoadReport = false
    /// How often a server is asked to report in its stream; 10 seconds by default.
    public var outOfBandReportingPeriod = Duration.seconds(10)
    /// How long an endpoint must have reported before its weight is used; 10 seconds by default.
    public var blackoutPeriod = Duration.seconds(10)
    /// How long a weight is used after the last report; 3 minutes by default.
    public var weightExpirationPeriod = Duration.seconds(180)
    /// How often weights are computed; 1 second by default, 0.1 seconds at least.
    public var weightUpdatePeriod = Duration.seconds(1)
    /// By how much errors lower a weight: the rate of errors, times this number, is added to the
    /// utilization; 1 by default. A negative number counts as 0.
    public var errorUtilizationPenalty = 1.0
    /// The metrics of the servers' reports whose largest value is the utilization (A114): `application_utilization`,
    /// `cpu_utilization`, `mem_utilization`, `named_metrics.NAME` and `utilization.NAME`. Other names have no effect. If a
    /// report has none of them above 0, or the list is empty, which is the default, the utilization is that of the
    /// application, or else of the processor.
    public var metricNamesForComputingUtilization: [String] = []

    /// Makes the policy with its defaults.
    public init() {}

    public var name: String { "weighted_round_robin" }

    public func makeBalancer() -> any Balancer { WeightedRoundRobinBalancer() }
}

struct WeightedRoundRobinBalancer: Balancer {
    private static let shortestUpdatePeriod = Duration.milliseconds(100)

    private var endpoints = ConnectedEndpoints<EndpointWeight>()
    private var policy = WeightedRoundRobin()
    private var rule = WeightRule(WeightedRoundRobin())
    /// Starts at a random place, so that the clients of a service do not begin with the same endpoint.
    private var turn: PickTurn?
    /// When the weights are computed again; nil while no endpoint is READY.
    private var nextUpdate: Duration?
    /// The weights of the present picker.
    private var weights: [Double] = []

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        if let policy = update.policy as? WeightedRoundRobin {
            self.policy = policy
            rule = WeightRule(policy)
            // A shorter period does not wait for the end of the longer one.
            if let nextUpdate, updatePeriod < nextUpdate - context.now {
                scheduleUpdate(&context)
            }
        }
        let isDue = try endpoints.update(update.endpoints, &context) { _ in EndpointWeight() }
        requestReports(&context)
        if isDue { reportReady(&context) }
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        endpoints.resolverFailed(error, &context)
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {
        if state.connectivity == .ready {
            let now = context.now
            endpoints.changeExtra(of: subchannel) { $0.becameReady(at: now) }
        }
        let isDue = endpoints.subchannel(subchannel, changedTo: state, &context)
        if isDue { reportReady(&context) }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, reported load: LoadReport, _ context: inout BalancerContext
    ) {
        guard policy.enableOutOfBandLoadReport,
            let weight = rule.weight(of: load)
        else { return }
        let now = context.now
        endpoints.changeExtra(of: subchannel) { $0.record(weight, at: now) }
    }

    mutating func timeHasCome(_ context: inout BalancerContext) {
        guard let nextUpdate, nextUpdate <= context.now else { return }
        self.nextUpdate = nil
        guard endpoints.connectivity == .ready else { return }
        let previous = weights
        computeWeights(&context)
        if weights != previous { reportPicker(&context) }
        scheduleUpdate(&context)
    }

    mutating func close(_ context: inout BalancerContext) {
        endpoints.close(&context)
        nextUpdate = nil
    }
}

extension WeightedRoundRobinBalancer {
    private mutating func reportReady(_ context: inout BalancerContext) {
        computeWeights(&context)
        reportPicker(&context)
        if nextUpdate == nil { scheduleUpdate(&context) }
    }

    private var updatePeriod: Duration {
        max(policy.weightUpdatePeriod, Self.shortestUpdatePeriod)
    }

    private mutating func scheduleUpdate(_ context: inout BalancerContext) {
        let time = context.now + updatePeriod
        nextUpdate = time
        context.wake(at: time)
    }

    /// If the policy's report interval differs from that of an endpoint, starts, changes or ends
    /// the load reports of this endpoint.
    private mutating func requestReports(_ context: inout BalancerContext) {
        let interval = policy.enableOutOfBandLoadReport ? policy.outOfBandReportingPeriod : nil
        for member in endpoints.list.members where member.extra.reportInterval != interval {
            context.reportLoad(of: member.subchannel, every: interval, requester: policy.name)
        }
        let rule = rule
        endpoints.forEach {
            $0.extra.reportInterval = interval
            $0.extra.reports.use(rule)
        }
    }

    private mutating func computeWeights(_ context: inout BalancerContext) {
        let (now, policy) = (context.now, policy)
        var update = WeightUpdate()
        endpoints.forEach { member in
            member.extra.collect(at: now)
            let weight = member.extra.weight(at: now, policy)
            if member.connectivity == .ready { update.append(weight) }
        }
        weights = update.weights
        if context.recordsDecisions {
            context.record(.weights(update, endpoints.list.members.map(\.endpoint).labels))
        }
    }

    private mutating func reportPicker(_ context: inout BalancerContext) {
        let turn = turn ?? PickTurn(startingAt: context.randomNumber() >> 32)
        self.turn = turn
        let isTracking = !policy.enableOutOfBandLoadReport
        let choices = endpoints.list.ready.map {
            WeightedRoundRobinPicker.Choice(
                $0.subchannel, tracker: isTracking ? $0.extra.reports : nil)
        }
        context.report(
            .ready,
            WeightedRoundRobinPicker(ContiguousArray(choices), weights: weights, turn: turn))
    }
}

final class WeightedRoundRobinPicker: Picker {
    struct Choice: Sendable {
        let subchannel: Subchannel
        let tracker: ReportedWeight?

        init(_ subchannel: Subchannel, tracker: ReportedWeight?) {
            self.subchannel = subchannel
            self.tracker = tracker
        }
    }

    private let choices: ContiguousArray<Choice>
    /// Nil when too few weights are known: then the endpoints are used in turn.
    private let schedule: StrideSchedule?
    private let turn: PickTurn

    /// - Parameter choices: At least one.
    init(_ choices: ContiguousArray<Choice>, weights: [Double], turn: PickTurn) {
        precondition(!choices.isEmpty, "a picker needs a subchannel")
        self.choices = choices
        self.turn = turn
        schedule = StrideSchedule(weights)
    }

    func pick(_ call: borrowing PickInfo) -> Pick {
        let index = schedule?.next(turn) ?? Int(turn.next() % UInt64(choices.count))
        return .subchannel(choices[index].subchannel, tracker: choices[index].tracker)
    }
}
