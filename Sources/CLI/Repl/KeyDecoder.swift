/// A key of a terminal.
enum Key: Hashable, Sendable {
    case character(Character)
    case enter
    /// Alt and Enter: inserts a new line, even where Enter would submit the text.
    case newline
    /// The end of a file: submits a text even if it is not whole.
    case endOfText
    case tab, backspace, delete
    case left, right, up, down, home, end
    case wordLeft, wordRight
    /// Ctrl and a letter, in lower case.
    case control(Character)
}

/// Decodes the bytes of a terminal into keys. The bytes of a key may arrive in several reads.
struct KeyDecoder {
    private static let escape: UInt8 = 0x1b
    /// Longer sequences are not decoded as keys.
    private static let maxSequenceByteCount = 16

    /// A slice, so that the bytes of a key are removed without moving those after them.
    private var pending: ArraySlice<UInt8> = []

    /// The keys whose last byte has arrived. An Escape key alone is not reported, because it begins the
    /// sequences of other keys.
    mutating func decode(_ bytes: [UInt8]) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        while let (key, count) = next() {
            pending.removeFirst(count)
            if let key { keys.append(key) }
        }
        return keys
    }

    /// The first key (nil if unknown) and its byte count. Nil if not all its bytes have arrived.
    private func next() -> (Key?, Int)? {
        guard let first = pending.first else { return nil }
        switch first {
        case Self.escape: return sequence()
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return (.enter, 1)
        case UInt8(ascii: "\t"): return (.tab, 1)
        case 0x7f, 0x08: return (.backspace, 1)
        case 1...0x1a: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
        case 0..<0x20: return (nil, 1)
        default: return character(first)
        }
    }

    private func character(_ first: UInt8) -> (Key?, Int)? {
        let count =
            switch first {
            case 0xc2..<0xe0: 2
            case 0xe0..<0xf0: 3
            case 0xf0..<0xf5: 4
            default: 1
            }
        guard pending.count >= count else { return nil }
        guard let text = String(validating: pending.prefix(count), as: UTF8.self),
            let character = text.first
        else { return (nil, 1) }
        return (.character(character), count)
    }

    /// A key that begins with ESC: `ESC [ … letter`, `ESC [ number ~`, `ESC O letter`, or Alt and a key.
    private func sequence() -> (Key?, Int)? {
        guard let second = pending.dropFirst().first else { return nil }
        switch second {
        case UInt8(ascii: "["), UInt8(ascii: "O"):
            let rest = pending.dropFirst(2).prefix(Self.maxSequenceByteCount)
            guard let end = rest.firstIndex(where: { (0x40...0x7e).contains($0) }) else {
                return pending.count > Self.maxSequenceByteCount ? (nil, 2) : nil
            }
            return (
                Self.key(parameters: rest[..<end], final: rest[end]),
                end + 1 - pending.startIndex
            )
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return (.newline, 2)
        case UInt8(ascii: "b"): return (.wordLeft, 2)
        case UInt8(ascii: "f"): return (.wordRight, 2)
        case Self.escape: return (nil, 1)
        default: return (nil, 2)
        }
    }

    private static func key(parameters: ArraySlice<UInt8>, final: UInt8) -> Key? {
        // A modifier is the second parameter, as in `1;5C`.
        let hasModifier = parameters.contains(UInt8(ascii: ";"))
        switch final {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return hasModifier ? .wordRight : .right
        case UInt8(ascii: "D"): return hasModifier ? .wordLeft : .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "~"):
            switch String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
            case "1", "7": return .home
            case "4", "8": return .end
            case "3": return .delete
            default: return nil
            }
        default: return nil
        }
    }
}
