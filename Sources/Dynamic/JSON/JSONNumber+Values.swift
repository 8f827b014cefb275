extension JSONNumber {
    /// Whether `text` is one number and nothing else.
    static func isNumber(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return end(in: bytes[...]) == (bytes.endIndex, true)
    }

    /// The number as an integer, exactly: `1e3` and `10.0` are integers, `1.5` is not. Nil when the text is not an
    /// integer, or is outside of the range of the type.
    static func integer<T: FixedWidthInteger>(_ text: String) -> T? {
        guard let (magnitude, isNegative) = magnitude(text) else { return nil }
        guard isNegative else { return T(exactly: magnitude) }
        return magnitude <= 1 << 63 ? T(exactly: Int64(truncatingIfNeeded: 0 &- magnitude)) : nil
    }

    /// The part of ``integer(_:)`` that is the same for all types.
    private static func magnitude(_ text: String) -> (UInt64, isNegative: Bool)? {
        guard isNumber(text), let digits = wholeDigits(text) else { return nil }
        let isNegative = digits.utf8.first == UInt8(ascii: "-")
        return UInt64(isNegative ? digits.dropFirst() : digits[...]).map { ($0, isNegative) }
    }

    /// A number as an integer without an exponent; nil if it has a fraction or is far too large.
    private static func wholeDigits(_ text: String) -> String? {
        let isInteger = text.utf8.allSatisfy {
            $0 == UInt8(ascii: "-") || Digits.value($0).map { $0 < 10 } == true
        }
        if isInteger { return text }
        let parts = text.split(
            maxSplits: 1, omittingEmptySubsequences: false,
            whereSeparator: { $0 == "e" || $0 == "E" })
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        var digits = String(mantissa[0]) + fraction
        guard let given = parts.count > 1 ? Int(parts[1]) : 0, given.magnitude < 1_000_000 else {
            return nil
        }
        var exponent = given - fraction.utf8.count
        while exponent < 0, digits.hasSuffix("0") {
            digits.removeLast()
            exponent += 1
        }
        guard digits.utf8.contains(where: { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: "-") })
        else { return "0" }
        guard exponent >= 0, exponent <= 20 else { return nil }
        return digits + String(repeating: "0", count: exponent)
    }

    /// The shortest text that reads back as the same number: `1.5`, `1`, `1e+30`. Negative zero is `-0.0`,
    /// because some readers parse `-0` as an integer.
    static func text(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> String {
        let text = value.description
        return text.hasSuffix(".0") && text != "-0.0" ? String(text.dropLast(2)) : text
    }
}
