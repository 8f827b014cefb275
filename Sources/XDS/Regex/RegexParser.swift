import SwiftletTransport

/// Parses RE2's syntax. It keeps its own stack, so that the depth of an expression costs no stack of the thread.
struct RegexParser: ~Copyable {
    /// RE2's limit of a repetition, and of nested ones multiplied.
    static let maxRepetition = 1_000
    /// The most groups and repetitions inside each other. The compiler calls itself for each.
    static let maxDepth = 200
    /// The longest expression, in bytes.
    static let maxByteCount = 16_384

    struct Flags {
        var ignoresCase = false
        var isMultiline = false
        var dotMatchesNewline = false
        var isUngreedy = false
    }

    /// A part that a repetition can follow.
    struct Item {
        var node: RegexNode
        /// How many groups and repetitions are inside each other.
        var depth = 0
        /// The largest product of nested `{n}`.
        var repetitions = 1
        /// Whether it ends with `*`, `+`, `?` or `{n}`.
        var isRepeated = false
    }

    /// A group whose end was not seen, or the whole expression.
    private struct Group {
        var capture: Int?
        /// The flags that apply again after the group.
        let outerFlags: Flags
        var alternatives: [[Item]] = [[]]
    }

    let bytes: ContiguousArray<UInt8>
    var position = 0
    /// Whether no `:]` follows any more. To look for it at each `[:` would take quadratic time.
    var hasNoPosixEnd = false
    var flags = Flags()
    private var groups: [Group]
    private var captureCount = 0

    private init(_ pattern: String) {
        bytes = ContiguousArray(pattern.utf8)
        groups = [Group(capture: nil, outerFlags: Flags())]
    }

    /// Returns the expression and the number of its groups.
    static func parse(
        _ pattern: String
    ) throws(RegexError) -> (node: RegexNode, captureCount: Int) {
        guard pattern.utf8.count <= maxByteCount else {
            throw RegexError("longer than \(maxByteCount) bytes")
        }
        var parser = RegexParser(pattern)
        return (try parser.all(), parser.captureCount)
    }
}

// MARK: - Expressions

extension RegexParser {
    private mutating func all() throws(RegexError) -> RegexNode {
        /// Whether the part before is a repetition.
        var isRepeated = false
        while let byte = current {
            let wasRepeated = isRepeated
            isRepeated = false
            switch byte {
            case UInt8(ascii: "("): try openGroup()
            case UInt8(ascii: ")"): try closeGroup()
            case UInt8(ascii: "|"):
                position += 1
                groups[groups.count - 1].alternatives.append([])
            case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"):
                position += 1
                try repeatLast(
                    min: byte == UInt8(ascii: "+") ? 1 : 0,
                    max: byte == UInt8(ascii: "?") ? 1 : nil, isCounted: false, after: wasRepeated)
                isRepeated = true
            case UInt8(ascii: "{"):
                let start = position
                guard let count = repetitionCount() else {
                    position = start + 1
                    append(.scalar(UInt32(byte)))
                    continue
                }
                try checkCount(count)
                try repeatLast(
                    min: count.min, max: count.max, isCounted: true, after: wasRepeated)
                isRepeated = true
            default: try appendPart(byte)
            }
        }
        guard groups.count == 1 else { throw RegexError("missing ')'") }
        return Self.joined(groups[0].alternatives).node
    }

    /// A part that is neither a group nor a repetition.
    private mutating func appendPart(_ byte: UInt8) throws(RegexError) {
        switch byte {
        case UInt8(ascii: "^"):
            position += 1
            append(.assertion(flags.isMultiline ? .lineStart : .textStart))
        case UInt8(ascii: "$"):
            position += 1
            append(.assertion(flags.isMultiline ? .lineEnd : .textEnd))
        case UInt8(ascii: "."):
            position += 1
            let all = RegexSet.all
            append(
                .set(RegexSet(flags.dotMatchesNewline ? [all] : [0...0x09, 0x0b...all.upperBound])))
        case UInt8(ascii: "["): append(.set(try set()))
        case UInt8(ascii: "\\"): try appendEscape()
        default: appendLiteral(scalar())
        }
    }

    mutating func append(_ node: RegexNode) {
        let last = groups.count - 1
        groups[last].alternatives[groups[last].alternatives.count - 1].append(Item(node: node))
    }

    mutating func appendLiteral(_ scalar: UInt32) {
        let siblings = flags.ignoresCase ? CaseFolding.siblings(of: scalar) : []
        append(siblings.count > 1 ? .set(RegexSet(siblings.map { $0...$0 })) : .scalar(scalar))
    }

    /// One node for alternatives.
    private static func joined(_ alternatives: [[Item]]) -> Item {
        let items = alternatives.joined()
        let nodes = alternatives.map { items in
            items.count == 1 ? items[0].node : items.isEmpty ? .empty : .sequence(items.map(\.node))
        }
        return Item(
            node: nodes.count == 1 ? nodes[0] : .choice(nodes),
            depth: items.map(\.depth).max() ?? 0,
            repetitions: items.map(\.repetitions).max() ?? 1)
    }
}

// MARK: - Groups

extension RegexParser {
    private mutating func openGroup() throws(RegexError) {
        let outerFlags = flags
        guard bytes[position...].dropFirst().first == UInt8(ascii: "?") else {
            position += 1
            captureCount += 1
            return try push(Group(capture: captureCount, outerFlags: outerFlags))
        }
        if try groupName() {
            captureCount += 1
            return try push(Group(capture: captureCount, outerFlags: outerFlags))
        }
        if try groupFlags() { try push(Group(capture: nil, outerFlags: outerFlags)) }
    }

