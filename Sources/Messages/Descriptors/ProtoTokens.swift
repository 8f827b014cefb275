/// Why a `.proto` file was not understood.
public struct ProtoSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    public var line: Int
    public var problem: String

    public var description: String { "line \(line): \(problem)" }
}

/// The words, numbers, strings and signs of a `.proto` file, one after the other.
struct ProtoTokens {
    private var rest: Substring.UTF8View
    private(set) var line = 1

    /// The token that is due; empty at the end of the file.
    private(set) var next = ""

    init(_ source: String) throws(ProtoSyntaxError) {
        rest = source[...].utf8
        try advance()
    }

    func failure(_ problem: String) -> ProtoSyntaxError {
        ProtoSyntaxError(line: line, problem: problem)
    }

    /// Takes the token that is due, whatever it is.
    mutating func take() throws(ProtoSyntaxError) -> String {
        guard !next.isEmpty else { throw failure("the file ends too early") }
        let taken = next
        try advance()
        return taken
    }

    /// Takes `token` if it is due.
    mutating func take(if token: String) throws(ProtoSyntaxError) -> Bool {
        guard next == token else { return false }
        try advance()
        return true
    }

    mutating func expect(_ token: String) throws(ProtoSyntaxError) {
        guard try take(if: token) else { throw failure("'\(token)' expected, not '\(next)'") }
    }

    /// Takes a string without its quotation marks.
    mutating func string() throws(ProtoSyntaxError) -> String {
        guard isString else {
            throw failure("a string expected, not '\(next)'")
        }
        return String(try take().dropFirst().dropLast())
    }

    /// Whether a string is due.
    var isString: Bool { next.hasPrefix("\"") || next.hasPrefix("'") }

    /// Takes a number, which may be written in octal or hexadecimal digits.
    mutating func number() throws(ProtoSyntaxError) -> Int32 {
        let isNegative = next.hasPrefix("-")
        let digits = next.drop { $0 == "-" }
        var magnitude: Int64?
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            magnitude = Int64(digits.dropFirst(2), radix: 16)
        } else if digits.hasPrefix("0"), digits.count > 1 {
            magnitude = Int64(digits, radix: 8)
        } else {
            magnitude = Int64(digits)
        }
        guard let magnitude, magnitude >= 0,
            let number = Int32(exactly: isNegative ? -magnitude : magnitude)
        else { throw failure("a number expected, not '\(next)'") }
        try advance()
        return number
    }

    /// Passes over what is of no interest, up to the end of the statement. A block is the end of
    /// one that is not going on, as that of a message is; an option may have one for its value.
    mutating func skipStatement() throws(ProtoSyntaxError) {
        while next != ";", next != "{" { _ = try take() }
        if next == "{" {
            try skipBlock()
            // `option (x) = { … };` has it, and `rpc … { … }` need not.
            _ = try take(if: ";")
        } else {
            try expect(";")
        }
    }

    /// Passes over a statement that has no block for its end.
    mutating func skipToSemicolon() throws(ProtoSyntaxError) {
        while next != ";" {
            if next == "{" { try skipBlock() } else { _ = try take() }
        }
        try expect(";")
    }

    /// Passes over braces and all between them.
    mutating func skipBlock() throws(ProtoSyntaxError) {
        var depth = 0
        repeat {
            let token = try take()
            if token == "{" { depth += 1 }
            if token == "}" { depth -= 1 }
        } while depth > 0
    }

    // MARK: -

    private mutating func advance() throws(ProtoSyntaxError) {
        try skipSpace()
        guard let first = rest.first else {
            next = ""
            return
        }
        var end = rest.index(after: rest.startIndex)
        if Self.isWord(first) {
            while end < rest.endIndex, Self.isWord(rest[end]) { end = rest.index(after: end) }
        } else if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            while end < rest.endIndex, rest[end] != first {
                guard rest[end] != UInt8(ascii: "\\"), rest[end] != UInt8(ascii: "\n") else {
                    throw failure("a string with an escape or without an end")
                }
                end = rest.index(after: end)
            }
            guard end < rest.endIndex else { throw failure("a string without an end") }
            end = rest.index(after: end)
        }
        next = String(Substring(rest[..<end]))
        rest = rest[end...]
    }

    private mutating func skipSpace() throws(ProtoSyntaxError) {
        while let octet = rest.first {
            if octet == UInt8(ascii: "/") {
                let isBlock = rest.dropFirst().first == UInt8(ascii: "*")
                guard isBlock || rest.dropFirst().first == UInt8(ascii: "/") else { return }
                try skipComment(isBlock: isBlock)
            } else if octet == UInt8(ascii: "\n") {
                line += 1
                rest.removeFirst()
            } else if octet == UInt8(ascii: " ") || octet == UInt8(ascii: "\t") || octet == 13 {
                rest.removeFirst()
            } else {
                return
            }
        }
    }

    private mutating func skipComment(isBlock: Bool) throws(ProtoSyntaxError) {
        rest = rest.dropFirst(2)
        while let octet = rest.first {
            if !isBlock, octet == UInt8(ascii: "\n") { return }
            rest.removeFirst()
            if octet == UInt8(ascii: "\n") { line += 1 }
            if isBlock, octet == UInt8(ascii: "*"), rest.first == UInt8(ascii: "/") {
                rest.removeFirst()
                return
            }
        }
        if isBlock { throw failure("a comment without an end") }
    }

    /// Names with their dots, and numbers with their signs, are one token each.
    private static func isWord(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "+"):
            true
        default: false
        }
    }
}
