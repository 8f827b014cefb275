/// The submitted texts, and the entry that the user sees.
struct LineHistory {
    private static let maxCount = 1_000

    private(set) var entries: [String] = []
    /// The index of the entry that is shown; nil while a new text is edited.
    private var place: Int?
    /// The new text that was being edited before an entry was shown. ``newer()`` returns it again.
    private var draft = ""

    /// Adds a text, unless it is blank or equal to the last entry. Drops the draft.
    mutating func add(_ text: String) {
        leave()
        guard text.contains(where: { !$0.isWhitespace }), text != entries.last else { return }
        entries.append(text)
        if entries.count > Self.maxCount { entries.removeFirst() }
    }

    /// The entry before the current one; nil at the oldest entry.
    mutating func older(than text: String) -> String? {
        let current = place ?? entries.count
        guard current > 0 else { return nil }
        if place == nil { draft = text }
        place = current - 1
        return entries[current - 1]
    }

    /// The entry after the current one. After the last entry, the draft. Nil if no entry is current.
    mutating func newer() -> String? {
        guard let current = place else { return nil }
        place = current + 1 < entries.count ? current + 1 : nil
        return place.map { entries[$0] } ?? draft
    }

    /// Makes no entry current, and drops the draft.
    mutating func leave() {
        place = nil
        draft = ""
    }
}

extension LineHistory {
    /// Reads entries from a file: one on each line, with `\n` for a new line and `\\` for a backslash.
    init(file: [UInt8]) {
        for line in String(decoding: file, as: UTF8.self).split(separator: "\n") {
            add(Self.unescaped(line))
        }
    }

    var file: String { entries.map { Self.escaped($0) + "\n" }.joined() }

    private static func escaped(_ text: String) -> String {
        var line = ""
        for character in text {
            switch character {
            case "\n": line += "\\n"
            case "\\": line += "\\\\"
            default: line.append(character)
            }
        }
        return line
    }

    private static func unescaped(_ line: Substring) -> String {
        var text = ""
        var isEscaped = false
        for character in line {
            if isEscaped {
                text.append(character == "n" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                text.append(character)
            }
        }
        return text
    }
}
