import SwiftletTransport

/// The code points that one step of an expression accepts.
struct RegexSet: Sendable {
    /// A part of a class, such as `a-z`, `\W` or `\p{Lu}`.
    struct Part: Sendable {
        enum Members: Sendable {
            case ranges([ClosedRange<UInt32>])
            case categories(Set<Unicode.GeneralCategory>)
        }

        let members: Members
        let isNegated: Bool
    }

    private let parts: [Part]
    private let isNegated: Bool
    /// Whether a code point is accepted if one that differs only in case is.
    private let ignoresCase: Bool
    /// Whether each of the code points below 128 is accepted.
    private let ascii: (UInt64, UInt64)

    init(_ parts: [Part], isNegated: Bool = false, ignoresCase: Bool = false) {
        self.parts = parts
        self.isNegated = isNegated
        self.ignoresCase = ignoresCase
        var bits: (UInt64, UInt64) = (0, 0)
        for scalar in 0..<UInt32(128)
        where Self.accepts(scalar, parts, ignoresCase: ignoresCase) != isNegated {
            if scalar < 64 {
                bits.0 |= 1 << UInt64(scalar)
            } else {
                bits.1 |= 1 << UInt64(scalar - 64)
            }
        }
        ascii = bits
    }

    init(_ ranges: [ClosedRange<UInt32>], isNegated: Bool = false) {
        self.init([Part(members: .ranges(ranges), isNegated: isNegated)])
    }

    static let all: ClosedRange<UInt32> = 0...0x10_ffff
}

extension RegexSet {
    func contains(_ scalar: UInt32) -> Bool {
        if scalar < 64 { return ascii.0 >> UInt64(scalar) & 1 == 1 }
        if scalar < 128 { return ascii.1 >> UInt64(scalar - 64) & 1 == 1 }
        // Bytes that are not UTF-8 are no code point.
        guard scalar <= 0x10_ffff else { return false }
        return Self.accepts(scalar, parts, ignoresCase: ignoresCase) != isNegated
    }

    private static func accepts(_ scalar: UInt32, _ parts: [Part], ignoresCase: Bool) -> Bool {
        guard ignoresCase else { return parts.contains { $0.accepts(scalar) } }
        let siblings = CaseFolding.siblings(of: scalar)
        return parts.contains { part in
            siblings.contains { part.members.contains($0) } != part.isNegated
        }
    }
}

extension RegexSet.Part {
    fileprivate func accepts(_ scalar: UInt32) -> Bool { members.contains(scalar) != isNegated }
}

extension RegexSet.Part.Members {
    fileprivate func contains(_ scalar: UInt32) -> Bool {
        switch self {
        case .ranges(let ranges):
            return ranges.contains { $0.contains(scalar) }
        case .categories(let categories):
            guard let scalar = Unicode.Scalar(scalar) else {
                return categories.contains(.surrogate)
            }
            return categories.contains(scalar.properties.generalCategory)
        }
    }
}

// MARK: - Named sets

extension RegexSet.Part {
    /// `\d`, `\s`, `\w` and their opposites. Nil for another letter.
    init?(perl letter: UInt8) {
        switch letter {
        case UInt8(ascii: "d"), UInt8(ascii: "D"): self.init("0-9")
        case UInt8(ascii: "s"), UInt8(ascii: "S"): self.init("\t-\n\u{c}-\r  ")
        case UInt8(ascii: "w"), UInt8(ascii: "W"): self.init("0-9A-Z__a-z")
        default: return nil
        }
        guard letter & 0x20 == 0 else { return }
        self = RegexSet.Part(members: members, isNegated: true)
    }

    /// The name between `[:` and `:]`. Nil if it is not known.
    init?(posix name: Span<UInt8>) {
        let isNegated = name.count > 0 && name[0] == UInt8(ascii: "^")
        let name = name.extracting(droppingFirst: isNegated ? 1 : 0)
        let known: [(StaticString, StaticString)] = [
            ("alnum", "0-9A-Za-z"), ("alpha", "A-Za-z"), ("ascii", "\0-\u{7f}"),
            ("blank", "\t\t  "), ("cntrl", "\0-\u{1f}\u{7f}-\u{7f}"), ("digit", "0-9"),
            ("graph", "!-~"), ("lower", "a-z"), ("print", " -~"), ("punct", "!-/:-@[-`{-~"),
            ("space", "\t-\r  "), ("upper", "A-Z"), ("word", "0-9A-Z__a-z"),
            ("xdigit", "0-9A-Fa-f"),
        ]
        for (candidate, ranges) in known where name.equals(candidate) {
            self.init(ranges)
            self = RegexSet.Part(members: members, isNegated: isNegated)
            return
        }
        return nil
    }

    /// - Parameter ranges: Pairs of characters, with or without a hyphen between them.
    private init(_ ranges: StaticString) {
        var list: [ClosedRange<UInt32>] = []
        var scalars = ranges.description.unicodeScalars.map(\.value)[...]
        while let first = scalars.popFirst() {
            if scalars.first == 0x2d, scalars.count > 1 { scalars.removeFirst() }
            list.append(first...(scalars.popFirst() ?? first))
        }
        self.init(members: .ranges(list), isNegated: false)
    }

    /// A general category of Unicode or the first letter of some, or `Any`. Nil for any other name, scripts among them.
    init?(unicode name: Span<UInt8>, isNegated: Bool) {
        if name.equals("Any") {
            self.init(members: .ranges([RegexSet.all]), isNegated: isNegated)
            return
        }
        let categories: [(StaticString, Unicode.GeneralCategory)] = [
            ("Cc", .control), ("Cf", .format), ("Co", .privateUse), ("Cs", .surrogate),
            ("Ll", .lowercaseLetter), ("Lm", .modifierLetter), ("Lo", .otherLetter),
            ("Lt", .titlecaseLetter), ("Lu", .uppercaseLetter), ("Mc", .spacingMark),
            ("Me", .enclosingMark), ("Mn", .nonspacingMark), ("Nd", .decimalNumber),
            ("Nl", .letterNumber), ("No", .otherNumber), ("Pc", .connectorPunctuation),
            ("Pd", .dashPunctuation), ("Pe", .closePunctuation), ("Pf", .finalPunctuation),
            ("Pi", .initialPunctuation), ("Po", .otherPunctuation), ("Ps", .openPunctuation),
            ("Sc", .currencySymbol), ("Sk", .modifierSymbol), ("Sm", .mathSymbol),
            ("So", .otherSymbol), ("Zl", .lineSeparator), ("Zp", .paragraphSeparator),
            ("Zs", .spaceSeparator),
        ]
        var chosen: Set<Unicode.GeneralCategory> = []
        for (candidate, category) in categories {
            let letter = candidate.description.utf8.first
            if name.equals(candidate) || name.count == 1 && name[0] == letter {
                chosen.insert(category)
            }
        }
        guard !chosen.isEmpty else { return nil }
        self.init(members: .categories(chosen), isNegated: isNegated)
    }
}
