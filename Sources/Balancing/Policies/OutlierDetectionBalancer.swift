import SwiftletCore
import SwiftletTransport

/// Passes inputs to its child and counts calls. Reports the subchannels of ejected endpoints to the
/// child as failed.
struct OutlierDetectionBalancer: Balancer {
    /// What is kept for a subchannel.
    private struct Extra: Sendable {
        /// Whether TRANSIENT_FAILURE was reported to the child because the endpoint is ejected.
        var isHidden = false
    }

    private var child = GracefulSwitch()
    private var childReport: BalancerReport?
    private var policy = OutlierDetection(policy: RoundRobin())
    private var ejections = Ejections()
    private var subchannels = ChildSubchannels<Extra>()
    /// The counters of the subchannels that are evaluated, for the picker.
    private var results = SubchannelTable<CallResults>()
    /// Whether a subchannel may be hidden.
    private var hasHidden = false
    /// Whether the child has changed its subchannels since they were checked for ejected endpoints.
    private var hasOtherSubchannels = false
    /// Whether the child made a report that was not passed on, or the configuration changed.
    private var isReportDue = false
    /// What metrics say of the endpoints.
    private var labels: BackendLabels?
    /// When the interval began; nil while nothing is evaluated.
    private var intervalStart: Duration?

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        if let policy = update.policy as? OutlierDetection { self.policy = policy }
        // Nothing is counted while the policy evaluates nothing: most clusters of a mesh have such a one.
        ejections.update(policy.isActive ? update.endpoints : [])
        labels = policy.isActive ? update.endpoints.labels : nil
        startInterval(&context)
        let childUpdate = BalancerUpdate(endpoints: update.endpoints, policy: policy.policy)
        var failure: RPCError?
        callChild(&context) { failure = $0.failure(of: childUpdate, &$1) }
        indexResults()
        showAndHide(&context)
        isReportDue = true
        report(&context)
        if let failure { throw failure }
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        runChild(&context) { child, context in child.resolverFailed(error, &context) }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {
        guard let entry = subchannels.subchannel(subchannel, changedTo: state),
            !entry.extra.isHidden
        else { return }
        runChild(&context) { child, context in
            child.subchannel(subchannel, changedTo: state, &context)
        }
    }

    mutating func timeHasCome(_ context: inout BalancerContext) {
        if let start = intervalStart, start + interval <= context.now {
            intervalStart = context.now
            context.wake(at: context.now + interval)
            let random = PickerRandom(seed: context.randomNumber())
            let found = ejections.sweep(policy, at: context.now) { random.next() }
            if context.recordsDecisions {
                for outlier in found { context.record(.outlier(outlier, labels)) }
            }
            showAndHide(&context)
        }
        runChild(&context) { child, context in child.timeHasCome(&context) }
    }

    mutating func exitIdle(_ context: inout BalancerContext) {
        runChild(&context) { child, context in child.exitIdle(&context) }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, reported load: LoadReport, _ context: inout BalancerContext
    ) {
        runChild(&context) { child, context in
            child.subchannel(subchannel, reported: load, &context)
        }
    }

    mutating func close(_ context: inout BalancerContext) {
        child.close(&context)
        subchannels.removeAll()
        results = SubchannelTable()
        intervalStart = nil
    }
}

// MARK: - The interval

extension OutlierDetectionBalancer {
    /// At least a millisecond: an interval of zero would evaluate without a pause.
    private var interval: Duration { max(policy.interval, .milliseconds(1)) }

    /// Starts, moves or ends the interval, according to the configuration.
    private mutating func startInterval(_ context: inout BalancerContext) {
        guard policy.isActive else {
            intervalStart = nil
            return
        }
        let start = intervalStart ?? context.now
        intervalStart = start
        context.wake(at: max(start + interval, context.now))
    }
}

// MARK: - The child

extension OutlierDetectionBalancer {
    /// Calls the child. If the child made subchannels, hides those of ejected endpoints. Then
    /// passes on the child's report.
    private mutating func runChild(
        _ context: inout BalancerContext,
        _ call: (inout GracefulSwitch, inout BalancerContext) -> Void
    ) {
        callChild(&context, call)
        if hasOtherSubchannels { showAndHide(&context) }
        report(&context)
    }

    /// Calls the child, and records the subchannels that it makes, updates and drops.
    private mutating func callChild(
        _ context: inout BalancerContext,
        _ call: (inout GracefulSwitch, inout BalancerContext) -> Void
    ) {
        let actionCount = context.actions.count
        if let report = context.reportOf({ call(&child, &$0) }) {
            childReport = report
            isReportDue = true
        }
        follow(context.actions[actionCount...])
    }

    /// Not inlined: the function above is compiled for each of its closures.
    @inline(never)
    private mutating func follow(_ actions: ArraySlice<BalancerContext.Action>) {
        for subchannel in subchannels.follow(actions, new: Extra()) {
            hasOtherSubchannels = true
            index(subchannel)
        }
    }

    private mutating func index(_ subchannel: Subchannel) {
        guard policy.isActive else { return }
        let key = subchannels.entries[subchannel]?.ejectionKey
        results[subchannel] = key.flatMap { ejections.hosts[$0]?.results }
    }

    private mutating func indexResults() {
        guard policy.isActive else {
            results = SubchannelTable()
            return
        }
        for subchannel in subchannels.entries.keys { index(subchannel) }
    }

    /// For each subchannel whose endpoint was ejected or is no longer ejected, reports the new
    /// state to the child.
    private mutating func showAndHide(_ context: inout BalancerContext) {
        hasOtherSubchannels = false
        guard policy.isActive || hasHidden else { return }
        hasHidden = policy.isActive
        let changed = subchannels.entries.filter { _, entry in
            entry.extra.isHidden != (entry.ejectionKey.map { ejections.isEjected($0) } ?? false)
        }
        for (subchannel, entry) in changed.inOrder(by: { $0.key.id < $1.key.id }) {
            subchannels.changeExtra(of: subchannel) { $0.isHidden.toggle() }
            let state =
                entry.extra.isHidden
                ? entry.state ?? SubchannelState(.idle)
                : SubchannelState(.transientFailure, failure: .ejected)
            callChild(&context) { child, context in
                child.subchannel(subchannel, changedTo: state, &context)
            }
        }
    }

    private mutating func report(_ context: inout BalancerContext) {
        guard isReportDue, let childReport else { return }
        isReportDue = false
        let picker: any Picker =
            policy.isActive
            ? OutlierPicker(childReport.picker, results) : childReport.picker
        context.report(childReport.connectivity, picker)
    }
}

extension ChildSubchannels.Entry {
    /// Nil if the endpoint is not ejected: it has no addresses, or the policy cannot use health reports (A61).
    fileprivate var ejectionKey: EndpointKey? { checksHealth ? key : nil }
}

extension RPCError {
    fileprivate static var ejected: RPCError {
        .noConnection("outlier_detection: the endpoint is ejected, because its calls fail")
    }
}
