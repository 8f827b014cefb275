import SwiftletCore
import SwiftletTransport

/// How a weight of `weighted_round_robin` is computed from a load report (A58, A114).
struct WeightRule: Hashable, Sendable {
    /// By how much errors lower a weight.
    private let errorPenalty: Double
    private let metrics: [UtilizationMetric]

    init(_ policy: WeightedRoundRobin) {
        errorPenalty = max(policy.errorUtilizationPenalty, 0)
        metrics = policy.metricNamesForComputingUtilization.compactMap { UtilizationMetric($0) }
    }

    /// The calls per second that the server could serve: its calls per second divided by the sum of
    /// its utilization and a penalty for errors. Nil when the report has no calls per second or no
    /// utilization.
    func weight(of load: LoadReport) -> Double? {
        let reported = utilization(of: load)
        guard reported > 0, load.requestsPerSecond > 0 else { return nil }
        let errors = load.errorsPerSecond / load.requestsPerSecond * errorPenalty
        let weight = load.requestsPerSecond / (reported + errors)
        return weight.isFinite && weight > 0 ? weight : nil
    }

    private func utilization(of load: LoadReport) -> Double {
        // A value that is not above zero counts as missing.
        if let chosen = metrics.lazy.compactMap({ $0.value(in: load) }).max(), chosen > 0 {
            return chosen
        }
        return load.applicationUtilization > 0 ? load.applicationUtilization : load.cpuUtilization
    }
}

/// A metric of a load report by its name in a config. Other fields of a report are not metrics of utilization (A114).
private enum UtilizationMetric: Hashable, Sendable {
    case application, cpu, memory
    case named(String)
    case resource(String)

    /// Nil for a name that no report has.
    init?(_ name: String) {
        let bytes = name.utf8
        func key(behind prefix: StaticString) -> String? {
            let prefix = "\(prefix)".utf8
            guard bytes.starts(with: prefix) else { return nil }
            return WireText.checked(
                bytes.dropFirst(prefix.count), upTo: Limits.metricNameByteCount)
        }
        if bytes.elementsEqual("application_utilization".utf8) {
            self = .application
        } else if bytes.elementsEqual("cpu_utilization".utf8) {
            self = .cpu
        } else if bytes.elementsEqual("mem_utilization".utf8) {
            self = .memory
        } else if let key = key(behind: "named_metrics.") {
            self = .named(key)
        } else if let key = key(behind: "utilization.") {
            self = .resource(key)
        } else {
            return nil
        }
    }

    func value(in load: LoadReport) -> Double? {
        switch self {
        case .application: load.applicationUtilization
        case .cpu: load.cpuUtilization
        case .memory: load.memoryUtilization
        case .named(let key): load.namedMetrics[key]
        case .resource(let key): load.utilization[key]
        }
    }
}
