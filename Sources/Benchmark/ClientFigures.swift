import Foundation

/// The results of a client's work.
struct ClientFigures {
    let arguments: ClientArguments
    let count: Int
    let errorCount: Int
    let firstError: String?
    let seconds: Double
    let histogram: LatencyHistogram
    let before: ProcessCost
    let after: ProcessCost
}

extension ClientFigures {
    /// Calls per second; zero if the work ended before the window.
    var perSecond: Double { seconds > 0 ? Double(count) / seconds : 0 }
    var microsecondsOfProcessor: Double {
        each((after.user - before.user + after.system - before.system) * 1e6)
    }
    var allocationsOfEach: Double? { difference(\.allocations) }
    var systemCallsOfEach: Double? { difference(\.systemCalls) }

    private func each(_ sum: Double) -> Double { sum / Double(max(count, 1)) }

    private func difference(_ path: KeyPath<ProcessCost, Int?>) -> Double? {
        guard let first = before[keyPath: path], let last = after[keyPath: path] else { return nil }
        return each(Double(last - first))
    }

    private var bodyByteCount: Int {
        switch arguments.scenario {
        case .serverStream: arguments.responseByteCount
        case .clientStream: arguments.requestByteCount
        default: arguments.requestByteCount + arguments.responseByteCount
        }
    }

    /// The line in the format of the benchmark clients in other languages.
    var line: String {
        var fields: [(String, JSONLine.Value)] = [
            ("client", .text("swiftlet")), ("mode", .text(arguments.executor.rawValue)),
            ("scenario", .text(arguments.scenario.rawValue)),
            ("concurrency", .number(Double(arguments.concurrency), digits: 0)),
            ("rpcs", .number(Double(count), digits: 0)),
            ("secs", .number(seconds, digits: 3)),
            ("rps", .number(perSecond, digits: 0)),
            ("p50_us", .number(histogram.microseconds(at: 0.5), digits: 2)),
            ("p99_us", .number(histogram.microseconds(at: 0.99), digits: 2)),
            ("cpu_us_per_rpc", .number(microsecondsOfProcessor, digits: 3)),
            ("user_us_per_rpc", .number(each((after.user - before.user) * 1e6), digits: 3)),
            ("sys_us_per_rpc", .number(each((after.system - before.system) * 1e6), digits: 3)),
            ("max_rss_kb", .number(Double(after.peakKilobytes), digits: 0)),
            ("bytes_per_s", .number(perSecond * Double(bodyByteCount), digits: 0)),
            ("errors", .number(Double(errorCount), digits: 0)),
        ]
        // Omitted if they cannot be counted.
        if let allocationsOfEach {
            fields.append(("allocations_per_rpc", .number(allocationsOfEach, digits: 2)))
        }
        if let systemCallsOfEach {
            fields.append(("syscalls_per_rpc", .number(systemCallsOfEach, digits: 3)))
        }
        return JSONLine(fields).text
    }
}

/// One line of JSON, with the keys in the order in which they were added.
struct JSONLine {
    enum Value {
        case text(String)
        case number(Double, digits: Int)
    }

    let text: String

    init(_ fields: [(String, Value)]) {
        let parts = fields.map { name, value in
            switch value {
            case .text(let text): "\"\(name)\":\"\(text)\""
            case .number(let number, let digits):
                "\"\(name)\":" + String(format: "%.\(digits)f", number)
            }
        }
        text = "{" + parts.joined(separator: ",") + "}"
    }
}
