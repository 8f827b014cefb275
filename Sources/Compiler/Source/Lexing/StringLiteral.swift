/// Replaces the escapes of a string.
struct StringLiteral {
    private let source: ArraySlice<UInt8>
    private var offset: Int
    private(set) var bytes: [UInt8] = []
    /// The problem of an escape that is not known; nil when all escapes are known.
    private(set) var problem: String?

    /// - Parameter source: The string with its quotation marks.
    init(_ source: ArraySlice<UInt8>) {
        self.source = source.dropFirst().dropLast()
        offset = self.source.startIndex
        bytes.reserveCapacity(self.source.count)
        while offset < self.source.endIndex {
            let byte = self.source[offset]
            offset += 1
            if byte == UInt8(ascii: "\\") { escape() } else { bytes.append(byte) }
        }
    }

    private mutating func escape() {
        guard offset < source.endIndex else { return refuse("an escape without its character") }
        let byte = source[offset]
        offset += 1
        if let character = Escapes.character(afterBackslash: byte) {
            return bytes.append(character)
        }
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            offset -= 1
            bytes.append(UInt8(truncatingIfNeeded: digits(atMost: 3, radix: 8).value))
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            let code = digits(atMost: 2, radix: 16)
            if code.count == 0 { refuse("'\\x' needs hex digits") }
            bytes.append(UInt8(truncatingIfNeeded: code.value))
        case UInt8(ascii: "u"): unicode(digitCount: 4)
        case UInt8(ascii: "U"): unicode(digitCount: 8)
        default: refuse("unknown escape '\\\(Unicode.Scalar(byte))' in a string")
        }
    }

    private mutating func unicode(digitCount: Int) {
        let code = digits(atMost: digitCount, radix: 16)
        guard code.count == digitCount else {
            return refuse("the escape needs \(digitCount) hex digits")
        }
        var value = code.value
        if (0xd800..<0xdc00).contains(value), let low = lowSurrogate() {
            value = 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00)
        }
        guard value <= 0x10_ffff else { return refuse("the escape is above U+10FFFF") }
        append(scalar: value)
    }

    /// The second half of a surrogate pair, if one follows.
    private mutating func lowSurrogate() -> UInt32? {
        let before = offset
        if source[offset...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) {
            offset += 2
            let code = digits(atMost: 4, radix: 16)
            if code.count == 4, (0xdc00..<0xe000).contains(code.value) { return code.value }
        }
        offset = before
        return nil
    }

    /// Appends a code point in UTF-8. It may be a lone surrogate.
    private mutating func append(scalar: UInt32) {
        if let scalar = Unicode.Scalar(scalar) {
            bytes.append(contentsOf: UTF8.encode(scalar)?.map { $0 } ?? [])
        } else {
            bytes.append(UInt8(truncatingIfNeeded: 0xe0 | scalar >> 12))
            bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3f))
            bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3f))
        }
    }

    private mutating func digits(
        atMost maxCount: Int, radix: UInt32
    ) -> (value: UInt32, count: Int) {
        var value: UInt32 = 0
        var count = 0
        while count < maxCount, offset < source.endIndex,
            let digit = Digits.value(source[offset]), digit < radix
        {
            value = value &* radix &+ digit
            count += 1
            offset += 1
        }
        return (value, count)
    }

    private mutating func refuse(_ message: String) { problem = problem ?? message }
}
