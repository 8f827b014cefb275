/// Splits the bytes of a `.proto` file into tokens.
///
/// Positions count bytes from 0; a tab ends at the next multiple of 8. The lexer reads each byte
/// once and keeps two tokens.
struct ProtoLexer {
    let bytes: [UInt8]
    var problems: ProtoProblems

    private(set) var current = ProtoToken(
        kind: .start, text: "", range: 0..<0, position: ProtoPosition(), endColumn: 0)
    private(set) var previous: ProtoToken

    private var offset: Int
    private let end: Int
    private var position: ProtoPosition
    /// Whether `#` starts a comment, as in text format.
    private let allowsHashComments: Bool

    /// Reads a file.
    init(_ bytes: [UInt8]) {
        self.init(bytes, range: bytes.indices, at: ProtoPosition(), allowsHashComments: false)
        // Some editors write the UTF-8 byte order mark at the beginning.
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { offset = 3 }
    }

    /// Reads a part of a file that starts at `position`.
    init(
        _ bytes: [UInt8], range: Range<Int>, at position: ProtoPosition, allowsHashComments: Bool
    ) {
        self.bytes = bytes
        self.position = position
        self.allowsHashComments = allowsHashComments
        problems = ProtoProblems()
        previous = current
        offset = range.lowerBound
        end = range.upperBound
    }

    mutating func fail(_ message: String, at position: ProtoPosition? = nil) {
        problems.add(message, at: position ?? current.position)
    }

    /// Moves to the next token.
    mutating func advance() {
        previous = current
        skipSpace()
        lexToken()
    }

    /// Moves to the next token, and returns the comments before it.
    mutating func advanceWithComments() -> ProtoComments {
        previous = current
        var collector = CommentCollector()
        var lastLine = position.line
        var endOfTrailing: Int32?
        if current.kind == .start {
            collector.detachFromPrevious()
            lastLine = -1
        } else {
            skipSpaceOnLine()
            if let comment = comment() {
                endOfTrailing = comment.isLine ? position.line - 1 : position.line
                collector.add(comment.content, isLine: comment.isLine)
                collector.separate()
            } else if !skipNewline() {
                skipSpace()
                lexToken()
                return ProtoComments()
            }
        }
        collectLines(&collector)
        lexToken()
        if ["}", "]", ")"].contains(current.text) || current.kind == .end { collector.separate() }
        let line = current.position.line
        if current.kind != .end, line == lastLine || line == endOfTrailing {
            collector.detachIfAlone()
        }
        return collector.finish()
    }

    /// Reads comments and empty lines, while they fill whole lines.
    private mutating func collectLines(_ collector: inout CommentCollector) {
        while true {
            skipSpaceOnLine()
            if let comment = comment() {
                collector.add(comment.content, isLine: comment.isLine)
                guard !comment.isLine else { continue }
                skipSpaceOnLine()
                _ = skipNewline()
            } else if skipNewline() {
                collector.separate()
                collector.detachFromPrevious()
            } else {
                return
            }
        }
    }
}

// MARK: - Bytes

extension ProtoLexer {
    /// The byte at a distance from the current one; 0 after the end of the file.
    private func peek(_ distance: Int = 0) -> UInt8 {
        offset + distance < end ? bytes[offset + distance] : 0
    }

    private mutating func step() {
        switch bytes[offset] {
        case UInt8(ascii: "\n"):
            position.line += 1
            position.column = 0
        case UInt8(ascii: "\t"): position.column += 8 - position.column % 8
        default: position.column += 1
        }
        offset += 1
    }

    private mutating func skipSpaceOnLine() {
        while offset < end, bytes[offset].isSpaceOnLine { step() }
    }

    private mutating func skipNewline() -> Bool {
        guard peek() == UInt8(ascii: "\n") else { return false }
        step()
        return true
    }

    private mutating func skipSpace() {
        while true {
            skipSpaceOnLine()
            if !skipNewline(), comment() == nil { return }
        }
    }
}

// MARK: - Comments

extension ProtoLexer {
    private typealias Comment = (content: [UInt8], isLine: Bool)

    private mutating func comment() -> Comment? {
        let first = peek()
        if first == UInt8(ascii: "#"), allowsHashComments {
            step()
            return (lineComment(), true)
        }
        guard first == UInt8(ascii: "/") else { return nil }
        switch peek(1) {
        case UInt8(ascii: "/"):
            step()
            step()
            return (lineComment(), true)
        case UInt8(ascii: "*"):
            let start = position
            step()
            step()
            return (blockComment(from: start), false)
        default: return nil
        }
    }

    /// The rest of the line, including its end.
    private mutating func lineComment() -> [UInt8] {
        let start = offset
        while offset < end, bytes[offset] != UInt8(ascii: "\n") { step() }
        _ = skipNewline()
        return Array(bytes[start..<offset])
    }

