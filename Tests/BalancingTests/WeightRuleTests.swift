import SwiftletCore
import Testing

@testable import SwiftletBalancing

@Suite("The utilization of a load report (A114)")
struct WeightRuleTests {
    private let load: LoadReport = {
        var load = LoadReport()
        load.requestsPerSecond = 100
        load.applicationUtilization = 0.5
        load.cpuUtilization = 0.25
        load.memoryUtilization = 0.8
        load.namedMetrics = ["queue": 0.4, "queue.length": 2, "zero": 0, "cpu_utilization": 9]
        load.utilization = ["disk": 0.2]
        return load
    }()

    /// The weight is 100 calls per second divided by the utilization.
    @Test(
        "is the largest of the metrics that the config names",
        arguments: [
            ([], 0.5), (["cpu_utilization"], 0.25),
            (["mem_utilization"], 0.8), (["application_utilization"], 0.5),
            (["named_metrics.queue"], 0.4), (["utilization.disk"], 0.2),
            (["utilization.disk", "named_metrics.queue", "cpu_utilization"], 0.4),
            // The first period ends the name of the field.
            (["named_metrics.queue.length"], 2),
            // Missing, zero, and no metrics of utilization: the utilization is that of the application.
            (["named_metrics.other"], 0.5), (["named_metrics.zero"], 0.5),
            (["rps_fractional", "eps", "named_metrics", "utilization.", "request_cost.x"], 0.5),
            (["named_metrics.zero", "utilization.disk"], 0.2),
        ] as [([String], Double)])
    func largest(names: [String], utilization: Double) throws {
        var policy = WeightedRoundRobin()
        policy.metricNamesForComputingUtilization = names
        let weight = try #require(WeightRule(policy).weight(of: load))
        #expect(abs(weight - 100 / utilization) < 1e-9)
    }

    @Test("falls back to the processor, and to no weight")
    func fallsBack() {
        var policy = WeightedRoundRobin()
        policy.metricNamesForComputingUtilization = ["named_metrics.other"]
        var load = LoadReport()
        load.requestsPerSecond = 10
        #expect(WeightRule(policy).weight(of: load) == nil)
        load.cpuUtilization = 0.5
        #expect(WeightRule(policy).weight(of: load) == 20)
    }
}
