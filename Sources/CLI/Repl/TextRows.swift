/// The rows of a text on a terminal, from its start to a little below the cursor.
struct TextRows {
    private struct Row {
        /// The index of its first character.
        let start: Int
        /// The prompt, or the sign of a continued line.
        var lead = ""
        var leadWidth = 0
    }

    private static let continuation = "… "

    private var rows: [Row] = []
    private var prompt = ""
    /// The rows whose lead is the prompt.
    private var promptRowCount = 0
    private var columnCount = 0
    /// How many characters have a row.
    private var characterCount = 0
    /// The columns of the last row that are used.
    private var column = 0

    var count: Int { rows.count }

    /// Keeps the rows that do not change.
    mutating func begin(prompt: String, columnCount: Int, unchangedCount: Int) {
        guard prompt == self.prompt, columnCount == self.columnCount else {
            return restart(prompt, columnCount)
        }
        // A row that begins where the change does may have begun because of what was there.
        while rows.count > promptRowCount, let last = rows.last, last.start >= unchangedCount {
            rows.removeLast()
        }
        guard let last = rows.last else { return restart(prompt, columnCount) }
        (characterCount, column) = (last.start, last.leadWidth)
    }

    private mutating func restart(_ prompt: String, _ columnCount: Int) {
        self = TextRows()
        (self.prompt, self.columnCount) = (prompt, columnCount)
        rows = [Row(start: 0)]
        for character in prompt {
            fit(character)
            rows[rows.count - 1].lead.append(character)
            rows[rows.count - 1].leadWidth = column
        }
        promptRowCount = rows.count
    }

    /// The place of the cursor. Makes rows up to it, and so many more.
    mutating func place(
        of cursor: Int, in characters: [Character], rowsBelow: Int
    ) -> (row: Int, column: Int) {
        while characterCount <= cursor, characterCount < characters.count {
            add(characters[characterCount])
        }
        let end = rows.count + rowsBelow
        while characterCount < characters.count, rows.count <= end {
            add(characters[characterCount])
        }
        // After a full row, the cursor is at the start of the next row.
        if characterCount == characters.count, column == columnCount {
            startRow(at: characterCount)
        }
        let row = lastRow(startingUpTo: cursor)
        let width =
            rows[row].leadWidth
            + characters[rows[row].start..<cursor].reduce(0) { $0 + $1.terminalWidth }
        return width < columnCount ? (row, width) : (row + 1, 0)
    }

    /// The characters of a row after its prompt or sign.
    func text(_ index: Int, of characters: [Character]) -> String {
        let end = index + 1 < rows.count ? rows[index + 1].start : characterCount
        return rows[index].lead
            + String(characters[rows[index].start..<end].filter { !$0.isNewline })
    }

    private mutating func add(_ character: Character) {
        if character.isNewline {
            startRow(at: characterCount + 1)
            rows[rows.count - 1].lead = Self.continuation
            column = Self.continuation.reduce(0) { $0 + $1.terminalWidth }
            rows[rows.count - 1].leadWidth = column
        } else {
            fit(character)
        }
        characterCount += 1
    }

    /// Gives the next character a place in the last row, or in a new one if it is full.
    private mutating func fit(_ character: Character) {
        let width = character.terminalWidth
        if column + width > columnCount { startRow(at: characterCount) }
        column += width
    }

    private mutating func startRow(at index: Int) {
        rows.append(Row(start: index))
        column = 0
    }

    private func lastRow(startingUpTo index: Int) -> Int {
        var range = 0..<rows.count
        while range.count > 1 {
            let middle = range.lowerBound + range.count / 2
            range =
                rows[middle].start <= index ? middle..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

extension Character {
    /// The number of columns of the character on a terminal: 2 for the wide characters of East Asia and for emoji.
    var terminalWidth: Int {
        guard let value = unicodeScalars.first?.value, value >= 0x1100 else { return 1 }
        let wide: [ClosedRange<UInt32>] = [
            0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
            0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff,
            0x20000...0x3fffd,
        ]
        return wide.contains { $0.contains(value) } ? 2 : 1
    }
}
