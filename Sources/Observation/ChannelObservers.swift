import SwiftletCore

/// Who watches a channel: sinks of metrics, and a tracer. A value that can be compared: two are equal if they have the
/// same objects.
struct ChannelObservers: MeterSource {
    /// Nil means those of the process.
    var sinks: [any MetricSink]?
    /// Nil means that of the process.
    var tracer: (any CallTracer)?

    static var ofProcess: ChannelObservers {
        get { ProcessMeters.source as? ChannelObservers ?? ChannelObservers() }
        set { ProcessMeters.source = newValue.isEmpty ? nil : newValue }
    }

    var isEmpty: Bool { sinks == nil && tracer == nil }

    private var identities: [ObjectIdentifier?] {
        [tracer.map { ObjectIdentifier($0) }] + (sinks?.map { ObjectIdentifier($0) } ?? [nil])
    }

    static func == (left: Self, right: Self) -> Bool { left.identities == right.identities }

    func hash(into hasher: inout Hasher) { hasher.combine(identities) }

    func meter(of target: Target, isSecure: Bool) -> (any ChannelMeter)? {
        let process = Self.ofProcess
        let metrics = ChannelMetrics(
            sinks ?? process.sinks ?? [], target: target, isSecure: isSecure)
        guard let tracer = tracer ?? process.tracer else { return metrics }
        return ChannelTracing(tracer, metrics, target: target.canonicalText)
    }
}

extension ChannelArguments {
    mutating func observe(_ change: (inout ChannelObservers) -> Void) {
        var observers = meterSource?.value as? ChannelObservers ?? ChannelObservers()
        change(&observers)
        meterSource = observers.isEmpty ? nil : HashableValue(observers)
    }
}
