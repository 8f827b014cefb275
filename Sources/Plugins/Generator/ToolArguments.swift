/// The arguments that a plug-in passes: `--output DIR [--settings FILE] [--planned NAME=VALUE]…
/// [--empty-files] [-I DIR]… NAME…`.
struct ToolArguments {
    private(set) var output = ""
    /// The path of a `swiftlet.json`; nil for none.
    private(set) var settings: String?
    /// The settings with which the plug-in planned the build, as `name=value`.
    private(set) var planned: [String] = []
    private(set) var writesEmptyFiles = false
    /// The directories of the files and their imports.
    private(set) var directories: [String] = []
    /// The names by which the files are imported.
    private(set) var files: [String] = []

    init(_ words: ArraySlice<String>) throws(Failure) {
        var rest = words
        while let word = rest.popFirst() {
            switch word {
            case "--output": output = try Self.value(of: word, from: &rest)
            case "--settings": settings = try Self.value(of: word, from: &rest)
            case "--planned": planned.append(try Self.value(of: word, from: &rest))
            case "-I": directories.append(try Self.value(of: word, from: &rest))
            case "--empty-files": writesEmptyFiles = true
            case _ where word.hasPrefix("-"):
                throw Failure(description: "error: unknown option '\(word)'")
            default: files.append(word)
            }
        }
        guard !output.isEmpty else { throw Failure(description: "error: --output is missing") }
    }

    private static func value(
        of option: String, from rest: inout ArraySlice<String>
    ) throws(Failure) -> String {
        guard let value = rest.popFirst() else {
            throw Failure(description: "error: option '\(option)' needs a value")
        }
        return value
    }
}
