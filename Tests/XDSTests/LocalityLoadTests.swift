import SwiftletBalancing
import SwiftletCore
import SwiftletTransport
import TestSupport
import Testing

@testable import SwiftletXDS

@Suite("The counters of a locality")
struct LocalityLoadTests {
    @Test("leave out calls that were not sent, also if they were reported")
    func unsent() {
        let load = LocalityLoad(ReportedMetrics([]))
        var unsent = CallOutcome(code: .unavailable)
        unsent.wasSent = false
        load.begin()
        load.end(unsent)
        #expect(load.take() == LoadCounts.Place())
        load.begin()
        #expect(load.take() == LoadCounts.Place(issued: 1, running: 1))
        load.end(unsent)
        #expect(load.take() == LoadCounts.Place())
        // The next call takes the place of the one that was reported too early.
        load.begin()
        #expect(load.take() == LoadCounts.Place(running: 1))
        load.end(CallOutcome(code: .ok))
        load.begin()
        #expect(load.take() == LoadCounts.Place(issued: 1, succeeded: 1, running: 1))
    }

    private static var report: LoadReport {
        var report = LoadReport()
        report.cpuUtilization = 0.5
        report.memoryUtilization = 0.25
        report.applicationUtilization = 2
        report.namedMetrics = ["a": 1, "b": 2]
        report.utilization = ["disk": 1]
        return report
    }

    private typealias Metric = LoadCounts.Metric

    @Test("add up the metrics that the cluster names, of all calls with a report")
    func metrics() {
        let load = LocalityLoad(
            ReportedMetrics([
                "cpu_utilization", "mem_utilization", "application_utilization", "named_metrics.b",
                "named_metrics.", "utilization.disk", "rps_fractional", "",
            ]))
        for code in [StatusCode.ok, .internal] {
            load.begin()
            load.end(CallOutcome(code: code, load: Self.report))
        }
        load.begin()
        load.end(CallOutcome(code: .ok))
        let metrics = load.take().metrics
        #expect(metrics.processor == Metric(callCount: 2, sum: 1))
        #expect(metrics.memory == Metric(callCount: 2, sum: 0.5))
        #expect(metrics.application == Metric(callCount: 2, sum: 4))
        #expect(metrics.named == ["b": Metric(callCount: 2, sum: 4)])
        #expect(load.take() == LoadCounts.Place())
    }

    @Test("have all named metrics with a star, and none without a name")
    func namedMetrics() {
        for (fields, names) in [(["named_metrics.*"], ["a", "b"]), ([], [])] {
            let load = LocalityLoad(ReportedMetrics(fields))
            load.begin()
            load.end(CallOutcome(code: .ok, load: Self.report))
            let metrics = load.take().metrics
            #expect(metrics.named.keys.map(\.string).inOrder() == names)
            #expect(metrics.processor == Metric() && metrics.memory == Metric())
        }
    }

    @Test("have a bounded number of names, which servers choose")
    func boundedNames() {
        let load = LocalityLoad(ReportedMetrics(["named_metrics.*"]))
        for number in 0..<3_000 {
            var report = LoadReport()
            report.namedMetrics = ["first": 1, "m\(number)": 1]
            load.begin()
            load.end(CallOutcome(code: .ok, load: report))
        }
        let named = load.take().metrics.named
        #expect(named.count == LocalityLoad.maxNameCount)
        #expect(named["first"]?.callCount == 3_000)
    }

    @Test("lose nothing when many threads count while reports are made")
    func threads() async {
        let load = LocalityLoad(ReportedMetrics(["cpu_utilization"]))
        let (threadCount, callCount) = (8, 2_000)
        let sum = await withTaskGroup(of: LoadCounts.Place.self) { group in
            for _ in 0..<threadCount {
                group.addTask {
                    for number in 0..<callCount {
                        load.begin()
                        let code: StatusCode = number % 4 == 0 ? .internal : .ok
                        load.end(CallOutcome(code: code, load: Self.report))
                    }
                    return LoadCounts.Place()
                }
            }
            group.addTask {
                var sum = LoadCounts.Place()
                for _ in 0..<500 {
                    var counts = load.take()
                    #expect(counts.running <= UInt64(threadCount))
                    counts.running = 0
                    sum += counts
                }
                return sum
            }
            var sum = LoadCounts.Place()
            for await counts in group { sum += counts }
            return sum
        }
        var total = sum
        total += load.take()
        let calls = UInt64(threadCount * callCount)
        #expect(total.issued == calls && total.running == 0)
        #expect(total.failed == calls / 4 && total.succeeded == calls - calls / 4)
        #expect(total.metrics.processor == Metric(callCount: calls, sum: Double(calls) / 2))
    }

    @Test("are reported once more after nothing uses them, and then removed")
    func unusedCounters() throws {
        let load = Sample.load(for: try Sample.servers(1)[0])
        load.call("y", .ok)
        load.drops("lb").add()
        let kept = load.place(Sample.zone("z"))
        #expect(load.take().places.keys.map(\.zone).inOrder() == ["y", "z"])
        kept.begin()
        let counts = load.take()
        #expect(counts.places == [Sample.zone("z"): LoadCounts.Place(issued: 1, running: 1)])
        #expect(counts.drops.isEmpty)
    }

    @Test("of places that are not in use any more are bounded")
    func boundedPlaces() throws {
        let load = Sample.load(for: try Sample.servers(1)[0])
        let kept = load.place(Sample.zone("kept"))
        kept.begin()
        for number in 0..<3_000 { load.call(ByteText("z\(number)"), .ok) }
        let places = load.take().places
        #expect(places.count <= 1_000 && places[Sample.zone("kept")]?.issued == 1)
    }
}