    /// The text before the end of the comment, without the spaces and the asterisk at the start of each line.
    private mutating func blockComment(from start: ProtoPosition) -> [UInt8] {
        var content: [UInt8] = []
        while offset < end {
            let byte = bytes[offset]
            if byte == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                step()
                step()
                return content
            }
            if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                fail("'/*' inside a block comment; block comments cannot be nested", at: position)
            }
            content.append(byte)
            step()
            guard byte == UInt8(ascii: "\n") else { continue }
            skipSpaceOnLine()
            if peek() == UInt8(ascii: "*") {
                if peek(1) == UInt8(ascii: "/") { continue }
                step()
            }
        }
        fail("the block comment has no end ('*/' expected)", at: start)
        return content
    }
}

// MARK: - Tokens

extension ProtoLexer {
    private mutating func lexToken() {
        while offset < end, bytes[offset].isIllegalOutsideStrings { skipIllegal() }
        let start = offset
        let place = position
        let kind = lexKind()
        current = ProtoToken(
            kind: kind, text: String(decoding: bytes[start..<offset], as: UTF8.self),
            range: start..<offset, position: place, endColumn: position.column)
    }

    private mutating func lexKind() -> ProtoToken.Kind {
        guard offset < end else { return .end }
        let first = bytes[offset]
        if first.isLetter {
            while offset < end, bytes[offset].isLetter || bytes[offset].isDigit { step() }
            return .identifier
        }
        if first.isDigit || (first == UInt8(ascii: ".") && peek(1).isDigit) { return number() }
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            string(first)
            return .string
        }
        step()
        return .symbol
    }

    private mutating func skipIllegal() {
        let isControl = bytes[offset] < 0x80
        fail(
            isControl
                ? "control character \(bytes[offset]) outside a string or comment"
                : "character outside ASCII is allowed only in strings and comments", at: position)
        while offset < end, bytes[offset].isIllegalOutsideStrings { step() }
        skipSpace()
    }

    private mutating func string(_ quote: UInt8) {
        let start = position
        step()
        while offset < end, bytes[offset] != UInt8(ascii: "\n") {
            let byte = bytes[offset]
            if byte == 0 { break }
            step()
            if byte == quote { return }
            if byte == UInt8(ascii: "\\"), offset < end, bytes[offset] != UInt8(ascii: "\n") {
                step()
            }
        }
        fail("the string has no end on its line (closing quotation mark expected)", at: start)
    }

    private mutating func number() -> ProtoToken.Kind {
        let start = position
        if previous.kind == .identifier, previous.range.upperBound == offset {
            fail("a space is needed between an identifier and a number", at: start)
        }
        let kind = digits(from: start)
        if offset < end, bytes[offset].isLetter {
            fail("a space is needed between a number and an identifier", at: position)
        } else if peek() == UInt8(ascii: ".") {
            fail("a number has at most one decimal point and no fraction after hex or octal digits")
        }
        return kind
    }

    private mutating func digits(from start: ProtoPosition) -> ProtoToken.Kind {
        if peek() == UInt8(ascii: "0") {
            if peek(1) | 0x20 == UInt8(ascii: "x") {
                step()
                step()
                if !peek().isHexDigit { fail("'0x' needs hex digits", at: start) }
                skip(\.isHexDigit)
                return .integer
            }
            if peek(1).isDigit {
                let first = offset
                skip(\.isDigit)
                if bytes[first..<offset].contains(where: { $0 > UInt8(ascii: "7") }) {
                    fail("a number that starts with 0 must have octal digits only", at: start)
                }
                return .integer
            }
        }
        return decimal(from: start)
    }

    private mutating func decimal(from start: ProtoPosition) -> ProtoToken.Kind {
        var isFloat = false
        skip(\.isDigit)
        if peek() == UInt8(ascii: ".") {
            isFloat = true
            step()
            skip(\.isDigit)
        }
        if peek() | 0x20 == UInt8(ascii: "e") {
            isFloat = true
            step()
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { step() }
            if !peek().isDigit { fail("'e' needs an exponent", at: start) }
            skip(\.isDigit)
        }
        if allowsHashComments, peek() | 0x20 == UInt8(ascii: "f") {
            isFloat = true
            step()
        }
        return isFloat ? .float : .integer
    }

    private mutating func skip(_ matches: (UInt8) -> Bool) {
        while offset < end, matches(bytes[offset]) { step() }
    }
}

extension UInt8 {
    fileprivate var isSpaceOnLine: Bool {
        self == UInt8(ascii: " ") || self == 9 || (11...13).contains(self)
    }

    fileprivate var isIllegalOutsideStrings: Bool {
        (self < 0x20 && !isSpaceOnLine && self != UInt8(ascii: "\n")) || self >= 0x7f
    }

    fileprivate var isHexDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }
}
