import Swiftlet

/// Parses the values of `-H`: a header such as `x-tenant: blue`, or `@FILE` for a file with a header on each
/// line.
enum HeaderOption {
    static let options: [CommandOption] = [
        .value(
            "H", "header", named: "'NAME: VALUE'|@FILE",
            help: "metadata to send, or a file with a header on each line; the value of a name "
                + "that ends in -bin is base64"),
        .flag(
            "expand-headers",
            help: "replaces ${NAME} in values of headers with an environment variable, and "
                + "${@FILE} with the content of a file"),
    ]

    /// The headers of the command line, each as `NAME: VALUE`.
    static func lines(_ arguments: Arguments) throws -> [String] {
        try lines(arguments.all("-H"), expands: arguments.has("--expand-headers"))
    }

    /// Reads the files of `@FILE`, in which empty lines and lines that begin with `#` are ignored.
    ///
    /// - Parameters:
    ///   - headers: The values of `-H`.
    ///   - expands: Whether `${NAME}` and `${@FILE}` are replaced. They allow secrets that are not among the
    ///     arguments of the process, which other users can see.
    static func lines(_ headers: [String], expands: Bool) throws -> [String] {
        let all = try headers.flatMap { header -> [String] in
            guard header.hasPrefix("@") else {
                try expectName(header, "-H: '\(header)'")
                return [header]
            }
            return try lines(ofFile: String(header.dropFirst()))
        }
        return expands ? try all.map(expanded) : all
    }

    /// The metadata of lines such as `x-tenant: blue`. The values of names that end in `-bin` are base64.
    static func metadata(_ lines: [String]) throws -> Metadata {
        var metadata = Metadata()
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (trimmed(parts[0]), trimmed(parts.count > 1 ? parts[1] : ""))
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
}

// MARK: - Files and variables

extension HeaderOption {
    private static func lines(ofFile path: String) throws -> [String] {
        let content = try Arguments.contents(of: path)
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return try lines.enumerated().compactMap { index, bytes in
            let line = String(decoding: bytes.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
            guard let first = trimmed(line[...]).first, first != "#" else { return nil }
            // The line may be a secret, so it is not shown.
            try expectName(line, "-H: line \(index + 1) of '\(path)'")
            return line
        }
    }

    private static func expectName(_ line: String, _ subject: String) throws {
        guard !line.utf8.contains(UInt8(ascii: ":")) else { return }
        throw UsageError(message: "\(subject) has no ':' (expected 'NAME: VALUE')")
    }

    /// The header with its variables and files replaced. Other text between `${` and `}` is kept.
    private static func expanded(_ line: String) throws -> String {
        guard let last = line.lastIndex(of: "}") else { return line }
        var output = ""
        var rest = line[...]
        while let start = rest.firstOccurrence(of: "${"), start.upperBound <= last {
            let after = rest[start.upperBound...]
            let isFile = after.first == "@"
            let inner = after.prefix { isFile ? $0 != "}" : isInName($0) }
            output += rest[..<start.lowerBound]
            guard rest[inner.endIndex...].first == "}", let value = try value(of: inner) else {
                output += "${"
                rest = rest[start.upperBound...]
                continue
            }
            output += value
            rest = rest[inner.endIndex...].dropFirst()
        }
        return output + rest
    }

    private static func isInName(_ character: Character) -> Bool {
        character == "_" || character.isLetter || character.isNumber
    }

    /// The value of `NAME` or `@FILE`; nil for other text.
    private static func value(of reference: Substring) throws -> String? {
        if reference.hasPrefix("@") {
            var bytes = try Arguments.contents(of: String(reference.dropFirst()))
            if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            return String(decoding: bytes, as: UTF8.self)
        }
        guard let first = reference.first, !first.isNumber else { return nil }
        guard let value = Terminal.value(of: String(reference)) else {
            throw UsageError(
                message: "-H: the environment variable '\(reference)' is not set",
                isAboutUsage: false)
        }
        return value
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
