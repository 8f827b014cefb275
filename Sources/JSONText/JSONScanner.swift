/// Reads the tokens of JSON (RFC 8259). Rejects text that the RFC does not allow.
package struct JSONScanner {
    package enum Token { case object, list, string, number, bool, null }

    package let bytes: [UInt8]
    package private(set) var index = 0
    private var depthLeft: Int

    package init(_ bytes: [UInt8], maxDepth: Int) {
        self.bytes = bytes
        depthLeft = maxDepth
    }

    package func error(_ message: String, at offset: Int? = nil) -> FormatError {
        FormatError(message, at: offset ?? index, of: bytes)
    }

    // MARK: Structure

    /// The kind of the next value.
    package mutating func peek() throws(FormatError) -> Token {
        skipSpace()
        guard index < bytes.count else { throw error("the text ends where a value is expected") }
        switch bytes[index] {
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
        try expect(UInt8(ascii: "{"), "an object")
        try enter()
        if !take(UInt8(ascii: "}")) {
            repeat {
                let name = try string()
                try expect(UInt8(ascii: ":"), "':'")
                try member(&self, name)
            } while take(UInt8(ascii: ","))
            try expect(UInt8(ascii: "}"), "',' or '}'")
        }
        depthLeft += 1
    }

    /// Reads a list. Calls `element` with the index of each value; `element` must read the value.
    package mutating func list(
        _ element: (inout JSONScanner, Int) throws(FormatError) -> Void
    ) throws(FormatError) {
        try expect(UInt8(ascii: "["), "a list")
        try enter()
        if !take(UInt8(ascii: "]")) {
            var count = 0
            repeat {
                try element(&self, count)
                count += 1
            } while take(UInt8(ascii: ","))
            try expect(UInt8(ascii: "]"), "',' or ']'")
        }
        depthLeft += 1
    }

    private mutating func enter() throws(FormatError) {
        guard depthLeft > 0 else { throw error("objects and lists are nested too deeply") }
        depthLeft -= 1
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
        guard let end = JSONNumber.end(in: bytes[index...]) else {
            throw error("expected a number, found \(found)")
        }
        index = end
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    package mutating func string() throws(FormatError) -> String {
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
            throw error("expected a string, found \(found)")
        }
        let start = index
        index += 1
        let content = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""),
            bytes[index] != UInt8(ascii: "\\"), bytes[index] >= 0x20
        {
            index += 1
        }
        var text: [UInt8] = Array(bytes[content..<index])
        while true {
            guard index < bytes.count else { throw error("a string has no end", at: start) }
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") { break }
            guard byte >= 0x20 else { throw error("a control character must be escaped") }
            index += 1
            if byte == UInt8(ascii: "\\") { try escape(&text) } else { text.append(byte) }
        }
        index += 1
        guard let result = String(validating: text, as: UTF8.self) else {
            throw error("a string is not UTF-8", at: start)
        }
        return result
    }

    /// Reads the rest of an escape, after the backslash.
    private mutating func escape(_ text: inout [UInt8]) throws(FormatError) {
        guard index < bytes.count else { throw error("a string has no end") }
        let kind = bytes[index]
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
        default: throw error("unknown escape", at: index - 2)
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
            guard 0xdc00..<0xe000 ~= low else { throw error("unpaired surrogate", at: start) }
            value = 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00)
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw error("unpaired surrogate", at: start)
        }
        return scalar
    }

    private mutating func fourDigits() throws(FormatError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard index < bytes.count, let digit = Digits.value(bytes[index]) else {
                throw error("expected four hexadecimal digits")
            }
            value = value << 4 | digit
            index += 1
        }
        return value
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

    /// The text at the current place, for an error text.
    private var found: String {
        guard index < bytes.count else { return "the end" }
        let byte = bytes[index]
        return 0x21..<0x7f ~= byte
            ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x\(String(byte, radix: 16))"
    }
}
