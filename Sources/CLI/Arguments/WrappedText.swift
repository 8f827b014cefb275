/// Breaks text into lines that fit into a terminal of the usual width.
enum WrappedText {
    static let columnCount = 80

    /// Breaks a text at its spaces. A word that is too long has a line of its own.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - first: The start of the first line.
    ///   - indent: The count of spaces before the other lines.
    ///   - end: The end of each line but the last.
    ///   - isCommand: Whether the text is a command line: text in brackets or between apostrophes is then one
    ///     word, and so is an option with its value.
    static func text(
        _ text: String, first: String = "", indent: Int = 0, end: String = "",
        isCommand: Bool = false
    ) -> String {
        var lines: [String] = []
        var line = first
        var isEmpty = true
        let words =
            isCommand
            ? commandWords(text) : text.split(whereSeparator: \.isWhitespace).map(String.init)
        for word in words {
            if !isEmpty, line.count + 1 + word.count + end.count > columnCount {
                lines.append(line + end)
                line = String(repeating: " ", count: indent)
                isEmpty = true
            }
            line += isEmpty ? word : " " + word
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n")
    }

    private static func commandWords(_ text: String) -> [String] {
        var words: [String] = []
        var depth = 0
        var isQuoted = false
        for part in text.split(whereSeparator: \.isWhitespace) {
            let last = words.last ?? ""
            let needsValue = last.hasPrefix("-") && !last.contains { $0 == " " || $0 == "=" }
            if depth > 0 || isQuoted || (needsValue && !part.hasPrefix("-")) {
                words[words.count - 1] += " " + part
            } else {
                words.append(String(part))
            }
            if part.hasPrefix("'") { isQuoted = true }
            if part.dropFirst().contains("'") { isQuoted = false }
            depth += part.count { "[(".contains($0) } - part.count { "])".contains($0) }
        }
        return words
    }
}
