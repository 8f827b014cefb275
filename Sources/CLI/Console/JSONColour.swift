/// Adds colours to JSON for a terminal.
enum JSONColour {
    private static let name = "\u{1b}[34m"
    private static let string = "\u{1b}[32m"
    private static let literal = "\u{1b}[33m"
    private static let plain = "\u{1b}[0m"

    /// The same JSON with escape sequences around names, strings, numbers, `true`, `false` and `null`.
    ///
    /// Works on bytes: the text is a server's. A walk by characters does not find a quotation mark that a combining
    /// mark follows, and takes quadratic time for many marks.
    static func coloured(_ json: String) -> String {
        var output: [UInt8] = []
        var rest = Array(json.utf8)[...]
        while let first = rest.first {
            let end: Int
            if first == UInt8(ascii: "\"") {
                end = endOfString(rest)
                let isName = end < rest.endIndex && rest[end] == UInt8(ascii: ":")
                output += (isName ? name : string).utf8
            } else if isLiteral(first) {
                end = rest.firstIndex { !isLiteral($0) } ?? rest.endIndex
                output += literal.utf8
            } else {
                output.append(first)
                rest.removeFirst()
                continue
            }
            output += rest[..<end]
            output += plain.utf8
            rest = rest[end...]
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The index after the string at the start of `text`, including its quotes.
    private static func endOfString(_ text: ArraySlice<UInt8>) -> Int {
        var isEscaped = false
        for index in text.indices.dropFirst() {
            if !isEscaped, text[index] == UInt8(ascii: "\"") { return index + 1 }
            isEscaped = !isEscaped && text[index] == UInt8(ascii: "\\")
        }
        return text.endIndex
    }

    /// Whether numbers and words consist of the byte.
    private static func isLiteral(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
