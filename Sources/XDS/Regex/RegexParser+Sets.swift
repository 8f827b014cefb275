import SwiftletTransport

// Classes and escapes.
extension RegexParser {
    /// A class in brackets, from its `[`.
    mutating func set() throws(RegexError) -> RegexSet {
        position += 1
        let isNegated = skip(UInt8(ascii: "^"))
        var parts: [RegexSet.Part] = []
        var ranges: [ClosedRange<UInt32>] = []
        var isFirst = true
        while let byte = current, byte != UInt8(ascii: "]") || isFirst {
            isFirst = false
            if byte == UInt8(ascii: "["), let part = try posixPart() {
                parts.append(part)
            } else if byte == UInt8(ascii: "\\"), let part = try namedPart() {
                parts.append(part)
            } else {
                ranges.append(try range())
            }
        }
        guard skip(UInt8(ascii: "]")) else { throw RegexError("missing ']'") }
        if !ranges.isEmpty {
            parts.append(RegexSet.Part(members: .ranges(Self.merged(ranges)), isNegated: false))
        }
        return RegexSet(parts, isNegated: isNegated, ignoresCase: flags.ignoresCase)
    }

    /// The same code points in as few ranges as possible.
    private static func merged(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                let upper = max(last.upperBound, range.upperBound)
                merged[merged.count - 1] = last.lowerBound...upper
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    /// `[:name:]`. Nil for a bracket that is a character of the class.
    private mutating func posixPart() throws(RegexError) -> RegexSet.Part? {
        guard next == UInt8(ascii: ":"), !hasNoPosixEnd else { return nil }
        let start = position + 2
        var end = start
        while end + 1 < bytes.count,
            bytes[end] != UInt8(ascii: ":") || bytes[end + 1] != UInt8(ascii: "]")
        {
            end += 1
        }
        guard end + 1 < bytes.count else {
            hasNoPosixEnd = true
            return nil
        }
        guard let part = RegexSet.Part(posix: bytes.span.extracting(start..<end)) else {
            throw RegexError("unknown class '[:…:]'")
        }
        position = end + 2
        return part
    }

    /// `\d`, `\pL`, `\p{Greek}` and so on, from the backslash. Nil for any other escape.
    private mutating func namedPart() throws(RegexError) -> RegexSet.Part? {
        guard let letter = next else { return nil }
        if letter == UInt8(ascii: "p") || letter == UInt8(ascii: "P") { return try unicodePart() }
        guard let part = RegexSet.Part(perl: letter) else { return nil }
        position += 2
        return part
    }

    private mutating func unicodePart() throws(RegexError) -> RegexSet.Part {
        var isNegated = next == UInt8(ascii: "P")
        position += 2
        guard current != nil else { throw RegexError("'\\p' without a name") }
        var start = position
        let first = scalar()
        var end = position
        if first == 0x7b {
            start = position
            guard let brace = bytes[start...].firstIndex(of: UInt8(ascii: "}")) else {
                throw RegexError("'\\p{' without '}'")
            }
            (end, position) = (brace, brace + 1)
        }
        if start < end, bytes[start] == UInt8(ascii: "^") {
            isNegated.toggle()
            start += 1
        }
        let name = bytes.span.extracting(start..<end)
        guard let part = RegexSet.Part(unicode: name, isNegated: isNegated) else {
            throw RegexError("'\\p' before an unknown category; scripts are not supported")
        }
        return part
    }

    private mutating func range() throws(RegexError) -> ClosedRange<UInt32> {
        let first = try setScalar()
        guard current == UInt8(ascii: "-"), let byte = next, byte != UInt8(ascii: "]") else {
            return first...first
        }
        position += 1
        let last = try setScalar()
        guard first <= last else { throw RegexError("a range whose end is before its start") }
        return first...last
    }

    private mutating func setScalar() throws(RegexError) -> UInt32 {
        guard let byte = current else { throw RegexError("missing ']'") }
        return byte == UInt8(ascii: "\\") ? try escapedScalar() : scalar()
    }
}

// MARK: - Escapes

extension RegexParser {
    /// An escape outside brackets, from its backslash.
    mutating func appendEscape() throws(RegexError) {
        switch next {
        case UInt8(ascii: "b"): appendAssertion(.wordBoundary)
        case UInt8(ascii: "B"): appendAssertion(.noWordBoundary)
        case UInt8(ascii: "A"): appendAssertion(.textStart)
        case UInt8(ascii: "z"): appendAssertion(.textEnd)
        case UInt8(ascii: "C"): throw RegexError("'\\C' is not supported")
        case UInt8(ascii: "Q"): appendQuoted()
        default:
            if let part = try namedPart() {
                append(.set(RegexSet([part], ignoresCase: flags.ignoresCase)))
            } else {
                appendLiteral(try escapedScalar())
            }
        }
    }

    private mutating func appendAssertion(_ assertion: RegexAssertion) {
        position += 2
        append(.assertion(assertion))
    }

    /// The text from `\Q` to `\E` or the end.
    private mutating func appendQuoted() {
        position += 2
        while let byte = current {
            if byte == UInt8(ascii: "\\"), next == UInt8(ascii: "E") {
                position += 2
                return
            }
            appendLiteral(scalar())
        }
    }

    private mutating func escapedScalar() throws(RegexError) -> UInt32 {
        position += 1
        guard let byte = current else { throw RegexError("a backslash at the end") }
        position += 1
        switch byte {
        case UInt8(ascii: "1")...UInt8(ascii: "7"):
            guard let digit = current, 0x30...0x37 ~= digit else {
                throw RegexError("back-references are not supported")
            }
            return octal(byte)
        case UInt8(ascii: "0"): return octal(byte)
        case UInt8(ascii: "x"): return try hexadecimal()
        case UInt8(ascii: "a"): return 0x07
        case UInt8(ascii: "f"): return 0x0c
        case UInt8(ascii: "n"): return 0x0a
        case UInt8(ascii: "r"): return 0x0d
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "v"): return 0x0b
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x80...:
            throw RegexError("unknown escape")
        default: return UInt32(byte)
        }
    }

    private mutating func octal(_ first: UInt8) -> UInt32 {
        var value = UInt32(first - 0x30)
        for _ in 0..<2 {
            guard let digit = current, 0x30...0x37 ~= digit else { break }
            value = value * 8 + UInt32(digit - 0x30)
            position += 1
        }
        return value
    }

    private mutating func hexadecimal() throws(RegexError) -> UInt32 {
        var value: UInt32 = 0
        if skip(UInt8(ascii: "{")) {
            let start = position
            while let digit = current.flatMap(Self.hexDigit) {
                value = value * 16 + digit
                guard value <= RegexSet.all.upperBound else { throw RegexError("unknown escape") }
                position += 1
            }
            guard position > start, skip(UInt8(ascii: "}")) else {
                throw RegexError("unknown escape")
            }
            return value
        }
        for _ in 0..<2 {
            guard let digit = current.flatMap(Self.hexDigit) else {
                throw RegexError("unknown escape")
            }
            value = value * 16 + digit
            position += 1
        }
        return value
    }

    private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46: UInt32(byte - 0x41 + 10)
        case 0x61...0x66: UInt32(byte - 0x61 + 10)
        default: nil
        }
    }
}
