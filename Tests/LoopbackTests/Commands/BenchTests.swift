import Foundation
import Swiftlet
import SwiftletLoopback
import Testing

@testable import SwiftletCLI

@Suite("swiftlet bench", .timeLimit(.minutes(5)))
struct BenchTests {
    @Test("counts each latency within a 64th of its value")
    func precision() {
        for nanoseconds in [0, 1, 63, 64, 65, 127, 128, 1_000, 123_456_789, 1 << 40] {
            var histogram = LatencyHistogram()
            histogram.record(.zero)
            histogram.record(.nanoseconds(nanoseconds))
            histogram.record(.seconds(1 << 20))
            let median = histogram.percentile(0.5) / .nanoseconds(1)
            #expect(abs(median - Double(nanoseconds)) <= Double(nanoseconds) / 64 + 1)
        }
    }

    @Test("finds percentiles as sorting does, also after a merge")
    func percentiles() {
        var (one, other) = (LatencyHistogram(), LatencyHistogram())
        for count in 1...1_000 {
            if count.isMultiple(of: 2) {
                one.record(.microseconds(count))
            } else {
                other.record(.microseconds(count))
            }
        }
        one.merge(other)
        #expect(one.count == 1_000)
        #expect(one.min == .microseconds(1))
        #expect(one.max == .microseconds(1_000))
        #expect(one.mean == .nanoseconds(500_500))
        for part in [0.5, 0.9, 0.99, 0.999] {
            let found = one.percentile(part) / .microseconds(1)
            #expect(abs(found - part * 1_000) <= part * 1_000 / 64 + 1)
        }
        #expect(one.bars(10, to: one.percentile(0.99)).reduce(0) { $0 + $1.count } == 1_000)
    }

    @Test("starts calls at fixed times, whenever the server answers")
    func openLoop() throws {
        let start = ContinuousClock.now
        var plan = LoadSchedule.Plan()
        plan.rate = 10
        plan.duration = .milliseconds(350)
        plan.warmUp = .milliseconds(150)
        let schedule = LoadSchedule(plan, start: start)
        var due: [Duration] = []
        var measured = 0
        // The clock stands still, as if every call answered at once, or none at all.
        while let ticket = schedule.next(now: start) {
            due.append(start.duration(to: try #require(ticket.due)))
            if ticket.isMeasured { measured += 1 }
        }
        #expect(due == [0, 100, 200, 300, 400].map { .milliseconds($0) })
        #expect(measured == 3)
    }

    @Test("makes as many calls as it is told, and reports their statuses")
    func count() async throws {
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.add(ReflectionService())
        }
        let bench = ["bench", server.target, "helloworld.Greeter/SayHello", "-n", "100", "-c", "7"]
        let json = try await Program.run(bench + ["--connections", "2", "--output", "json"])
        #expect(json.status == 0, "\(json.errors)")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(report["calls"] as? Int == 100)
        #expect(report["statuses"] as? [String: Int] == ["OK": 100])
        let csv = try await Program.run(bench + ["--output", "csv"])
        let lines = csv.output.split(separator: "\n").map { $0.split(separator: ",") }
        #expect(lines.count == 2)
        #expect(lines.first?.count == lines.last?.count)
        let text = try await Program.run(bench)
        #expect(text.output.contains("  OK  100"))
    }
}
