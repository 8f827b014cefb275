import Swiftlet
import SwiftletLoopback
import SwiftletTransport

// Forms of the result for programs.

extension LoadReport {
    private static let histogramBarCount = 40

    private var texts: [(name: String, value: String)] {
        [("date", run.date), ("target", run.target), ("method", run.method)]
    }

    /// What was asked for. Nil for a value that was not given.
    private var request: [(name: String, value: String?)] {
        let plan = run.plan
        return [
            ("concurrency", "\(run.concurrency)"),
            ("connections", "\(run.connectionCount)"),
            ("requestedCalls", plan.count.map { "\($0)" }),
            ("requestedSeconds", plan.duration.map { "\($0 / .seconds(1))" }),
            ("requestedRate", plan.rate.map { "\($0)" }),
            ("warmUpSeconds", "\(plan.warmUp / .seconds(1))"),
        ]
    }

    private var figures: [(name: String, value: String?)] {
        let failed = latencies.count - (result.statuses[.ok] ?? 0)
        let named =
            [("min", latencies.min), ("mean", latencies.mean), ("max", latencies.max)]
            + Self.parts.map { (Self.name($0), latencies.percentile($0)) }
        return [
            ("calls", "\(latencies.count)"), ("failed", "\(failed)"),
            ("seconds", "\(result.duration / .seconds(1))"),
            ("callsPerSecond", "\(result.callsPerSecond)"),
            ("startsPerSecond", result.startsPerSecond.map { "\($0)" }),
            ("receivedBytes", "\(result.receivedByteCount)"),
        ] + named.map { ("\($0.0)Milliseconds", Self.milliseconds($0.1)) }
    }

    private static func milliseconds(_ duration: Duration) -> String {
        "\(duration / .milliseconds(1))"
    }

    /// An object with the request, the figures, `statuses` and `failures` by name, the `histogram` of latencies, and
    /// the calls that ended in each of the `timeline`'s seconds.
    var json: String {
        let described = texts.map { "\"\($0.name)\": \(JSONText.quoted($0.value))" }
        let numbers = (request + figures).compactMap { member in
            member.value.map { "\"\(member.name)\": \($0)" }
        }
        let statuses = sortedStatuses.map { "\"\($0.name)\": \($0.count)" }
        let failures = result.failures.inOrder { $0.value > $1.value }
            .map { "\(JSONText.quoted(String(decoding: $0.key, as: UTF8.self))): \($0.value)" }
        let bars = latencies.bars(Self.histogramBarCount, to: latencies.percentile(0.99)).map {
            "{\"upToMilliseconds\": \(Self.milliseconds($0.upTo)), \"calls\": \($0.count)}"
        }
        let seconds = result.seconds.map { second in
            "{\"calls\": \(second.callCount), \"failed\": \(second.failureCount), "
                + "\"meanMilliseconds\": \(Self.milliseconds(second.meanLatency))}"
        }
        let groups = [
            "\"statuses\": {\(statuses.joined(separator: ", "))}",
            "\"failures\": {\(failures.joined(separator: ", "))}", Self.list("histogram", bars),
            Self.list("timeline", seconds),
        ]
        return "{\n  " + (described + numbers + groups).joined(separator: ",\n  ") + "\n}"
    }

    private static func list(_ name: String, _ elements: [String]) -> String {
        guard !elements.isEmpty else { return "\"\(name)\": []" }
        return "\"\(name)\": [\n    " + elements.joined(separator: ",\n    ") + "\n  ]"
    }

    /// A line of names and a line of values. The names are the same for all runs: each status has a column, and a
    /// value that is not known is empty.
    var csv: String {
        let codes = (0...16).map { StatusCode(rawValue: $0) }
        let all =
            texts.map {
                ($0.name, "\"\($0.value.replacingOccurrences(ofText: "\"", by: "\"\""))\"")
            } + request
            + figures
            + codes.map { ("\($0)", "\(result.statuses[$0] ?? 0)") }
        return all.map(\.name).joined(separator: ",") + "\n"
            + all.map { $0.value ?? "" }.joined(separator: ",")
    }
}
