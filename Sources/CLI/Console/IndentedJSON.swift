import SwiftletLoopback

/// Writes JSON with an element on each line, for programs and people. Values are JSON already.
enum IndentedJSON {
    static func object(_ members: [(name: String, json: String)]) -> String {
        guard !members.isEmpty else { return "{}" }
        let lines = members.map { "  \"\($0.name)\": \(indented($0.json))" }
        return "{\n\(lines.joined(separator: ",\n"))\n}"
    }

    static func list(_ elements: [String]) -> String {
        guard !elements.isEmpty else { return "[]" }
        return "[\n  " + elements.map(indented).joined(separator: ",\n  ") + "\n]"
    }

    /// A string; `null` for nil.
    static func text(_ text: String?) -> String { text.map { JSONText.quoted($0) } ?? "null" }

    /// A list of strings.
    static func texts(_ texts: [String]) -> String { list(texts.map { JSONText.quoted($0) }) }

    /// Strings of JSON contain no new lines.
    private static func indented(_ json: String) -> String {
        json.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
    }
}
