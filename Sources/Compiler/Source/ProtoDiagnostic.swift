/// A mistake in a `.proto` file, or a warning about it.
public struct ProtoDiagnostic: Error, Hashable, Sendable {
    /// Whether a file can be compiled in spite of the diagnostic.
    public enum Severity: String, Sendable { case error, warning }

    /// An error by default.
    public var severity = Severity.error

    /// The name by which the file is imported.
    public var file: String

    /// The line, from 1; 0 when the mistake is not in the text of the file, for example when the
    /// file is missing.
    public var line: Int

    /// The column, from 1, in bytes; a tab ends at the next multiple of 8.
    public var column: Int

    /// The mistake, and what was expected.
    public var message: String

    /// Makes a diagnostic.
    public init(
        _ severity: Severity = .error, file: String, line: Int, column: Int, message: String
    ) {
        self.severity = severity
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }
}

extension ProtoDiagnostic: CustomStringConvertible {
    public var description: String {
        line == 0 ? "\(file): \(message)" : "\(file):\(line):\(column): \(message)"
    }
}

/// The reason why files were not compiled: all mistakes that were found, in the order of the files.
public struct ProtoCompilationError: Error, Hashable, Sendable {
    /// At least one; at most 100 for each file.
    public var diagnostics: [ProtoDiagnostic]

    /// Makes an error of the mistakes.
    public init(_ diagnostics: [ProtoDiagnostic]) { self.diagnostics = diagnostics }
}

extension ProtoCompilationError: CustomStringConvertible {
    public var description: String {
        diagnostics.map(\.description).joined(separator: "\n")
    }
}
