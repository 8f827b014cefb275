import SwiftletMessages

// The messages of envoy.type.matcher.v3, envoy.type.v3, with the fields that a client of gRPC needs.
extension Envoy.Matcher {
    /// A condition on a text.
    struct StringMatcher: DropsUnknownFields {
        enum MatchPattern: Hashable, Sendable {
            case exact(String)
            case prefix(String)
            case suffix(String)
            case safeRegex(Envoy.Matcher.RegexMatcher)
            case contains(String)
        }

        var matchPattern: MatchPattern?
        var ignoreCase = false

        static var messageName: String { "envoy.type.matcher.v3.StringMatcher" }

        static let layout = Layout<Self> { field in
            field.oneof(1, \.matchPattern, .string, MatchPattern.exact) {
                if case .exact(let it) = $0 { it } else { nil }
            }
            field.oneof(2, \.matchPattern, .string, MatchPattern.prefix) {
                if case .prefix(let it) = $0 { it } else { nil }
            }
            field.oneof(3, \.matchPattern, .string, MatchPattern.suffix) {
                if case .suffix(let it) = $0 { it } else { nil }
            }
            field.oneof(
                5, \.matchPattern, .message(Envoy.Matcher.RegexMatcher.self), MatchPattern.safeRegex
            ) {
                if case .safeRegex(let it) = $0 { it } else { nil }
            }
            field.bool(6, \.ignoreCase)
            field.oneof(7, \.matchPattern, .string, MatchPattern.contains) {
                if case .contains(let it) = $0 { it } else { nil }
            }
        }
    }

    /// A regular expression.
    struct RegexMatcher: DropsUnknownFields {
        var regex = ""

        static var messageName: String { "envoy.type.matcher.v3.RegexMatcher" }

        static let layout = Layout<Self> { field in
            field.string(2, \.regex)
        }
    }

    /// A regular expression and what replaces its matches.
    struct RegexMatchAndSubstitute: DropsUnknownFields {
        var pattern: Envoy.Matcher.RegexMatcher?
        var substitution = ""

        static var messageName: String { "envoy.type.matcher.v3.RegexMatchAndSubstitute" }

        static let layout = Layout<Self> { field in
            field.message(1, \.pattern)
            field.string(2, \.substitution)
        }
    }
}

extension Envoy.Types {
    /// Numbers from the start to before the end.
    struct Int64Range: DropsUnknownFields {
        var start: Int64 = 0
        var end: Int64 = 0

        static var messageName: String { "envoy.type.v3.Int64Range" }

        static let layout = Layout<Self> { field in
            field.int64(1, \.start)
            field.int64(2, \.end)
        }
    }

    /// A fraction.
    struct FractionalPercent: DropsUnknownFields {
        var numerator: UInt32 = 0
        var denominator = Envoy.Types.DenominatorType()

        static var messageName: String { "envoy.type.v3.FractionalPercent" }

        static let layout = Layout<Self> { field in
            field.uint32(1, \.numerator)
            field.enumeration(2, \.denominator)
        }
    }

    struct DenominatorType: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }

        static let hundred = DenominatorType(rawValue: 0)
        static let tenThousand = DenominatorType(rawValue: 1)
        static let million = DenominatorType(rawValue: 2)

        var name: String? {
            switch rawValue {
            case 0: "HUNDRED"
            case 1: "TEN_THOUSAND"
            case 2: "MILLION"
            default: nil
            }
        }
    }
}
