import SwiftletCore
import SwiftletTransport

/// Traces the calls of a channel, and passes on what its metrics need.
final class ChannelTracing: ChannelMeter {
    private let tracer: any CallTracer
    private let metrics: ChannelMetrics?
    private let target: String

    init(_ tracer: any CallTracer, _ metrics: ChannelMetrics?, target: String) {
        self.tracer = tracer
        self.metrics = metrics
        self.target = target
    }

    var measuresCalls: Bool { true }
    var measuresBalancing: Bool { metrics?.measuresBalancing ?? false }

    func meter(of method: MethodSignature) -> (any CallMeter)? {
        HeldLocks.assertNone(calling: "tracer")
        let metrics = metrics.flatMap { $0.measuresCalls ? $0.measured(method) : nil }
        let call = TracedCall(path: method.path, shape: method.shape, target: target)
        guard let span = tracer.begin(call) else { return metrics }
        return CallTracing(span, path: method.path, metrics)
    }

    func record(_ change: ConnectionChange, _ labels: BackendLabels?) {
        metrics?.record(change, labels)
    }
    func record(_ decision: BalancingDecision) { metrics?.record(decision) }
    var measuresControlPlane: Bool { metrics?.measuresControlPlane ?? false }
    func record(_ change: ControlPlaneChange) { metrics?.record(change) }
}
