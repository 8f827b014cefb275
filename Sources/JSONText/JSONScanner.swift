/// Reads the tokens of JSON (RFC 8259). Rejects text that the RFC does not allow.
package struct JSONScanner {
    package enum Token { case object, list, string, number, bool, null }

    package let bytes: [UInt8]
    package private(set) var index = 0
    /// The place of the last string: in the closure of ``object(_:)``, that of the name.
    package private(set) var stringStart = 0
    private let maxDepth: Int
    private var depth = 0

    /// - Parameter maxDepth: The most arrays and objects inside each other.
    package init(_ bytes: [UInt8], maxDepth: Int) {
        self.bytes = bytes
        self.maxDepth = maxDepth
    }

    package func error(_ message: String, at offset: Int? = nil) -> FormatError {
        FormatError(message, at: offset ?? index, of: bytes)
    }

    // MARK: Structure

    /// The kind of the next value.
    package mutating func peek() throws(FormatError) -> Token {
        skipSpace()
        switch index < bytes.count ? bytes[index] : 0 {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .list
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        default: throw error("expected a value, found \(found)")
        }
    }

    /// Reads an object. Calls `member` with each name; `member` must read the value of that name.
    package mutating func object(
        _ member: (inout JSONScanner, String) throws(FormatError) -> Void
    ) throws(FormatError) {
        try items(of: "an object", UInt8(ascii: "{"), UInt8(ascii: "}"), "',' or '}'") {
            scanner throws(FormatError) in
            let name = try scanner.string("a key in quotes")
            try scanner.expect(UInt8(ascii: ":"), "':'")
            try member(&scanner, name)
        }
    }

    /// Reads a list. Calls `element` with the index of each value; `element` must read the value.
    package mutating func list(
        _ element: (inout JSONScanner, Int) throws(FormatError) -> Void
    ) throws(FormatError) {
        var count = 0
        try items(of: "an array", UInt8(ascii: "["), UInt8(ascii: "]"), "',' or ']'") {
            scanner throws(FormatError) in
            try element(&scanner, count)
            count += 1
        }
    }

    /// Reads what is between two brackets. Calls `item` at each place between commas.
    private mutating func items(
        of name: String, _ first: UInt8, _ last: UInt8, _ commaOrLast: String,
        _ item: (inout JSONScanner) throws(FormatError) -> Void
    ) throws(FormatError) {
        try expect(first, name)
        guard depth < maxDepth else {
            throw error("more than \(maxDepth) arrays and objects inside each other", at: index - 1)
        }
        depth += 1
        if !take(last) {
            repeat { try item(&self) } while take(UInt8(ascii: ","))
            try expect(last, commaOrLast)
        }
        depth -= 1
    }

    /// Skips a value.
    package mutating func skipValue() throws(FormatError) {
        switch try peek() {
        case .object:
            try object { scanner, _ throws(FormatError) in try scanner.skipValue() }
        case .list: try list { scanner, _ throws(FormatError) in try scanner.skipValue() }
        case .string: _ = try string()
        case .number: _ = try number()
        case .bool: _ = try bool()
        case .null: try null()
        }
    }

    /// Throws if anything but white space follows.
    package mutating func end() throws(FormatError) {
        skipSpace()
        guard index == bytes.count else { throw error("unexpected \(found) after the value") }
    }

    // MARK: Scalars

    package mutating func bool() throws(FormatError) -> Bool {
        if takeWord("true") { return true }
        guard takeWord("false") else { throw error("expected true or false") }
        return false
    }

    package mutating func null() throws(FormatError) {
        guard takeWord("null") else { throw error("expected null") }
    }

    /// The text of a number.
    package mutating func number() throws(FormatError) -> String {
        skipSpace()
        let start = index
        let isWhole: Bool
        (index, isWhole) = JSONNumber.end(in: bytes[index...])
        guard isWhole else { throw error("expected a digit, found \(found)") }
        // Only a leading zero ends a number before another digit.
        if index < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[index] {
            throw error("a number cannot have a leading zero", at: start)
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    package mutating func string(
        _ expected: String = "a string"
    ) throws(FormatError) -> String {
        try expect(UInt8(ascii: "\""), expected)
        stringStart = index - 1
        let content = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""),
            bytes[index] != UInt8(ascii: "\\"), bytes[index] >= 0x20
        {
            index += 1
        }
        var text: [UInt8] = Array(bytes[content..<index])
        while true {
            let byte = try byteOfString()
            if byte == UInt8(ascii: "\"") { break }
            guard byte >= 0x20 else {
                throw error(
                    "a control character in a string must be written as \\u00\(hex(byte))")
            }
            index += 1
            if byte == UInt8(ascii: "\\") { try escape(&text) } else { text.append(byte) }
        }
        index += 1
        guard let result = String(validating: text, as: UTF8.self) else {
            throw error("a string is not UTF-8", at: stringStart)
        }
        return result
    }

    /// Reads the rest of an escape, after the backslash.
    private mutating func escape(_ text: inout [UInt8]) throws(FormatError) {
        let kind = try byteOfString()
        index += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(kind)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "u"):
            let scalar = try unicodeEscape()
            text.append(contentsOf: String(Character(scalar)).utf8)
        default: throw error("'\\' before a character that needs no escape", at: index - 2)
        }
    }

    /// Four digits, or two surrogates of four digits each.
    private mutating func unicodeEscape() throws(FormatError) -> Unicode.Scalar {
        let start = index - 2
        var value = try fourDigits()
        if 0xd800..<0xdc00 ~= value, index + 1 < bytes.count,
            bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
        {
            index += 2
            let low = try fourDigits()
            if 0xdc00..<0xe000 ~= low {
                value = 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00)
            }
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw error("half of a surrogate pair", at: start)
        }
        return scalar
    }

    private mutating func fourDigits() throws(FormatError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard index < bytes.count, let digit = Digits.value(bytes[index]) else {
                throw error("expected four hexadecimal digits, found \(found)")
            }
            value = value << 4 | digit
            index += 1
        }
        return value
    }

    private func byteOfString() throws(FormatError) -> UInt8 {
        guard index < bytes.count else { throw error("a string has no end", at: stringStart) }
        return bytes[index]
    }

    // MARK: Bytes

    private mutating func skipSpace() {
        while index < bytes.count, JSONScanner.isSpace(bytes[index]) { index += 1 }
    }

    package static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ byte: UInt8, _ name: String) throws(FormatError) {
        guard take(byte) else { throw error("expected \(name), found \(found)") }
    }

    private mutating func takeWord(_ word: StaticString) -> Bool {
        skipSpace()
        let end = index + word.utf8CodeUnitCount
        let text = "\(word)".utf8
        guard end <= bytes.count, bytes[index..<end].elementsEqual(text) else { return false }
        index = end
        return true
    }

    /// The text at the current place, for an error text: a character, or a byte of what cannot be seen.
    private var found: String {
        let text = String(decoding: bytes[index...].prefix(4), as: UTF8.self)
        guard let scalar = text.unicodeScalars.first else { return "the end of the text" }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator,
            _ where scalar.value == 0xfffd:
            return "byte 0x\(hex(bytes[index]))"
        default: return "'\(scalar)'"
        }
    }

    private func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
