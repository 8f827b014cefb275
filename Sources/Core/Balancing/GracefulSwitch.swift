/// The state and the picker that a balancer reported.
package struct BalancerReport: Sendable {
    package let connectivity: ConnectivityState
    package let picker: any Picker

    /// The report that is used until a balancer makes its first one.
    package static let connecting = BalancerReport(connectivity: .connecting, picker: QueuePicker())
}

extension BalancerContext {
    package mutating func report(_ report: BalancerReport) {
        self.report(report.connectivity, report.picker)
    }

    /// Calls a balancer and takes its report; nil when it made none.
    package mutating func reportOf<Failure: Error>(
        _ call: (inout BalancerContext) throws(Failure) -> Void
    ) throws(Failure) -> BalancerReport? {
        try call(&self)
        return takeReport().map { BalancerReport(connectivity: $0.connectivity, picker: $0.picker) }
    }
}

/// Runs the balancer of a policy that may change.
///
/// When the policy's name changes, calls use the old balancer until the new one reports another
/// state than CONNECTING, or until the old one is not READY any more.
package struct GracefulSwitch: Balancer {
    private struct Child {
        let name: String
        var balancer: any Balancer
        var report: BalancerReport?
    }

    private var current: Child?
    private var pending: Child?

    package init() {}

    package mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        let policy = update.policy
        if (pending ?? current)?.name != policy.name {
            let child = Child(name: policy.name, balancer: policy.makeBalancer())
            if current == nil {
                current = child
            } else {
                pending?.balancer.close(&context)
                pending = child
            }
        }
        var failure: RPCError?
        forNewest(&context) { failure = $0.failure(of: update, &$1) }
        if let failure { throw failure }
    }

    package mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        guard current != nil else { return context.reportFailure(error) }
        forNewest(&context) { balancer, context in balancer.resolverFailed(error, &context) }
    }

    package mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {
        forBoth(&context) { balancer, context in
            balancer.subchannel(subchannel, changedTo: state, &context)
        }
    }

    package mutating func timeHasCome(_ context: inout BalancerContext) {
        forBoth(&context) { balancer, context in balancer.timeHasCome(&context) }
    }

    package mutating func exitIdle(_ context: inout BalancerContext) {
        forBoth(&context) { balancer, context in balancer.exitIdle(&context) }
    }

    package mutating func subchannel(
        _ subchannel: Subchannel, reported load: LoadReport, _ context: inout BalancerContext
    ) {
        forBoth(&context) { balancer, context in
            balancer.subchannel(subchannel, reported: load, &context)
        }
    }

    package mutating func close(_ context: inout BalancerContext) {
        current?.balancer.close(&context)
        pending?.balancer.close(&context)
        (current, pending) = (nil, nil)
    }
}

extension GracefulSwitch {
    private typealias Call = (inout any Balancer, inout BalancerContext) -> Void

    private mutating func forBoth(_ context: inout BalancerContext, _ call: Call) {
        let isReported = Self.run(&current, &context, call)
        _ = Self.run(&pending, &context, call)
        settle(&context, isReported: isReported)
    }

    private mutating func forNewest(_ context: inout BalancerContext, _ call: Call) {
        if pending != nil {
            _ = Self.run(&pending, &context, call)
            settle(&context, isReported: false)
        } else {
            let isReported = Self.run(&current, &context, call)
            settle(&context, isReported: isReported)
        }
    }

    /// Returns whether the child made a report.
    @inline(never)  // Has many callers.
    private static func run(
        _ child: inout Child?, _ context: inout BalancerContext, _ call: Call
    ) -> Bool {
        guard var running = child.take() else { return false }
        let report = context.reportOf { call(&running.balancer, &$0) }
        running.report = report ?? running.report
        child = running
        return report != nil
    }

    /// Replaces the old balancer when the new one reports another state than CONNECTING, or the old
    /// one is not READY. Reports the state of the balancer in use.
    private mutating func settle(_ context: inout BalancerContext, isReported: Bool) {
        var isReported = isReported
        if let report = pending?.report,
            report.connectivity != .connecting || current?.report?.connectivity != .ready
        {
            current?.balancer.close(&context)
            current = pending.take()
            isReported = true
        }
        if isReported, let report = current?.report { context.report(report) }
    }
}
