/// Decodes the escapes of strings in the text format. Descriptors also use them for the defaults of `bytes`.
package enum Escapes {
    /// The character that a backslash and one other character represent, in the text format and in `.proto`
    /// files. Nil if digits follow, or if the escape does not exist.
    package static func character(afterBackslash kind: UInt8) -> UInt8? {
        switch kind {
        case UInt8(ascii: "a"): 7
        case UInt8(ascii: "b"): 8
        case UInt8(ascii: "f"): 12
        case UInt8(ascii: "n"): 10
        case UInt8(ascii: "r"): 13
        case UInt8(ascii: "t"): 9
        case UInt8(ascii: "v"): 11
        case UInt8(ascii: "?"), UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): kind
        default: nil
        }
    }

    /// The bytes that `text` represents; nil when it has an escape that does not exist.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(Array(text.utf8)[...])
    }

    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = text
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard appendEscape(&rest, to: &bytes) else { return nil }
        }
        return bytes
    }

    /// Reads the rest of an escape, after the backslash.
    private static func appendEscape(
        _ rest: inout ArraySlice<UInt8>, to bytes: inout [UInt8]
    ) -> Bool {
        guard let kind = rest.popFirst() else { return false }
        if let character = character(afterBackslash: kind) {
            bytes.append(character)
            return true
        }
        switch kind {
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            return appendOctal(kind, &rest, to: &bytes)
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            guard let value = number(&rest, radix: 16, 1...2) else { return false }
            bytes.append(UInt8(value))
        case UInt8(ascii: "u"): return appendUnicode(&rest, digitCount: 4, to: &bytes)
        case UInt8(ascii: "U"): return appendUnicode(&rest, digitCount: 8, to: &bytes)
        default: return false
        }
        return true
    }

    private static func appendOctal(
        _ first: UInt8, _ rest: inout ArraySlice<UInt8>, to bytes: inout [UInt8]
    ) -> Bool {
        var value = UInt32(first - UInt8(ascii: "0"))
        if let more = number(&rest, radix: 8, 1...2, value: &value) { value = more }
        guard value <= 0xff else { return false }
        bytes.append(UInt8(value))
        return true
    }

    /// Reads digits and appends them to `value`. Returns the new value, or nil when there are too few digits.
    private static func number(
        _ rest: inout ArraySlice<UInt8>, radix: UInt32, _ digitCounts: ClosedRange<Int>,
        value: inout UInt32
    ) -> UInt32? {
        var count = 0
        while count < digitCounts.upperBound, let byte = rest.first,
            let digit = Digits.value(byte), digit < radix
        {
            value = value * radix + digit
            count += 1
            rest.removeFirst()
        }
        return count < digitCounts.lowerBound ? nil : value
    }

    private static func number(
        _ rest: inout ArraySlice<UInt8>, radix: UInt32, _ digitCounts: ClosedRange<Int>
    ) -> UInt32? {
        var value: UInt32 = 0
        return number(&rest, radix: radix, digitCounts, value: &value)
    }

    /// Reads a code point of four or eight digits. Surrogates are not allowed.
    private static func appendUnicode(
        _ rest: inout ArraySlice<UInt8>, digitCount: Int, to bytes: inout [UInt8]
    ) -> Bool {
        guard let value = number(&rest, radix: 16, digitCount...digitCount) else { return false }
        guard let scalar = Unicode.Scalar(value) else { return false }
        bytes.append(contentsOf: String(Character(scalar)).utf8)
        return true
    }
}
