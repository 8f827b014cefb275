import SwiftletTransport

/// A condition on a header of a call.
struct HeaderMatcher: Hashable, Sendable {
    enum Condition: Hashable, Sendable {
        case text(TextMatcher)
        /// A decimal number from the start to before the end.
        case number(start: Int64, end: Int64)
        case isPresent(Bool)
    }

    /// In lower case.
    let name: ByteText
    let condition: Condition
    let isInverted: Bool

    /// - Parameter value: The values of the header, joined by commas; nil if it is absent.
    func matches(_ value: [UInt8]?) -> Bool {
        if case .isPresent(let isPresent) = condition {
            return ((value != nil) == isPresent) != isInverted
        }
        // An absent header does not match, also if the condition is inverted.
        guard let value else { return false }
        return holds(for: value) != isInverted
    }

    /// See ``TextMatcher/comparison``. An absent header fails it, as it fails the condition.
    var comparison: (bytes: [UInt8], isWhole: Bool)? {
        guard !isInverted, case .text(let matcher) = condition else { return nil }
        return matcher.comparison
    }

    private func holds(for value: [UInt8]) -> Bool {
        switch condition {
        case .text(let matcher): return matcher.matches(value)
        case .number(let start, let end):
            guard value.count <= 20, let number = Int64(String(decoding: value, as: UTF8.self))
            else { return false }
            return start <= number && number < end
        case .isPresent: return true
        }
    }
}

extension HeaderMatcher {
    init?(_ message: Envoy.Routes.HeaderMatcher, _ violations: inout Violations) {
        func text(_ pattern: TextMatcher.Pattern) -> Condition {
            .text(TextMatcher(pattern: pattern, ignoresCase: false))
        }
        let condition: Condition?
        switch message.headerMatchSpecifier {
        case .exactMatch(let value)?: condition = text(.exact(Array(value.utf8)))
        case .prefixMatch(let value)?: condition = text(.prefix(Array(value.utf8)))
        case .suffixMatch(let value)?: condition = text(.suffix(Array(value.utf8)))
        case .containsMatch(let value)?:
            condition = text(.contains(SearchedBytes(Array(value.utf8))))
        case .safeRegexMatch(let message)?:
            condition = violations.regex("safe_regex_match", message).map { text(.regex($0)) }
        case .rangeMatch(let range)?:
            if range.end < range.start {
                violations.add(
                    "range_match", "ends at \(range.end), before its start \(range.start)")
            }
            condition = .number(start: range.start, end: range.end)
        case .presentMatch(let isPresent)?: condition = .isPresent(isPresent)
        case .stringMatch(let message)?:
            condition = violations.within("string_match") { TextMatcher(message, &$0) }
                .map { .text($0) }
        case nil:
            violations.add("header_match_specifier", "is required")
            condition = nil
        }
        let name = violations.nonempty("name", message.name)
        guard let condition else { return nil }
        self.init(
            name: ByteText(
                String(decoding: name.string.utf8.map(TextMatcher.lowercased), as: UTF8.self)),
            condition: condition, isInverted: message.invertMatch)
    }
}
