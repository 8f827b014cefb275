/// Adds colours to JSON for a terminal.
enum JSONColour {
    private static let name = "\u{1b}[34m"
    private static let string = "\u{1b}[32m"
    private static let literal = "\u{1b}[33m"
    private static let plain = "\u{1b}[0m"

    /// The same JSON with escape sequences around names, strings, numbers, `true`, `false` and `null`.
    static func coloured(_ json: String) -> String {
        var output = ""
        var rest = json[...]
        while let first = rest.first {
            let token: Substring
            if first == "\"" {
                token = quoted(rest)
                let isName = rest[token.endIndex...].first == ":"
                output += (isName ? name : string) + token + plain
            } else if first.isNumber || first.isLetter || first == "-" {
                token = rest.prefix { $0.isNumber || $0.isLetter || "+-.".contains($0) }
                output += literal + token + plain
            } else {
                token = rest.prefix(1)
                output += token
            }
            rest = rest[token.endIndex...]
        }
        return output
    }

    /// The string at the start of `text`, including its quotes.
    private static func quoted(_ text: Substring) -> Substring {
        var isEscaped = false
        for index in text.indices.dropFirst() {
            if !isEscaped, text[index] == "\"" { return text[...index] }
            isEscaped = !isEscaped && text[index] == "\\"
        }
        return text
    }
}
