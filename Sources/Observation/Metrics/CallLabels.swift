import SwiftletCore

/// The labels of a measurement, for each sink of a channel. They differ if only some sinks record the path
/// of the call.
struct CallLabels: Sendable {
    private var named: [MetricLabel]
    private var others: [MetricLabel]
    /// For each sink, whether it gets ``named``. Empty if all sinks do.
    private let isNamed: [Bool]

    /// The same labels for all sinks.
    init(_ labels: [MetricLabel]) {
        named = labels
        others = []
        isNamed = []
    }

    /// - Parameter isNamed: For each sink, whether it gets `named`.
    init(_ named: [MetricLabel], _ others: [MetricLabel], isNamed: [Bool]) {
        self.named = named
        self.others = others
        self.isNamed = isNamed
    }

    /// The labels for the sink with this index.
    subscript(index: Int) -> [MetricLabel] {
        isNamed.isEmpty || isNamed[index] ? named : others
    }

    /// The labels and one more.
    func adding(_ label: MetricLabel) -> CallLabels {
        CallLabels(named + [label], isNamed.isEmpty ? [] : others + [label], isNamed: isNamed)
    }
}

/// The labels of a method's calls on a channel. Those of calls that end with OK are made once.
final class MethodLabels: Sendable {
    /// The labels of calls that have not ended.
    let running: CallLabels
    private let succeeded: CallLabels

    init(_ running: CallLabels) {
        self.running = running
        succeeded = Self.ended(.ok, running)
    }

    func ended(_ code: StatusCode) -> CallLabels {
        code == .ok ? succeeded : Self.ended(code, running)
    }

    private static func ended(_ code: StatusCode, _ running: CallLabels) -> CallLabels {
        running.adding(MetricLabel(MetricLabel.status, "\(code)"))
    }
}
