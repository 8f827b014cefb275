/// Draws an edited text on a terminal. It replaces the text that was drawn before.
struct LineView {
    private static let continuation = "… "

    var prompt: String
    /// The rows above the row of the cursor.
    private var rowsAbove = 0

    init(prompt: String) { self.prompt = prompt }

    /// The bytes that draw the text and move the cursor to its place.
    ///
    /// - Parameters:
    ///   - characters: The text.
    ///   - cursor: The index of the character after the cursor.
    ///   - columnCount: The width of the terminal.
    ///   - rowCount: The height of the terminal. If the text is higher, only rows around the cursor are drawn.
    mutating func draw(
        _ characters: [Character], cursor: Int, columnCount: Int, rowCount: Int
    ) -> String {
        let layout = Layout(
            characters, cursor: cursor, prompt: prompt, continuation: Self.continuation,
            columnCount: max(columnCount, 2))
        let height = max(1, rowCount)
        let first = max(0, layout.cursorRow - height + 1)
        let shown = layout.rows[first..<min(layout.rows.count, first + height)]
        var output = erase() + shown.joined(separator: "\r\n")
        let below = shown.endIndex - 1 - layout.cursorRow
        if below > 0 { output += "\u{1b}[\(below)A" }
        output += "\r"
        if layout.cursorColumn > 0 { output += "\u{1b}[\(layout.cursorColumn)C" }
        rowsAbove = layout.cursorRow - first
        return output
    }

    /// The bytes that remove the text that was drawn before.
    mutating func erase() -> String {
        defer { rowsAbove = 0 }
        return (rowsAbove > 0 ? "\u{1b}[\(rowsAbove)A" : "") + "\r\u{1b}[J"
    }

    /// The bytes that draw the text for the last time. The text stays on the terminal, and the next drawing
    /// begins below it.
    mutating func finish(
        _ characters: [Character], columnCount: Int, rowCount: Int
    ) -> String {
        let drawing = draw(
            characters, cursor: characters.count, columnCount: columnCount, rowCount: rowCount)
        rowsAbove = 0
        return drawing + "\r\n"
    }
}

/// The rows of a text on a terminal.
private struct Layout {
    private(set) var rows: [String] = [""]
    private(set) var cursorRow = 0
    private(set) var cursorColumn = 0
    private let columnCount: Int
    private var column = 0

    init(
        _ characters: [Character], cursor: Int, prompt: String, continuation: String,
        columnCount: Int
    ) {
        self.columnCount = columnCount
        for character in prompt { add(character) }
        for (index, character) in characters.enumerated() {
            if index == cursor { markCursor() }
            if character.isNewline {
                startRow()
                for character in continuation { add(character) }
            } else {
                add(character)
            }
        }
        if column == columnCount { startRow() }
        if cursor == characters.count { markCursor() }
    }

    private mutating func add(_ character: Character) {
        let width = character.terminalWidth
        if column + width > columnCount { startRow() }
        rows[rows.count - 1].append(character)
        column += width
    }

    private mutating func startRow() {
        rows.append("")
        column = 0
    }

    private mutating func markCursor() {
        // After a full row, the cursor is at the start of the next row.
        cursorRow = column == columnCount ? rows.count : rows.count - 1
        cursorColumn = column == columnCount ? 0 : column
    }
}

extension Character {
    /// The number of columns of the character on a terminal: 2 for the wide characters of East Asia and for emoji.
    fileprivate var terminalWidth: Int {
        guard let value = unicodeScalars.first?.value, value >= 0x1100 else { return 1 }
        let wide: [ClosedRange<UInt32>] = [
            0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
            0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff,
            0x20000...0x3fffd,
        ]
        return wide.contains { $0.contains(value) } ? 2 : 1
    }
}
