package import SwiftletCore
import SwiftletTransport

/// Reads JSON text (RFC 8259) into a ``ConfigValue``: a service config, or a line of a recording.
///
/// A service config may come from a DNS record that anyone can write. Its size and depth are limited, a key
/// that is repeated in an object is an error, and every error gives its line and column.
package struct JSONReader {
    /// The longest service config, in bytes. It is enough for thousands of methods.
    package static let maxByteCount = 4 << 20
    /// The largest number of arrays and objects around a value. Limited because the reader calls itself for
    /// each.
    static let maxDepth = 64

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    /// The subject of error texts, such as `service config`, and the number of the first line.
    private let subject: String
    private let firstLine: Int

    private init(_ text: String, _ subject: String, firstLine: Int) {
        bytes = Array(text.utf8)
        self.subject = subject
        self.firstLine = firstLine
    }

    /// Reads one value, which must fill the whole text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - subject: The name of the text in error texts.
    ///   - firstLine: The number of the first line, for error texts.
    ///   - maxByteCount: The longest text, in bytes.
    package static func read(
        _ text: String, of subject: String = "service config", firstLine: Int = 1,
        maxByteCount: Int = Self.maxByteCount
    ) throws(RPCError) -> ConfigValue {
        guard text.utf8.count <= maxByteCount else {
            throw .refused(
                .invalidArgument,
                "the \(subject) has \(text.utf8.count) bytes (the limit is \(maxByteCount))")
        }
        var reader = JSONReader(text, subject, firstLine: firstLine)
        let value = try reader.value()
        reader.skipBlanks()
        guard reader.current == nil else { throw reader.expected("the end of the text") }
        return value
    }
}

// MARK: - Values

extension JSONReader {
    private mutating func value() throws(RPCError) -> ConfigValue {
        skipBlanks()
        guard let byte = current else { throw expected("a value") }
        switch byte {
        case UInt8(ascii: "{"): return try nested { (r) throws(RPCError) in try r.object() }
        case UInt8(ascii: "["): return try nested { (r) throws(RPCError) in try r.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw expected("a value")
        }
    }

    private mutating func nested(
        _ read: (inout JSONReader) throws(RPCError) -> ConfigValue
    ) throws(RPCError) -> ConfigValue {
        guard depth < Self.maxDepth else {
            throw failure("more than \(Self.maxDepth) arrays and objects inside each other")
        }
        depth += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    private mutating func object() throws(RPCError) -> ConfigValue {
        var members: [String: ConfigValue] = [:]
        position += 1
        skipBlanks()
        if skip("}") { return .object(members) }
        while true {
            skipBlanks()
            guard current == UInt8(ascii: "\"") else { throw expected("a key in quotes") }
            let start = position
            let key = try string()
            guard WireText.hasBoundedMarks(key) else {
                position = start
                throw failure(
                    "the key has more than \(WireText.maxMarkRun) combining marks in a row")
            }
            guard members[key] == nil else {
                position = start
                throw failure("the key '\(RPCError.shown(key))' is repeated")
            }
            skipBlanks()
            guard skip(":") else { throw expected("':'") }
            members[key] = try value()
            skipBlanks()
            if skip("}") { return .object(members) }
            guard skip(",") else { throw expected("',' or '}'") }
        }
    }

    private mutating func array() throws(RPCError) -> ConfigValue {
        var elements: [ConfigValue] = []
        position += 1
        skipBlanks()
        if skip("]") { return .array(elements) }
        while true {
            elements.append(try value())
            skipBlanks()
            if skip("]") { return .array(elements) }
            guard skip(",") else { throw expected("',' or ']'") }
        }
    }

    private mutating func word(
        _ word: StaticString, _ value: ConfigValue
    ) throws(RPCError) -> ConfigValue {
        let text = "\(word)"
        guard bytes[position...].starts(with: text.utf8) else { throw expected("a value") }
        position += text.utf8.count
        return value
    }

    /// Returns the digits as they are written. The function that reads the field converts them.
    private mutating func number() throws(RPCError) -> String {
        let start = position
        _ = skip("-")
        if !skip("0") { try digits() }
        if skip(".") { try digits() }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(RPCError) {
        let start = position
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            position += 1
        }
        guard position > start else { throw expected("a digit") }
    }
}

// MARK: - Strings

extension JSONReader {
    private mutating func string() throws(RPCError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                position += 1
                text += try escaped().utf8
            case 0..<0x20:
                throw failure(
                    "a control character in a string must be written as \\u00\(hex(byte))")
            default:
                text.append(byte)
                position += 1
            }
        }
        throw expected("'\"'")
    }

    private func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    private mutating func escaped() throws(RPCError) -> String {
        guard let byte = current else { throw expected("an escaped character") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return String(Unicode.Scalar(byte))
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return String(try scalar())
        default:
            position -= 1
            throw failure("'\\' before a character that needs no escape")
        }
    }

    /// One \u escape, or two that are a surrogate pair.
    private mutating func scalar() throws(RPCError) -> Unicode.Scalar {
        let high = try codeUnit()
        if let scalar = Unicode.Scalar(UInt32(high)) { return scalar }
        guard high < 0xdc00, skip("\\"), skip("u") else { throw unpairedSurrogate }
        let low = try codeUnit()
        guard (0xdc00...0xdfff).contains(low) else { throw unpairedSurrogate }
        let number = 0x1_0000 + (UInt32(high) - 0xd800) << 10 + (UInt32(low) - 0xdc00)
        guard let scalar = Unicode.Scalar(number) else { throw unpairedSurrogate }
        return scalar
    }

    private var unpairedSurrogate: RPCError { failure("half of a surrogate pair") }

    private static func value(ofDigit byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    private mutating func codeUnit() throws(RPCError) -> UInt16 {
        var number: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = current.flatMap(Self.value(ofDigit:))
            else {
                throw expected("four hexadecimal digits")
            }
            number = number << 4 | digit
            position += 1
        }
        return number
    }
}

// MARK: - Bytes and errors

extension JSONReader {
    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = current, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
            position += 1
        }
    }

    private func expected(_ what: String) -> RPCError {
        guard let byte = current else {
            return failure("expected \(what), found the end of the text")
        }
        let tail = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
        let found = byte < 0x20 ? "0x\(hex(byte))" : "'\(tail.prefix(1))'"
        return failure("expected \(what), found \(found)")
    }

    private func failure(_ message: String) -> RPCError {
        let before = bytes[..<position]
        let line = firstLine + before.count { $0 == 0x0a }
        let lineStart = before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
        let column = 1 + String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count
        return .refused(
            .invalidArgument, "\(subject), line \(line), column \(column): \(message)")
    }
}
