import SwiftletTransport

extension MetricTotals {
    /// The totals in the text format of Prometheus, with the names that OpenTelemetry's exporter uses.
    public var prometheusText: String {
        var text = ""
        for (instrument, series) in snapshot.inOrder(by: { $0.key.index < $1.key.index }) {
            let name = instrument.prometheusName
            text += "# HELP \(name) \(instrument.summary)\n"
            text += "# TYPE \(name) \(instrument.prometheusKind)\n"
            let sorted = series.map { (Self.text(of: $0.key), $0.value) }
                .inOrder { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
            for (labels, total) in sorted {
                switch instrument.kind {
                case .counter, .upDownCounter: text += "\(name){\(labels)} \(Int(total.sum))\n"
                case .histogram(let bounds):
                    text += Self.histogram(name, labels, bounds, total)
                }
            }
        }
        return text
    }

    private static func histogram(
        _ name: String, _ labels: String, _ bounds: [Double], _ total: Total
    ) -> String {
        var text = ""
        var count = 0
        let bounds = bounds.map { "\($0)" } + ["+Inf"]
        for (bound, bucketCount) in zip(bounds, total.bucketCounts) {
            count += bucketCount
            text += "\(name)_bucket{\(labels),le=\"\(bound)\"} \(count)\n"
        }
        return text
            + "\(name)_sum{\(labels)} \(total.sum)\n\(name)_count{\(labels)} \(total.count)\n"
    }

    private static func text(of labels: [MetricLabel]) -> String {
        labels.map { "\(MetricInstrument.underscored($0.key))=\"\(escaped($0.value))\"" }
            .joined(separator: ",")
    }

    /// Escapes by bytes: for Swift, a quotation mark and a combining mark after it are one character, and so are CR
    /// and LF.
    private static func escaped(_ text: String) -> String {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): escaped += #"\\"#.utf8
            case UInt8(ascii: "\""): escaped += #"\""#.utf8
            case UInt8(ascii: "\n"): escaped += #"\n"#.utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

extension MetricInstrument {
    fileprivate var prometheusKind: String {
        switch kind {
        case .counter: "counter"
        case .upDownCounter: "gauge"
        case .histogram: "histogram"
        }
    }

    /// The name with the unit and, for a counter, `_total` at the end.
    fileprivate var prometheusName: String {
        let unit =
            switch unit {
            case "s": "_seconds"
            case "By": "_bytes"
            default: ""
            }
        return Self.underscored(name) + unit + (kind == .counter ? "_total" : "")
    }

    fileprivate static func underscored(_ text: String) -> String {
        let dot = UInt8(ascii: ".")
        return String(
            decoding: text.utf8.map { $0 == dot ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
    }
}
