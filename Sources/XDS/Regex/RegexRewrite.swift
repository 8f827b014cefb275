import SwiftletTransport

/// Replaces all matches of a regular expression in a text, as RE2's `GlobalReplace`.
struct RegexRewrite: Sendable {
    private enum Piece: Hashable, Sendable {
        case bytes([UInt8])
        /// A group of the match; 0 is the whole match.
        case group(Int)
    }

    /// The most bytes that are read for one text. A match may read to the end of the text, so that all matches together
    /// would take quadratic time. Behind it, nothing is replaced.
    static let maxReadByteCount = 1 << 16

    let expression: RegularExpression
    private let pieces: [Piece]

    /// - Parameter substitution: `\0` is the match, `\1` to `\9` are its groups, and `\\` is a backslash.
    init(_ expression: RegularExpression, substitution: String) throws(RegexError) {
        self.expression = expression
        var pieces: [Piece] = []
        var literal: [UInt8] = []
        var rest = substitution.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                literal.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\\"): literal.append(byte)
            case let digit? where 0x30...0x39 ~= digit:
                let group = Int(digit - 0x30)
                guard group <= expression.groupCount else {
                    throw RegexError(
                        "the substitution refers to group \(group), which does not exist")
                }
                pieces += [.bytes(literal), .group(group)]
                literal = []
            default: throw RegexError("the substitution has a backslash before no digit")
            }
        }
        self.pieces = pieces + [.bytes(literal)]
    }

    /// The text with the substitution in place of each match.
    func apply(to text: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        var position = 0
        var lastEnd = -1
        var readByteCount = 0
        while position <= text.count, readByteCount <= Self.maxReadByteCount {
            var end = position
            let match = expression.firstMatch(in: text, from: position, readTo: &end)
            readByteCount += end - position + 1
            guard let match, let whole = match[0] else { break }
            output.append(copying: text.extracting(position..<whole.lowerBound))
            position = whole.lowerBound
            if whole.isEmpty, position == lastEnd {
                // An empty match behind the last match does not count.
                guard position < text.count else { break }
                let width = UTF8Step.decode(text, at: position).width
                output.append(copying: text.extracting(position..<position + width))
                position += width
                continue
            }
            for piece in pieces {
                switch piece {
                case .bytes(let bytes): output += bytes
                case .group(let group):
                    if let range = match[group] { output.append(copying: text.extracting(range)) }
                }
            }
            position = whole.upperBound
            lastEnd = position
        }
        if position < text.count {
            output.append(copying: text.extracting(position..<text.count))
        }
        return output
    }
}

extension RegexRewrite: Hashable {
    static func == (left: RegexRewrite, right: RegexRewrite) -> Bool {
        left.expression == right.expression && left.pieces == right.pieces
    }

    func hash(into hasher: inout Hasher) { hasher.combine(expression) }
}
