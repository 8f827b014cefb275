/// Puts the members of JSON objects in the order of their keys, so that equal requests have equal bytes.
///
/// Two encoders, or two equal dictionaries, may write the same members in different orders. Scalars keep
/// their bytes: reading a number would round it, and different requests would become equal.
enum JSONKeyOrder {
    /// The text with sorted members and without white space. Returns bytes that are not JSON as they are.
    static func sorted(_ text: [UInt8]) -> [UInt8] {
        var reader = Reader(text: text)
        guard let value = reader.value(), reader.isAtEnd else { return text }
        return value
    }

    fileprivate struct Reader {
        let text: [UInt8]
        var offset = 0
        /// The number of arrays and objects around the next value.
        var depth = 0

        init(text: [UInt8]) { self.text = text }
    }
}

extension JSONKeyOrder.Reader {
    private static let maxDepth = 500

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return offset == text.count
        }
    }

    /// Reads a value, and returns it in its ordered form. Nil if the text is not JSON, or is too deep.
    mutating func value() -> [UInt8]? {
        skipSpace()
        guard offset < text.count, depth < Self.maxDepth else { return nil }
        depth += 1
        defer { depth -= 1 }
        switch text[offset] {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return string()
        default: return word()
        }
    }

    private mutating func object() -> [UInt8]? {
        var members: [(key: [UInt8], value: [UInt8])] = []
        let isComplete = list(until: UInt8(ascii: "}")) { reader in
            guard let key = reader.string(), reader.skip(UInt8(ascii: ":")),
                let value = reader.value()
            else { return false }
            members.append((key, value))
            return true
        }
        guard isComplete else { return nil }
        members.sort { $0.key.lexicographicallyPrecedes($1.key) }
        return Self.joined(
            "{", members.map { $0.key + [UInt8(ascii: ":")] + $0.value }, "}")
    }

    private mutating func array() -> [UInt8]? {
        var elements: [[UInt8]] = []
        let isComplete = list(until: UInt8(ascii: "]")) { reader in
            guard let element = reader.value() else { return false }
            elements.append(element)
            return true
        }
        return isComplete ? Self.joined("[", elements, "]") : nil
    }

    /// Reads the items between the opening character at `offset` and the closing one.
    private mutating func list(until end: UInt8, _ readItem: (inout Self) -> Bool) -> Bool {
        offset += 1
        if skip(end) { return true }
        repeat {
            skipSpace()
            guard readItem(&self) else { return false }
        } while skip(UInt8(ascii: ","))
        return skip(end)
    }

    private mutating func string() -> [UInt8]? {
        let start = offset
        guard offset < text.count, text[offset] == UInt8(ascii: "\"") else { return nil }
        offset += 1
        while offset < text.count, text[offset] != UInt8(ascii: "\"") {
            offset += text[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard offset < text.count else { return nil }
        offset += 1
        return Array(text[start..<offset])
    }

    /// A number, or `true`, `false` or `null`.
    private mutating func word() -> [UInt8]? {
        let word = text[offset...].prefix { byte in
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                || "+-.E".utf8.contains(byte)
        }
        offset = word.endIndex
        return word.isEmpty ? nil : Array(word)
    }

    private mutating func skipSpace() {
        while offset < text.count, " \t\r\n".utf8.contains(text[offset]) { offset += 1 }
    }

    /// Whether the next character is this one, which is then skipped.
    private mutating func skip(_ character: UInt8) -> Bool {
        skipSpace()
        guard offset < text.count, text[offset] == character else { return false }
        offset += 1
        return true
    }

    private static func joined(
        _ start: Unicode.Scalar, _ parts: [[UInt8]], _ end: Unicode.Scalar
    ) -> [UInt8] {
        [UInt8(ascii: start)] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: end)]
    }
}
