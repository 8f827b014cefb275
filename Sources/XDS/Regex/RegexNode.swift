/// A parsed regular expression.
indirect enum RegexNode {
    case empty
    case scalar(UInt32)
    case set(RegexSet)
    case assertion(RegexAssertion)
    /// A group that `\1` … `\9` of a substitution refer to.
    case capture(Int, RegexNode)
    case sequence([RegexNode])
    /// Alternatives, the preferred one first.
    case choice([RegexNode])
    /// - Parameter max: Nil without a limit.
    case repetition(RegexNode, min: Int, max: Int?, isGreedy: Bool)

    /// Whether the expression can match without consuming anything.
    var matchesEmpty: Bool {
        switch self {
        case .empty, .assertion: true
        case .scalar, .set: false
        case .capture(_, let node): node.matchesEmpty
        case .sequence(let nodes): nodes.allSatisfy(\.matchesEmpty)
        case .choice(let nodes): nodes.contains(where: \.matchesEmpty)
        case .repetition(let node, let min, _, _): min == 0 || node.matchesEmpty
        }
    }
}

/// A condition on a position in the text.
enum RegexAssertion: Sendable {
    case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary

    func holds(at position: Int, in text: Span<UInt8>) -> Bool {
        switch self {
        case .textStart: position == 0
        case .textEnd: position == text.count
        case .lineStart: position == 0 || text[position - 1] == 0x0a
        case .lineEnd: position == text.count || text[position] == 0x0a
        case .wordBoundary: Self.isBoundary(position, text)
        case .noWordBoundary: !Self.isBoundary(position, text)
        }
    }

    private static func isBoundary(_ position: Int, _ text: Span<UInt8>) -> Bool {
        let before = position > 0 && isWord(text[position - 1])
        let after = position < text.count && isWord(text[position])
        return before != after
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x5f, 0x61...0x7a: true
        default: false
        }
    }
}

/// Why a text is not a regular expression of RE2's syntax, or is too large.
package struct RegexError: Error {
    package let message: String

    init(_ message: String) { self.message = message }
}
