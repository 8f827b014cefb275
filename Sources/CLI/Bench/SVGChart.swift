/// Draws a chart as SVG, to be part of an HTML page.
///
/// The colours come from the style sheet of the page: the classes are `bar`, `line`, `grid` and `label`.
struct SVGChart {
    private static let size = (width: 720.0, height: 220.0)
    private static let margin = (left: 64.0, right: 8.0, top: 8.0, bottom: 28.0)
    private static let stepCount = 4

    /// A description of the chart, for readers that cannot see it.
    let title: String
    /// The text of a value on the vertical axis.
    let valueText: (Double) -> String

    private var plot: (width: Double, height: Double) {
        (
            Self.size.width - Self.margin.left - Self.margin.right,
            Self.size.height - Self.margin.top - Self.margin.bottom
        )
    }

    /// Draws one bar for each value, side by side.
    ///
    /// - Parameters:
    ///   - values: The heights, and the text that a browser shows for each.
    ///   - labels: The texts below the first and the last bar.
    func bars(_ values: [(value: Double, text: String)], labels: (first: String, last: String))
        -> String
    {
        let top = Self.roundedUp(values.map(\.value).max() ?? 0)
        let width = plot.width / Double(max(1, values.count))
        var body = ""
        for (index, bar) in values.enumerated() {
            let height = plot.height * bar.value / top
            body +=
                "<rect class=\"bar\" x=\"\(Self.text(Self.margin.left + width * Double(index)))\""
            body += " y=\"\(Self.text(Self.margin.top + plot.height - height))\""
            body += " width=\"\(Self.text(max(0.5, width - 1)))\" height=\"\(Self.text(height))\">"
            body += "<title>\(HTMLText.escaped(bar.text))</title></rect>\n"
        }
        return svg(body, top: top, labels)
    }

    /// Draws a line through values at equal distances.
    func line(_ values: [Double], labels: (first: String, last: String)) -> String {
        let top = Self.roundedUp(values.max() ?? 0)
        let step = plot.width / Double(max(1, values.count - 1))
        let points = values.enumerated().map { index, value in
            let x = Self.margin.left + step * Double(index)
            let y = Self.margin.top + plot.height * (1 - value / top)
            return "\(Self.text(x)),\(Self.text(y))"
        }
        return svg(
            "<polyline class=\"line\" points=\"\(points.joined(separator: " "))\"/>\n", top: top,
            labels)
    }

    private func svg(
        _ body: String, top: Double, _ labels: (first: String, last: String)
    ) -> String {
        let (left, bottom) = (Self.margin.left, Self.size.height - 8)
        var text =
            "<svg viewBox=\"0 0 \(Self.text(Self.size.width)) \(Self.text(Self.size.height))\""
        text += " role=\"img\" aria-label=\"\(HTMLText.escaped(title))\">\n"
        for step in 0...Self.stepCount {
            let value = top * Double(step) / Double(Self.stepCount)
            let y = Self.margin.top + plot.height * (1 - value / top)
            text += "<line class=\"grid\" x1=\"\(Self.text(left))\" y1=\"\(Self.text(y))\""
            text += " x2=\"\(Self.text(left + plot.width))\" y2=\"\(Self.text(y))\"/>"
            text += label(valueText(value), x: left - 6, y: y + 4, anchor: "end")
        }
        text += body
        text += label(labels.first, x: left, y: bottom, anchor: "start")
        text += label(labels.last, x: left + plot.width, y: bottom, anchor: "end")
        return text + "</svg>\n"
    }

    private func label(_ text: String, x: Double, y: Double, anchor: String) -> String {
        "<text class=\"label\" x=\"\(Self.text(x))\" y=\"\(Self.text(y))\""
            + " text-anchor=\"\(anchor)\">\(HTMLText.escaped(text))</text>\n"
    }

    /// The next round number that is not below `value`: 1, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times a power of ten. If
    /// `value` is not positive and finite, it is 1.
    static func roundedUp(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 1 }
        var power = 1.0
        while power * 10 <= value { power *= 10 }
        while power > value { power /= 10 }
        let steps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]
        return (steps.first { $0 * power >= value } ?? 10) * power
    }

    /// A coordinate with at most one decimal place.
    private static func text(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
    }
}

enum HTMLText {
    /// A text that is safe inside elements and quoted attributes. Escaped by bytes: for Swift, `<` and a combining
    /// mark after it are one character, but not for a browser.
    static func escaped(_ text: String) -> String {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            case UInt8(ascii: "'"): escaped += "&#39;".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
