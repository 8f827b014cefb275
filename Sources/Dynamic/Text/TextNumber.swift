/// Numbers in the form of the text format.
enum TextNumber {
    /// Parses a decimal, octal (`017`) or hexadecimal (`0x1f`) integer without a sign. Nil for
    /// other text, or when the number is outside of the range of the type.
    static func integer<T: FixedWidthInteger>(_ text: String, isNegative: Bool) -> T? {
        let isHex = text.hasPrefix("0x") || text.hasPrefix("0X")
        let isOctal = !isHex && text.utf8.count > 1 && text.hasPrefix("0")
        let digits = text.dropFirst(isHex ? 2 : isOctal ? 1 : 0)
        guard let first = digits.utf8.first, Digits.value(first) != nil else { return nil }
        return T((isNegative ? "-" : "") + digits, radix: isHex ? 16 : isOctal ? 8 : 10)
    }

    /// Parses a decimal number, which may end with an `f`; nil for other text. A number that is too large
    /// becomes infinite.
    static func float<T: LosslessStringConvertible & BinaryFloatingPoint>(
        _ text: String, isNegative: Bool
    ) -> T? {
        var number = text[...]
        if number.last == "f" || number.last == "F" { number = number.dropLast() }
        guard isDecimal(Array(number.utf8)), let value = T(normalized(number)) else { return nil }
        return isNegative ? -value : value
    }

    /// `inf`, `infinity` and `nan`, in any case; nil for other names.
    static func float<T: BinaryFloatingPoint>(name: String, isNegative: Bool) -> T? {
        switch name.lowercased() {
        case "inf", "infinity": isNegative ? -T.infinity : T.infinity
        case "nan": T.nan
        default: nil
        }
    }

    /// `1.` and `.5` become `1.0` and `0.5`.
    private static func normalized(_ text: Substring) -> String {
        let parts = text.split(
            maxSplits: 1, omittingEmptySubsequences: false,
            whereSeparator: { $0 == "e" || $0 == "E" })
        var mantissa = String(parts[0])
        if mantissa.hasSuffix(".") { mantissa += "0" }
        if mantissa.hasPrefix(".") { mantissa = "0" + mantissa }
        return parts.count > 1 ? "\(mantissa)e\(parts[1])" : mantissa
    }

    /// Whether the text is digits with at most one point, and optionally an exponent after an `e`. A leading
    /// zero must be the only digit before the point, because `017` is octal.
    private static func isDecimal(_ text: [UInt8]) -> Bool {
        var index = 0
        func digits() -> Int {
            let start = index
            while index < text.count, TextScanner.isDigit(text[index]) { index += 1 }
            return index - start
        }
        let whole = digits()
        var isWhole = true
        var digitCount = whole
        if index < text.count, text[index] == UInt8(ascii: ".") {
            index += 1
            isWhole = false
            digitCount += digits()
        }
        guard digitCount > 0 else { return false }
        if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            isWhole = false
            if index < text.count,
                text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-")
            {
                index += 1
            }
            guard digits() > 0 else { return false }
        }
        return index == text.count && !(isWhole && whole > 1 && text[0] == UInt8(ascii: "0"))
    }
}
