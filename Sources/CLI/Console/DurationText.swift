extension Duration {
    /// For example `12.34 ms`.
    var milliseconds: String {
        let hundredths = Int64((self / .microseconds(10)).rounded())
        let fraction = "\(100 + hundredths % 100)".dropFirst()
        return "\(hundredths / 100).\(fraction) ms"
    }

    /// The same, with spaces before it, so that lines stand below one another.
    var paddedMilliseconds: String { milliseconds.padded(to: 12) }
}

extension String {
    /// The text with spaces before it, up to a count of characters.
    func padded(to count: Int) -> String {
        String(repeating: " ", count: max(0, count - self.count)) + self
    }
}
