extension Duration {
    /// Parses a time above 0 and up to 1e9 seconds: seconds, or a number with the unit `ms`, `s`, `m` or `h`.
    /// Nil for any other text.
    init?(commandLine text: String) {
        let digits = text.prefix { $0.isNumber || $0 == "." || $0 == "e" || $0 == "-" }
        let units = ["": 1, "s": 1, "ms": 0.001, "m": 60, "h": 3_600]
        guard let count = Double(digits), let unit = units[String(text[digits.endIndex...])],
            count * unit > 0, count * unit <= 1e9
        else { return nil }
        self = .seconds(count * unit)
    }

    /// For example `12.34 ms`.
    var milliseconds: String {
        let hundredths = Int64((self / .microseconds(10)).rounded())
        let fraction = "\(100 + hundredths % 100)".dropFirst()
        return "\(hundredths / 100).\(fraction) ms"
    }

    /// The same, with spaces before it, so that lines are aligned.
    var paddedMilliseconds: String { milliseconds.padded(to: 12) }
}

extension String {
    /// The text with spaces before it, up to a count of characters.
    func padded(to count: Int) -> String {
        String(repeating: " ", count: max(0, count - self.count)) + self
    }
}
