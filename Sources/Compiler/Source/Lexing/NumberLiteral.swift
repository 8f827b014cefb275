/// Reads the numbers of a `.proto` file.
enum NumberLiteral {
    /// A decimal, hex or octal number; nil when it is above `max`.
    static func integer(_ text: String, max: UInt64 = .max) -> UInt64? {
        let value: UInt64?
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            value = UInt64(text.dropFirst(2), radix: 16)
        } else if text.hasPrefix("0"), text.utf8.count > 1 {
            value = UInt64(text, radix: 8)
        } else {
            value = UInt64(text)
        }
        guard let value, value <= max else { return nil }
        return value
    }

    /// A number with a fraction or an exponent, or an integer of any size in decimal digits.
    static func double(_ text: String) -> Double {
        var digits = text[...]
        if digits.hasSuffix("f") || digits.hasSuffix("F") { digits = digits.dropLast() }
        return Double(digits) ?? 0
    }
}
