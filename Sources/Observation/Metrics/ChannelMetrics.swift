import SwiftletCore
import SwiftletTransport
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The sinks of one channel, and the instruments that each of them records.
final class ChannelMetrics: ChannelMeter {
    struct Output: Sendable {
        let sink: any MetricSink
        /// Bit n is set if the sink records the instrument with index n.
        let instruments: UInt64
        let optionalLabels: Set<String>
    }

    private let outputs: [Output]
    /// The instruments that at least one sink records.
    private let instruments: UInt64
    let targetLabel: MetricLabel
    private let securityLabel: MetricLabel
    private let recordsCustomLabel: Bool
    /// Whether a sink records where an attempt went.
    let recordsPlaces: Bool
    /// The labels of methods whose paths are literals of the program, which are few, by their path.
    private let ofLiterals = Mutex<[String: MethodLabels]>([:])

    /// Nil if the channel has no sink, or none that records anything.
    init?(_ sinks: [any MetricSink], target: Target, isSecure: Bool) {
        guard !sinks.isEmpty else { return nil }
        HeldLocks.assertNone(calling: "metric sink")
        outputs = sinks.map { sink in
            var instruments: UInt64 = 0
            for instrument in MetricInstrument.all where sink.records(instrument) {
                instruments |= Self.bit(instrument)
            }
            return Output(
                sink: sink, instruments: instruments, optionalLabels: sink.optionalLabels)
        }
        instruments = outputs.reduce(0) { $0 | $1.instruments }
        guard instruments != 0 else { return nil }
        recordsCustomLabel = outputs.contains { $0.optionalLabels.contains(MetricLabel.custom) }
        recordsPlaces = outputs.contains {
            $0.optionalLabels.contains(MetricLabel.locality)
                || $0.optionalLabels.contains(MetricLabel.backendService)
        }
        targetLabel = MetricLabel(MetricLabel.target, target.canonicalText)
        securityLabel = MetricLabel(
            MetricLabel.securityLevel, isSecure ? "privacy_and_integrity" : "none")
    }

    fileprivate static func bit(_ instrument: MetricInstrument) -> UInt64 { 1 << instrument.index }

    private static func mask(_ instruments: [MetricInstrument]) -> UInt64 {
        instruments.reduce(0) { $0 | bit($1) }
    }

    private static let ofCalls = mask([
        .attemptStarted, .attemptDuration, .attemptSentSize, .attemptReceivedSize, .callDuration,
        .callRetries, .callTransparentRetries, .callHedges, .callRetryDelay,
    ])

    private static let ofBalancing = mask([
        .roundRobinFallback, .weightNotYetUsable, .weightStale, .endpointWeights,
        .ejectionsEnforced, .ejectionsUnenforced,
    ])

    private static let ofControlPlane = mask([
        .controlPlaneConnected, .controlPlaneFailures, .validResourceUpdates,
        .invalidResourceUpdates, .resources,
    ])
}

extension ChannelMetrics {
    /// Whether a sink records metrics of calls.
    var measuresCalls: Bool { instruments & Self.ofCalls != 0 }

    /// Whether a sink records metrics of balancers.
    var measuresBalancing: Bool { instruments & Self.ofBalancing != 0 }

    /// Whether a sink records metrics of the client of the control plane.
    var measuresControlPlane: Bool { instruments & Self.ofControlPlane != 0 }

    func meter(of method: MethodSignature) -> (any CallMeter)? { measured(method) }

    func measured(_ method: MethodSignature) -> MeasuredCall { MeasuredCall(self, method) }

    /// The labels for the method and the target of a call.
    func labels(of method: MethodSignature) -> MethodLabels {
        guard method.isLiteral else {
            HeldLocks.assertNone(calling: "metric sink")
            return MethodLabels(
                CallLabels(
                    named(method), [MetricLabel(MetricLabel.method, "other"), targetLabel],
                    isNamed: outputs.map { $0.sink.recordsPath(method.path) }))
        }
        if let known = ofLiterals.withLock({ $0[method.path] }) { return known }
        let made = MethodLabels(CallLabels(named(method)))
        ofLiterals.withLock { $0[method.path] = made }
        return made
    }

    private func named(_ method: MethodSignature) -> [MetricLabel] {
        [MetricLabel(MetricLabel.method, String(method.path.dropFirst())), targetLabel]
    }

    /// The custom label of the task that makes a call, if a sink records it.
    var customLabel: [MetricLabel] {
        guard recordsCustomLabel else { return [] }
        return [MetricLabel(MetricLabel.custom, MetricLabel.currentCustomValue)]
    }

    func add(
        _ value: Int, to instrument: MetricInstrument, _ labels: [MetricLabel],
        optional: [MetricLabel] = []
    ) {
        add(value, to: instrument, CallLabels(labels), optional: optional)
    }

    /// - Parameter optional: Labels for the sinks that record them.
    func add(
        _ value: Int, to instrument: MetricInstrument, _ labels: CallLabels,
        optional: [MetricLabel] = []
    ) {
        for index in outputs.indices where outputs[index].records(instrument) {
            outputs[index].sink.add(
                MetricMeasurement(
                    value, of: instrument,
                    labels: outputs[index].labels(labels[index], optional, of: instrument)))
        }
    }

    func record(
        _ value: Double, in instrument: MetricInstrument, _ labels: [MetricLabel],
        optional: [MetricLabel]
    ) {
        record(value, in: instrument, CallLabels(labels), optional: optional)
    }

    /// - Parameter optional: Labels for the sinks that record them.
    func record(
        _ value: Double, in instrument: MetricInstrument, _ labels: CallLabels,
        optional: [MetricLabel] = []
    ) {
        for index in outputs.indices where outputs[index].records(instrument) {
            outputs[index].sink.record(
                MetricMeasurement(
                    value, of: instrument,
                    labels: outputs[index].labels(labels[index], optional, of: instrument)))
        }
    }
}

