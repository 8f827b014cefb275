/// What happened to the calls of a cluster since its last report.
struct LoadCounts: Hashable, Sendable {
    /// The values of a metric, added up.
    struct Metric: Hashable, Sendable {
        var callCount: UInt64 = 0
        var sum = 0.0

        mutating func add(_ value: Double) { self += Metric(callCount: 1, sum: value) }

        static func += (left: inout Metric, right: Metric) {
            left.callCount &+= right.callCount
            left.sum += right.sum
        }
    }

    struct Metrics: Hashable, Sendable {
        var processor = Metric()
        var memory = Metric()
        var application = Metric()
        var named: [ByteText: Metric] = [:]

        static func += (left: inout Metrics, right: Metrics) {
            left.processor += right.processor
            left.memory += right.memory
            left.application += right.application
            left.named.merge(right.named) { old, new in
                var sum = old
                sum += new
                return sum
            }
        }
    }

    /// The calls to a locality.
    struct Place: Hashable, Sendable {
        var issued: UInt64 = 0
        var succeeded: UInt64 = 0
        var failed: UInt64 = 0
        /// How many run now.
        var running: UInt64 = 0
        var metrics = Metrics()

        static func += (left: inout Place, right: Place) {
            left.issued &+= right.issued
            left.succeeded &+= right.succeeded
            left.failed &+= right.failed
            left.running &+= right.running
            left.metrics += right.metrics
        }
    }

    var places: [Endpoints.Locality: Place] = [:]
    /// Calls that were dropped, by category.
    var drops: [ByteText: UInt64] = [:]
    /// Calls that were dropped because too many ran.
    var excessDrops: UInt64 = 0

    static func += (left: inout LoadCounts, right: LoadCounts) {
        for (locality, place) in right.places { left.places[locality, default: Place()] += place }
        left.drops.merge(right.drops, uniquingKeysWith: &+)
        left.excessDrops &+= right.excessDrops
    }

    /// Whether no call began, ended, was dropped or runs.
    var isZero: Bool {
        excessDrops == 0 && drops.values.allSatisfy { $0 == 0 }
            && places.values.allSatisfy { $0 == Place() }
    }
}
