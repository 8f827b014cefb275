import Swiftlet

/// Parses the values of `-H`.
enum HeaderOption {
    /// The metadata of headers such as `x-tenant: blue`. The values of names that end in `-bin` are
    /// base64.
    static func metadata(_ headers: [String]) throws -> Metadata {
        var metadata = Metadata()
        for header in headers {
            guard let colon = header.firstIndex(of: ":") else {
                throw UsageError(message: "-H: '\(header)' has no ':' (expected 'NAME: VALUE')")
            }
            let name = trimmed(header[..<colon])
            let value = trimmed(header[header.index(after: colon)...])
            try UsageError.whenInvalid { try add(value, for: name.lowercased(), to: &metadata) }
        }
        return metadata
    }

    /// Adds a value as text, or as bytes of base64 if the name ends in `-bin`.
    static func add(
        _ value: String, for name: String, to metadata: inout Metadata
    ) throws {
        guard name.hasSuffix("-bin") else { return try metadata.add(value, for: name) }
        guard let bytes = Base64.decode(value.utf8) else {
            throw UsageError(message: "-H: the value of '\(name)' is not base64")
        }
        try metadata.add(bytes: bytes, for: name)
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
