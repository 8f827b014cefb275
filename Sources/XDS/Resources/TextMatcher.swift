import SwiftletTransport

/// A condition on a text. Case is ignored for ASCII letters alone.
struct TextMatcher: Hashable, Sendable {
    enum Pattern: Hashable, Sendable {
        case exact([UInt8])
        case prefix([UInt8])
        case suffix([UInt8])
        case contains(SearchedBytes)
        case regex(RegularExpression)
    }

    let pattern: Pattern
    let ignoresCase: Bool

    /// The bytes of `text` as they are compared.
    static func bytes(_ text: String, ignoringCase: Bool) -> [UInt8] {
        ignoringCase ? text.utf8.map(lowercased) : Array(text.utf8)
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }

    /// The bytes that the text must be, or must begin with; nil for a condition of another kind.
    var comparison: (bytes: [UInt8], isWhole: Bool)? {
        if ignoresCase { return nil }
        switch pattern {
        case .exact(let bytes): return (bytes, true)
        case .prefix(let bytes): return (bytes, false)
        case .suffix, .contains, .regex: return nil
        }
    }

    /// Does not copy a text of which it only compares bytes.
    func matches(_ text: String) -> Bool {
        switch pattern {
        case .exact(let bytes) where !ignoresCase:
            text.utf8.count == bytes.count && text.begins(with: bytes)
        case .prefix(let bytes) where !ignoresCase: text.begins(with: bytes)
        default: matches(Array(text.utf8))
        }
    }

    func matches(_ text: [UInt8]) -> Bool {
        if case .regex(let expression) = pattern { return expression.matches(text.contiguous.span) }
        let text = ignoresCase ? text.map(Self.lowercased) : text
        switch pattern {
        case .exact(let bytes): return text == bytes
        case .prefix(let bytes): return text.starts(with: bytes)
        case .suffix(let bytes): return text.suffix(bytes.count).elementsEqual(bytes)
        case .contains(let bytes): return bytes.isPart(of: text)
        case .regex: return false
        }
    }
}

extension TextMatcher {
    init?(_ message: Envoy.Matcher.StringMatcher, _ violations: inout Violations) {
        let ignoresCase = message.ignoreCase
        func bytes(_ text: String) -> [UInt8] { Self.bytes(text, ignoringCase: ignoresCase) }
        let pattern: Pattern
        switch message.matchPattern {
        case .exact(let text)?: pattern = .exact(bytes(text))
        case .prefix(let text)?: pattern = .prefix(bytes(text))
        case .suffix(let text)?: pattern = .suffix(bytes(text))
        case .contains(let text)?: pattern = .contains(SearchedBytes(bytes(text)))
        case .safeRegex(let message)?:
            guard let expression = violations.regex("safe_regex", message) else { return nil }
            pattern = .regex(expression)
        case nil:
            violations.add("match_pattern", "is required")
            return nil
        }
        self.init(pattern: pattern, ignoresCase: ignoresCase)
    }
}

/// Bytes that are searched in texts in linear time (the algorithm of Knuth, Morris and Pratt).
struct SearchedBytes: Hashable, Sendable {
    let bytes: [UInt8]
    /// For each prefix, the length of its longest proper prefix that is also its suffix.
    private let borders: [Int32]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var borders: [Int32] = []
        borders.reserveCapacity(bytes.count)
        var border = 0
        for (index, byte) in bytes.enumerated() {
            while border > 0, bytes[border] != byte { border = Int(borders[border - 1]) }
            if index > 0, bytes[border] == byte { border += 1 }
            borders.append(Int32(border))
        }
        self.borders = borders
    }

    func isPart(of text: [UInt8]) -> Bool {
        if bytes.isEmpty { return true }
        var found = 0
        for byte in text {
            while found > 0, bytes[found] != byte { found = Int(borders[found - 1]) }
            if bytes[found] == byte { found += 1 }
            if found == bytes.count { return true }
        }
        return false
    }
}
