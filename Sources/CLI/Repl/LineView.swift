/// Draws an edited text on a terminal. It replaces the text that was drawn before.
struct LineView {
    var prompt: String
    /// The rows of the text that was drawn last, so that only those that change are made again.
    private var rows = TextRows()
    /// The rows above the row of the cursor.
    private var rowsAbove = 0

    init(prompt: String) { self.prompt = prompt }

    /// The bytes that draw the text and move the cursor to its place.
    ///
    /// - Parameters:
    ///   - characters: The text.
    ///   - unchangedCount: How many characters at its start are those of the last drawing.
    ///   - cursor: The index of the character after the cursor.
    ///   - columnCount: The width of the terminal.
    ///   - rowCount: The height of the terminal. If the text is higher, only rows around the cursor are drawn.
    mutating func draw(
        _ characters: [Character], unchangedCount: Int = 0, cursor: Int, columnCount: Int,
        rowCount: Int
    ) -> String {
        rows.begin(
            prompt: prompt, columnCount: max(columnCount, 2), unchangedCount: unchangedCount)
        let height = max(1, rowCount)
        let place = rows.place(of: cursor, in: characters, rowsBelow: height)
        let first = max(0, place.row - height + 1)
        let shown = first..<min(rows.count, first + height)
        var output =
            erase() + shown.map { rows.text($0, of: characters) }.joined(separator: "\r\n")
        let below = shown.upperBound - 1 - place.row
        if below > 0 { output += "\u{1b}[\(below)A" }
        output += "\r"
        if place.column > 0 { output += "\u{1b}[\(place.column)C" }
        rowsAbove = place.row - first
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
