import SwiftletCore
import SwiftletTransport
import Synchronization

/// Counts the calls of one balancer of a cluster, for load reports. Safe on any thread.
final class ClusterLoad: Sendable {
    struct Settings: Hashable, Sendable {
        /// The control plane that gets the reports.
        let server: XDS.Bootstrap.Server
        let cluster: CallCount.Key
        let metrics: ReportedMetrics
    }

    private struct Tables: Sendable {
        var places = LoadTable<Endpoints.Locality, LocalityLoad>()
        var drops = LoadTable<ByteText, DropCount>()
    }

    let settings: Settings
    /// Since when it counts.
    let start: MonotonicInstant
    private let tables = Mutex(Tables())
    /// Calls that were dropped because too many ran.
    let excessDrops = DropCount()

    init(_ settings: Settings, at now: MonotonicInstant) {
        self.settings = settings
        start = now
    }
}

extension ClusterLoad.Settings {
    /// Nil if the cluster does not report its load.
    init?(_ leaf: LeafCluster) {
        guard let server = leaf.cluster.loadServer else { return nil }
        self.server = server
        cluster = CallCount.Key(leaf)
        metrics = leaf.cluster.reportedMetrics
    }
}

extension ClusterLoad {
    /// The counter of a locality, for as long as calls can be sent there.
    func place(_ locality: Endpoints.Locality) -> LocalityLoad {
        tables.withLock { tables in
            tables.places.counter(for: locality) { LocalityLoad(settings.metrics) }
        }
    }

    /// The counter of a category of drops, for as long as calls can be dropped.
    func drops(_ category: ByteText) -> DropCount {
        tables.withLock { $0.drops.counter(for: category) { DropCount() } }
    }

    /// Whether no call can be sent or runs, as far as it is counted here.
    var isEmpty: Bool { tables.withLock { $0.places.isEmpty } }

    /// Returns what has happened since the last call of this function. One thread calls it at a time.
    func take() -> LoadCounts {
        let (places, drops) = tables.withLock { tables in
            let (ended, endedDrops) = (tables.places.removeUnused(), tables.drops.removeUnused())
            return (
                tables.places.counters.map { ($0, $1) } + ended,
                tables.drops.counters.map { ($0, $1) } + endedDrops
            )
        }
        var counts = LoadCounts()
        for (locality, place) in places { counts.places[locality] = place.take() }
        for (category, drop) in drops { counts.drops[category] = drop.take() }
        counts.excessDrops = excessDrops.take()
        return counts
    }
}

/// The identity: each balancer counts for itself.
extension ClusterLoad: Hashable {
    static func == (left: ClusterLoad, right: ClusterLoad) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Counts calls that were dropped for one reason.
final class DropCount: Sendable {
    private let count = Atomic<UInt64>(0)

    func add() { count.wrappingAdd(1, ordering: .relaxed) }

    /// Returns the drops since the last call of this function.
    func take() -> UInt64 { count.exchange(0, ordering: .relaxed) }
}
