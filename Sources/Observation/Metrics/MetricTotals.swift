import Synchronization

/// Adds up metrics in memory, for tests and for a program without a metrics library.
///
/// ```swift
/// let totals = MetricTotals()
/// var arguments = ChannelArguments()
/// arguments.metricSinks = [totals]
/// …
/// print(totals.prometheusText)
/// ```
public final class MetricTotals: MetricSink {
    /// The totals of the values of one instrument with the same labels.
    public struct Total: Hashable, Sendable {
        /// The number of values.
        public var count = 0
        /// The sum of the values.
        public var sum = 0.0
        /// For a histogram: the number of values in each bucket, and last the number of values above all
        /// bounds. Empty for counters.
        public var bucketCounts: [Int] = []
    }

    private let selected: Set<MetricInstrument>
    public let optionalLabels: Set<String>
    private let recordsAllPaths: Bool
    private let totals = Mutex<[MetricInstrument: [[MetricLabel]: Total]]>([:])

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - instruments: The instruments that are recorded; by default those that are on by default.
    ///   - optionalLabels: Keys of optional labels; none by default.
    ///   - recordsAllPaths: Whether paths that are not literals of the program are recorded, too.
    public init(
        _ instruments: [MetricInstrument] = MetricInstrument.all.filter(\.isOnByDefault),
        optionalLabels: Set<String> = [], recordsAllPaths: Bool = false
    ) {
        selected = Set(instruments)
        self.optionalLabels = optionalLabels
        self.recordsAllPaths = recordsAllPaths
    }

    public func records(_ instrument: MetricInstrument) -> Bool { selected.contains(instrument) }

    public func recordsPath(_ path: String) -> Bool { recordsAllPaths }

    public func add(_ measurement: MetricMeasurement<Int>) {
        change(of: measurement) { total in
            total.count += 1
            total.sum += Double(measurement.value)
        }
    }

    public func record(_ measurement: MetricMeasurement<Double>) {
        guard case .histogram(let bounds) = measurement.instrument.kind else { return }
        let value = measurement.value
        change(of: measurement) { total in
            if total.bucketCounts.isEmpty {
                total.bucketCounts = [Int](repeating: 0, count: bounds.count + 1)
            }
            total.count += 1
            total.sum += value
            total.bucketCounts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        }
    }

    private func change<Value>(
        of measurement: MetricMeasurement<Value>, _ body: (inout Total) -> Void
    ) {
        totals.withLock {
            body(&$0[measurement.instrument, default: [:]][measurement.labels, default: Total()])
        }
    }
}

extension MetricTotals {
    /// The totals so far, by instrument and labels.
    public var snapshot: [MetricInstrument: [[MetricLabel]: Total]] { totals.withLock { $0 } }

    /// The totals of one instrument by their labels.
    public subscript(instrument: MetricInstrument) -> [[MetricLabel]: Total] {
        totals.withLock { $0[instrument] ?? [:] }
    }
}