extension ChannelMetrics.Output {
    /// Whether the sink gets a measurement, which happens outside of every lock.
    fileprivate func records(_ instrument: MetricInstrument) -> Bool {
        HeldLocks.assertNone(calling: "metric sink")
        return instruments & ChannelMetrics.bit(instrument) != 0
    }

    /// The labels of a measurement, with the optional ones that the sink records. A label that is not in
    /// `optional` is empty: only a control plane sets those for locality and backend service.
    fileprivate func labels(
        _ required: [MetricLabel], _ optional: [MetricLabel], of instrument: MetricInstrument
    ) -> [MetricLabel] {
        guard !optionalLabels.isEmpty else { return required }
        let keys = instrument.optionalLabelKeys.filter { optionalLabels.contains($0) }
        return required
            + keys.map { key in optional.first { $0.key == key } ?? MetricLabel(key, "") }
    }
}

// MARK: - Subchannels (proposals A78 and A94)

extension ChannelMetrics {
    func record(_ change: ConnectionChange, _ labels: BackendLabels?) {
        let place = labels?.metricLabels ?? []
        switch change {
        case .opened:
            add(1, to: .attemptsSucceeded, [targetLabel], optional: place)
            add(1, to: .pickFirstAttemptsSucceeded, [targetLabel])
            add(1, to: .openConnections, [targetLabel], optional: place + [securityLabel])
        case .failed:
            add(1, to: .attemptsFailed, [targetLabel], optional: place)
            add(1, to: .pickFirstAttemptsFailed, [targetLabel])
        case .disconnected(let cause, let count):
            guard count > 0 else { return }
            let cause = MetricLabel(MetricLabel.disconnectError, cause.text)
            add(count, to: .disconnections, [targetLabel], optional: place + [cause])
            add(count, to: .pickFirstDisconnections, [targetLabel])
        case .closed:
            add(-1, to: .openConnections, [targetLabel], optional: place + [securityLabel])
        }
    }
}

extension LinkError.Kind {
    /// The value of `grpc.disconnect_error`.
    var text: String {
        switch self {
        case .goAway(let code): "GOAWAY \(code)"
        case .ownEnd: "subchannel shutdown"
        case .system(ECONNRESET): "connection reset"
        case .system(ETIMEDOUT), .keepAlive: "connection timed out"
        case .system(ECONNABORTED): "connection aborted"
        case .system: "socket error"
        case .other: "unknown"
        }
    }
}

extension BackendLabels {
    var metricLabels: [MetricLabel] {
        [
            MetricLabel(MetricLabel.locality, locality),
            MetricLabel(MetricLabel.backendService, service),
        ]
    }
}

// MARK: - Balancers (proposals A78, A89 and A91)

extension ChannelMetrics {
    func record(_ decision: BalancingDecision) {
        switch decision {
        case .weights(let update, let labels): record(update, labels?.metricLabels ?? [])
        case .outlier(let outlier, let labels): record(outlier, labels?.metricLabels ?? [])
        }
    }

    private func record(_ update: WeightUpdate, _ place: [MetricLabel]) {
        if update.isFallback { add(1, to: .roundRobinFallback, [targetLabel], optional: place) }
        if update.notYetUsableCount > 0 {
            add(
                update.notYetUsableCount, to: .weightNotYetUsable, [targetLabel], optional: place)
        }
        if update.staleCount > 0 {
            add(update.staleCount, to: .weightStale, [targetLabel], optional: place)
        }
        for weight in update.weights {
            record(weight, in: .endpointWeights, [targetLabel], optional: place)
        }
    }

    private func record(_ outlier: BalancingDecision.Outlier, _ place: [MetricLabel]) {
        let method =
            switch outlier.method {
            case .successRate: "success_rate"
            case .failurePercentage: "failure_percentage"
            }
        let labels = [targetLabel, MetricLabel(MetricLabel.detectionMethod, method)]
        let reason =
            switch outlier.result {
            case .ejected: nil as String?
            case .keptByChance: "enforcement_percentage"
            case .keptByLimit: "max_ejection_overflow"
            }
        guard let reason else { return add(1, to: .ejectionsEnforced, labels, optional: place) }
        add(
            1, to: .ejectionsUnenforced,
            labels + [MetricLabel(MetricLabel.unenforcedReason, reason)], optional: place)
    }
}

// MARK: - The client of the control plane (proposal A78)

extension ChannelMetrics {
    func record(_ change: ControlPlaneChange) {
        switch change {
        case .connected(let server, let count):
            add(count, to: .controlPlaneConnected, labels(ofServer: server))
        case .serverFailed(let server):
            add(1, to: .controlPlaneFailures, labels(ofServer: server))
        case .updates(let server, let type, let valid, let invalid):
            let labels =
                labels(ofServer: server) + [MetricLabel(MetricLabel.resourceType, type)]
            if valid > 0 { add(valid, to: .validResourceUpdates, labels) }
            if invalid > 0 { add(invalid, to: .invalidResourceUpdates, labels) }
        case .resources(let resources, let count):
            add(
                count, to: .resources,
                [
                    targetLabel, MetricLabel(MetricLabel.authority, resources.authority),
                    MetricLabel(MetricLabel.cacheState, resources.state),
                    MetricLabel(MetricLabel.resourceType, resources.type),
                ])
        }
    }

    private func labels(ofServer server: String) -> [MetricLabel] {
        [targetLabel, MetricLabel(MetricLabel.controlPlane, server)]
    }
}
