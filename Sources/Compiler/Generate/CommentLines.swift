extension SchemaComments {
    /// The lines of a documentation comment: the comment before the declaration, or else the one
    /// after it.
    var documentationLines: [String] {
        let text = leading ?? trailing ?? ""
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map(Self.cleaned)
        let start = lines.firstIndex { !$0.isEmpty } ?? lines.endIndex
        let end = lines.lastIndex { !$0.isEmpty } ?? lines.startIndex
        return start < lines.endIndex ? Array(lines[start...end]) : []
    }

    /// The line without the space after the slashes, the spaces at its end, and control characters.
    private static func cleaned(_ line: Substring) -> String {
        var line = line.unicodeScalars.filter {
            $0.properties.generalCategory != .control || $0 == "\t"
        }
        if line.first == " " { line.removeFirst() }
        while let last = line.last, last.properties.isWhitespace { line.removeLast() }
        return String(String.UnicodeScalarView(line))
    }
}
