import SwiftletTransport

/// A regular expression of RE2's syntax. Matching takes linear time, and compiling bounded memory.
///
/// RE2 refuses back-references and look-around. Of what RE2 accepts, this refuses scripts of Unicode (`\p{Greek}`),
/// `\C`, more than 200 groups inside each other, and expressions of more than 4,000 steps.
package struct RegularExpression: Sendable {
    package let pattern: String
    private let program: RegexProgram

    /// Throws if the text is not a regular expression, with the reason.
    package init(_ pattern: String) throws(RegexError) {
        self.pattern = pattern
        let (node, captureCount) = try RegexParser.parse(pattern)
        program = try RegexProgram(node, captureCount: captureCount)
    }
}

extension RegularExpression {
    /// Whether the expression matches the whole text.
    package func matches(_ text: Span<UInt8>) -> Bool { RegexMachine.matches(program, text) }

    package func matches(_ text: String) -> Bool { matches(ContiguousArray(text.utf8).span) }

    /// The first match at or after `start`: the bytes of the whole match, then of each group. Nil if there is none.
    ///
    /// - Parameter end: Set to the position up to which the text was read.
    package func firstMatch(
        in text: Span<UInt8>, from start: Int, readTo end: inout Int
    ) -> [Range<Int>?]? {
        RegexMachine.firstMatch(program, text, from: start, readTo: &end)
    }

    /// The size of the compiled expression.
    var stepCount: Int { program.steps.count }

    /// The number of groups that a substitution can refer to.
    var groupCount: Int { program.slotCount / 2 - 1 }
}

/// Equal patterns are equal expressions.
extension RegularExpression: Hashable {
    package static func == (left: RegularExpression, right: RegularExpression) -> Bool {
        left.pattern.hasBytes(of: right.pattern)
    }

    package func hash(into hasher: inout Hasher) { ByteText(pattern).hash(into: &hasher) }
}