    private mutating func push(_ group: Group) throws(RegexError) {
        guard groups.count <= Self.maxDepth else {
            throw RegexError("more than \(Self.maxDepth) groups inside each other")
        }
        groups.append(group)
    }

    private mutating func closeGroup() throws(RegexError) {
        guard groups.count > 1, let group = groups.popLast() else {
            throw RegexError("unexpected ')'")
        }
        position += 1
        flags = group.outerFlags
        var item = Self.joined(group.alternatives)
        if let capture = group.capture { item.node = .capture(capture, item.node) }
        item.depth += 1
        try append(item)
    }

    private mutating func append(_ item: Item) throws(RegexError) {
        guard item.depth <= Self.maxDepth else {
            throw RegexError("more than \(Self.maxDepth) groups and repetitions inside each other")
        }
        let last = groups.count - 1
        groups[last].alternatives[groups[last].alternatives.count - 1].append(item)
    }

    /// Reads `(?P<name>` or `(?<name>`. Returns false if the group has no name.
    private mutating func groupName() throws(RegexError) -> Bool {
        let rest = bytes[position...]
        let prefix = [Array("(?P<".utf8), Array("(?<".utf8)].first { rest.starts(with: $0) }
        guard let prefix else { return false }
        let start = position + prefix.count
        if prefix.count == 3, start < bytes.count,
            bytes[start] == UInt8(ascii: "=") || bytes[start] == UInt8(ascii: "!")
        {
            throw RegexError("look-behind is not supported")
        }
        guard let end = bytes[start...].firstIndex(of: UInt8(ascii: ">")), end > start,
            String(decoding: bytes[start..<end], as: UTF8.self).unicodeScalars
                .allSatisfy(Self.isLegalInName)
        else { throw RegexError("invalid name of a group") }
        position = end + 1
        return true
    }

    private static func isLegalInName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .letterNumber, .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation:
            true
        default: false
        }
    }

    /// Reads `(?flags)` or `(?flags:`. Returns whether it opens a group.
    private mutating func groupFlags() throws(RegexError) -> Bool {
        position += 2
        var (changed, isOff, hasFlag) = (flags, false, false)
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "i"): changed.ignoresCase = !isOff
            case UInt8(ascii: "m"): changed.isMultiline = !isOff
            case UInt8(ascii: "s"): changed.dotMatchesNewline = !isOff
            case UInt8(ascii: "U"): changed.isUngreedy = !isOff
            case UInt8(ascii: "-") where !isOff:
                (isOff, hasFlag) = (true, false)
                continue
            case UInt8(ascii: ":"), UInt8(ascii: ")"):
                guard hasFlag || !isOff else { throw RegexError("'(?-' without a flag") }
                flags = changed
                return byte == UInt8(ascii: ":")
            case UInt8(ascii: "="), UInt8(ascii: "!"):
                throw RegexError("look-ahead is not supported")
            default: throw RegexError("'(?' before an unknown flag")
            }
            hasFlag = true
        }
        throw RegexError("missing ')'")
    }
}

// MARK: - Repetitions

extension RegexParser {
    private mutating func repeatLast(
        min: Int, max: Int?, isCounted: Bool, after wasRepeated: Bool
    ) throws(RegexError) {
        let isLazy = skip(UInt8(ascii: "?"))
        guard !wasRepeated else { throw RegexError("a repetition of a repetition") }
        let group = groups.count - 1
        let alternative = groups[group].alternatives.count - 1
        guard var item = groups[group].alternatives[alternative].popLast() else {
            throw RegexError("a repetition of nothing")
        }
        if isCounted {
            item.repetitions *= Swift.max(1, max ?? min)
            guard item.repetitions <= Self.maxRepetition else {
                throw RegexError("more than \(Self.maxRepetition) repetitions")
            }
        }
        item.node = .repetition(
            item.node, min: min, max: max, isGreedy: isLazy == flags.isUngreedy)
        item.depth += 1
        try append(item)
    }

    private func checkCount(_ count: (min: Int, max: Int?)) throws(RegexError) {
        guard count.min <= Self.maxRepetition, count.max ?? 0 <= Self.maxRepetition,
            count.max ?? count.min >= count.min
        else {
            throw RegexError("'{' before a count above \(Self.maxRepetition), or a wrong range")
        }
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`. Nil for anything else, which is literal text.
    private mutating func repetitionCount() -> (min: Int, max: Int?)? {
        position += 1
        guard let min = number() else { return nil }
        var max: Int? = min
        if skip(UInt8(ascii: ",")) {
            if current == UInt8(ascii: "}") {
                max = nil
            } else {
                guard let number = number() else { return nil }
                max = number
            }
        }
        return skip(UInt8(ascii: "}")) ? (min, max) : nil
    }

    /// A number below 10⁹ without leading zeros.
    private mutating func number() -> Int? {
        let start = position
        var value = 0
        while let byte = current, 0x30...0x39 ~= byte {
            guard value < 100_000_000 else { return nil }
            value = value * 10 + Int(byte - 0x30)
            position += 1
        }
        let count = position - start
        return count == 0 || count > 1 && bytes[start] == 0x30 ? nil : value
    }
}

// MARK: - Bytes

extension RegexParser {
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    var next: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        position += 1
        return true
    }

    /// The code point at the position, which is not the end. The pattern is valid UTF-8.
    mutating func scalar() -> UInt32 {
        let (scalar, width) = UTF8Step.decode(bytes.span, at: position)
        position += width
        return scalar
    }
}
