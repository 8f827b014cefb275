import Swiftlet
import SwiftletTransport

/// The forms in which a benchmark's result is printed.
struct LoadReport {
    let result: LoadResult
    var run = LoadRun()

    static let parts = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999]
    private static let barCount = 10

    var latencies: LatencyHistogram { result.latencies }

    var sortedStatuses: [(name: String, count: Int)] {
        result.statuses.inOrder { $0.key.rawValue < $1.key.rawValue }
            .map { ("\($0.key)", $0.value) }
    }

    static func name(_ percentile: Double) -> String {
        let tenths = Int((percentile * 1_000).rounded())
        return tenths % 10 == 0 ? "p\(tenths / 10)" : "p\(tenths / 10).\(tenths % 10)"
    }

    static func decimal(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100)." + "\(100 + hundredths % 100)".dropFirst()
    }
}

// MARK: - Text

extension LoadReport {
    /// The result as text for readers.
    ///
    /// - Parameter columnCount: The width of the terminal, in characters.
    func text(columnCount: Int) -> String {
        var lines = summary.flatMap { Self.lines(of: $0, columnCount) }
        guard latencies.count > 0 else { return lines.joined(separator: "\n") }
        lines += ["", "percentiles"]
        lines += percentiles.map {
            "  \($0.name.padded(to: 6)) \($0.value.padded(to: 12))"
        }
        lines += ["", "histogram"] + bars(columnCount)
        lines += ["", "statuses"]
        lines += sortedStatuses.map { "  \($0.name)  \($0.count)" }
        if let failure = result.firstFailure { lines += ["", "first failure: \(failure)"] }
        return lines.joined(separator: "\n")
    }

    /// A name and its value on one line. If that line is too long, each part of the value gets its
    /// own line.
    private static func lines(
        of row: (name: String, value: String), _ columnCount: Int
    ) -> [String] {
        let column = 12
        let start = row.name + String(repeating: " ", count: column - row.name.count)
        guard start.count + row.value.count > columnCount else { return [start + row.value] }
        let parts = row.value.split(separator: ",").map { $0.drop { $0 == " " } }
        return parts.enumerated().map { index, part in
            (index == 0 ? start : String(repeating: " ", count: column)) + part
        }
    }

    /// The figures of the result, with at most 11 characters in a name.
    var summary: [(name: String, value: String)] {
        var rows = [
            ("calls", "\(latencies.count) in \(Self.decimal(result.duration / .seconds(1))) s"),
            ("rate", "\(Self.decimal(result.callsPerSecond)) calls per second"),
            ("received", "\(result.receivedByteCount) bytes"),
            (
                "latency",
                "min \(latencies.min.milliseconds), mean \(latencies.mean.milliseconds), "
                    + "max \(latencies.max.milliseconds)"
            ),
        ]
        if let missed = run.missedRate(started: result.startsPerSecond) {
            rows.append(("rate missed", missed))
        }
        return rows
    }

    /// The percentiles of the latencies.
    var percentiles: [(name: String, value: String)] {
        Self.parts.map { (Self.name($0), latencies.percentile($0).milliseconds) }
    }

    private func bars(_ columnCount: Int) -> [String] {
        let bars = latencies.bars(Self.barCount, to: latencies.percentile(0.99))
        let most = bars.map(\.count).max() ?? 1
        let width = max(1, columnCount - 28)
        return bars.map { bar in
            let length = (bar.count * width + most - 1) / max(1, most)
            return "  \(bar.upTo.paddedMilliseconds) \("\(bar.count)".padded(to: 9)) "
                + String(repeating: "■", count: length)
        }
    }
}
