// The standard library's own search for a text links its engine of regular expressions, a megabyte.
extension StringProtocol {
    /// The range of the first occurrence of a text, compared by bytes; nil if there is none.
    func firstOccurrence(of text: String) -> Range<Index>? {
        let start = utf8.indices.first { utf8[$0...].starts(with: text.utf8) }
        return start.map { $0..<utf8.index($0, offsetBy: text.utf8.count) }
    }

    /// The text with each occurrence of `text` replaced.
    func replacingOccurrences(ofText text: String, by other: String) -> String {
        var output = ""
        var rest = self[...]
        while let found = rest.firstOccurrence(of: text) {
            output += rest[..<found.lowerBound] + other
            rest = rest[found.upperBound...]
        }
        return output + rest
    }
}
