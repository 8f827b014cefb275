import SwiftletBalancing
import SwiftletCore
import SwiftletTransport
import Synchronization

/// Counts the calls to one locality of a cluster, on any thread.
final class LocalityLoad: Sendable {
    /// The most names of metrics in one report. Servers choose the names.
    static let maxNameCount = 1_000

    private struct Unreported {
        var metrics = LoadCounts.Metrics()
        /// The calls of all reports.
        var reported = LoadCounts.Place()
    }

    private let reportedMetrics: ReportedMetrics
    // Since the beginning. Calls change only these, unless a server has sent metrics that are reported.
    private let begun = Atomic<UInt64>(0)
    private let unsent = Atomic<UInt64>(0)
    private let succeeded = Atomic<UInt64>(0)
    private let failed = Atomic<UInt64>(0)
    private let unreported = Mutex(Unreported())

    init(_ metrics: ReportedMetrics) { reportedMetrics = metrics }
}

extension LocalityLoad {
    /// A call is sent to the locality.
    func begin() { begun.wrappingAdd(1, ordering: .relaxed) }

    func end(_ outcome: CallOutcome) {
        guard outcome.wasSent else {
            unsent.wrappingAdd(1, ordering: .releasing)
            return
        }
        if let load = outcome.load, !reportedMetrics.isEmpty {
            unreported.withLock { $0.metrics.add(load, reportedMetrics) }
        }
        if outcome.code == .ok {
            succeeded.wrappingAdd(1, ordering: .releasing)
        } else {
            failed.wrappingAdd(1, ordering: .releasing)
        }
    }

    /// Returns what has happened since the last call of this function. One thread calls it at a time.
    func take() -> LoadCounts.Place {
        // The ends first, so that the beginning of each call that has ended is counted, too.
        let succeeded = succeeded.load(ordering: .acquiring)
        let failed = failed.load(ordering: .acquiring)
        let unsent = unsent.load(ordering: .acquiring)
        let issued = begun.load(ordering: .relaxed) &- unsent
        return unreported.withLock { unreported in
            let last = unreported.reported
            var counts = LoadCounts.Place()
            counts.succeeded = succeeded &- last.succeeded
            counts.failed = failed &- last.failed
            counts.running = issued &- succeeded &- failed
            // Fewer than before if a call that was reported as issued turns out not to have been sent. The next
            // reports have as many fewer.
            counts.issued = issued > last.issued ? issued &- last.issued : 0
            unreported.reported.succeeded = succeeded
            unreported.reported.failed = failed
            unreported.reported.issued = max(issued, last.issued)
            swap(&counts.metrics, &unreported.metrics)
            return counts
        }
    }
}

extension LoadCounts.Metrics {
    fileprivate mutating func add(_ load: LoadReport, _ wanted: ReportedMetrics) {
        if wanted.hasProcessor { processor.add(load.cpuUtilization) }
        if wanted.hasMemory { memory.add(load.memoryUtilization) }
        if wanted.hasApplication { application.add(load.applicationUtilization) }
        for (name, value) in load.namedMetrics {
            let name = ByteText(name)
            guard wanted.hasNamed(name),
                named[name] != nil || named.count < LocalityLoad.maxNameCount
            else { continue }
            named[name, default: .init()].add(value)
        }
    }
}
