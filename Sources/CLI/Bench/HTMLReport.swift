/// The result of a benchmark as an HTML page in one file, without scripts.
struct HTMLReport {
    private static let barCount = 60

    let report: LoadReport
    /// The called method, for the title.
    let subject: String

    private var result: LoadResult { report.result }

    var text: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(HTMLText.escaped(subject))</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <h1>\(HTMLText.escaped(subject))</h1>
        \(table("Figures", report.summary))
        \(charts)\(table("Percentiles", report.percentiles))
        \(table("Statuses", report.sortedStatuses.map { ($0.name, "\($0.count)") }))
        \(result.firstFailure.map { "<p>First failure: \(HTMLText.escaped($0))</p>" } ?? "")
        </body>
        </html>

        """
    }

    private func table(_ title: String, _ rows: [(name: String, value: String)]) -> String {
        let lines = rows.map { row in
            "<tr><th scope=\"row\">\(HTMLText.escaped(row.name))</th>"
                + "<td>\(HTMLText.escaped(row.value))</td></tr>"
        }
        return "<h2>\(title)</h2>\n<table>\n\(lines.joined(separator: "\n"))\n</table>"
    }

    /// The charts. Empty if there were no calls.
    private var charts: String {
        guard result.latencies.count > 0 else { return "" }
        let seconds = result.seconds
        let times = (first: "0 s", last: "\(max(0, seconds.count - 1)) s")
        let rates = SVGChart(title: "Calls per second over time") { "\(Int($0.rounded()))" }
        let means = SVGChart(title: "Mean latency over time") {
            Duration.seconds($0 / 1_000).milliseconds
        }
        var text = "<h2>Latencies</h2>\n" + histogram
        text += "<h2>Calls per second</h2>\n"
        text += rates.bars(
            seconds.enumerated().map { index, second in
                (
                    Double(second.callCount),
                    "second \(index): \(second.callCount) calls, \(second.failureCount) failed"
                )
            }, labels: times)
        text += "<h2>Mean latency</h2>\n"
        text += means.line(seconds.map { $0.meanLatency / .milliseconds(1) }, labels: times)
        return text
    }

    /// The latencies up to the 99th percentile.
    private var histogram: String {
        let end = result.latencies.percentile(0.99)
        let bars = result.latencies.bars(Self.barCount, to: end).prefix(Self.barCount)
        let chart = SVGChart(title: "Latencies up to the 99th percentile") {
            "\(Int($0.rounded()))"
        }
        return chart.bars(
            bars.map { (Double($0.count), "up to \($0.upTo.milliseconds): \($0.count) calls") },
            labels: (result.latencies.min.milliseconds, end.milliseconds + " (p99)"))
    }

    private static let style = """

        :root { color-scheme: light dark; --ink: #1c2330; --paper: #ffffff; --mark: #2f6fdb; --soft: #d9dee8; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e4e8f0; --paper: #14181f; --mark: #6ea4ff; --soft: #333b49; }
        }
        body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
          max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
        h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
        h2 { font-size: 1.1rem; margin: 1.6rem 0 0.4rem; }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
        th { text-align: left; font-weight: normal; padding: 0.1rem 2rem 0.1rem 0; }
        td { text-align: right; }
        svg { width: 100%; height: auto; display: block; }
        .bar { fill: var(--mark); }
        .line { fill: none; stroke: var(--mark); stroke-width: 2; }
        .grid { stroke: var(--soft); stroke-width: 1; }
        .label { fill: var(--ink); font-size: 12px; }

        """
}
