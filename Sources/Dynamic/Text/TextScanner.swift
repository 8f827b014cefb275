/// Reads the tokens of the text format. White space and comments may separate two tokens.
struct TextScanner {
    let bytes: [UInt8]
    private(set) var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        skipSpace()
    }

    func error(_ message: String, at offset: Int? = nil) -> FormatError {
        FormatError(message, at: offset ?? index, of: bytes)
    }

    var isAtEnd: Bool { index == bytes.count }

    /// The byte that the next token starts with; nil at the end.
    var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// The text at the current place, for an error text.
    var found: String {
        guard let next else { return "the end" }
        if Self.isNamePart(next) {
            let end = bytes[index...].firstIndex { !Self.isNamePart($0) } ?? bytes.count
            return "'\(String(decoding: bytes[index..<min(end, index + 40)], as: UTF8.self))'"
        }
        return 0x21..<0x7f ~= next
            ? "'\(Character(Unicode.Scalar(next)))'" : "byte 0x\(String(next, radix: 16))"
    }

    // MARK: Symbols and names

    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        skipSpace()
        return true
    }

    mutating func expect(_ byte: UInt8) throws(FormatError) {
        guard take(byte) else {
            throw error("expected '\(Character(Unicode.Scalar(byte)))', found \(found)")
        }
    }

    /// Reads a name: a letter or an underscore, then letters, digits and underscores.
    mutating func name() throws(FormatError) -> String {
        guard let next, Self.isNamePart(next), !Self.isDigit(next) else {
            throw error("expected a name, found \(found)")
        }
        return word { Self.isNamePart($0) }
    }

    /// Reads the name of an extension, or the URL of a type, between brackets.
    mutating func bracketedName() throws(FormatError) -> String {
        var name = ""
        while let next, next != UInt8(ascii: "]") {
            guard Self.isURLPart(next) else {
                throw error("unexpected \(found) in the name of an extension or a type")
            }
            name += word { Self.isURLPart($0) }
        }
        try expect(UInt8(ascii: "]"))
        guard !name.isEmpty else { throw error("expected a name between '[' and ']'") }
        guard Self.hasWholeEscapes(name) else {
            throw error("'%' without two hexadecimal digits in the URL '\(name)'")
        }
        return name
    }

    /// Reads the text of a number without its sign; empty when there is none.
    mutating func numberText() -> String {
        guard let next, Self.isDigit(next) || next == UInt8(ascii: ".") else { return "" }
        var last: UInt8 = 0
        let isHex =
            bytes[index...].starts(with: "0x".utf8) || bytes[index...].starts(with: "0X".utf8)
        return word { byte in
            let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            let isExponent = last == UInt8(ascii: "e") || last == UInt8(ascii: "E")
            defer { last = byte }
            return Self.isNamePart(byte) || byte == UInt8(ascii: ".")
                || isSign && isExponent && !isHex
        }
    }

    private mutating func word(_ isPart: (UInt8) -> Bool) -> String {
        let start = index
        while index < bytes.count, isPart(bytes[index]) { index += 1 }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        skipSpace()
        return text
    }

    // MARK: Strings

    var isAtString: Bool { next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") }

    /// Reads one string, or several adjacent strings, which are joined.
    mutating func stringBytes() throws(FormatError) -> [UInt8] {
        guard isAtString else { throw error("expected a string, found \(found)") }
        var result: [UInt8] = []
        while isAtString { result += try oneString() }
        return result
    }

    private mutating func oneString() throws(FormatError) -> [UInt8] {
        let start = index
        let quote = bytes[index]
        index += 1
        let content = index
        while index < bytes.count, bytes[index] != quote, bytes[index] != UInt8(ascii: "\n") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < bytes.count, bytes[index] == quote else {
            throw error("a string has no end", at: start)
        }
        guard let decoded = Escapes.decode(bytes[content..<index]) else {
            throw error("a string has an unknown escape", at: start)
        }
        index += 1
        skipSpace()
        return decoded
    }

    // MARK: Bytes

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09...0x0d: index += 1
            case UInt8(ascii: "#"):
                index = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            default: return
            }
        }
    }

    static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether ``bracketedName()`` reads the text as the URL of a type, unchanged.
    static func isURL(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "/")) && text.utf8.allSatisfy(isURLPart)
            && hasWholeEscapes(text)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20
    }

    /// Whether two hexadecimal digits follow each percent sign.
    private static func hasWholeEscapes(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst()
            .allSatisfy { $0.prefix(2).count(where: isHexDigit) == 2 }
    }

    private static func isURLPart(_ byte: UInt8) -> Bool {
        isNamePart(byte) || "-.~!$&()*+,;=%/".utf8.contains(byte)
    }
}
