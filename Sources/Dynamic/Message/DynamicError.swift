/// A value that a message cannot hold, or a field that it does not have, with the path to it.
public struct DynamicError: Error, Hashable, Sendable {
    /// The place in the message, for example `a.b[3].c`; empty for the message itself.
    public var path: String

    /// The problem.
    public var message: String

    /// Makes an error about the value at `path`.
    public init(path: String, message: String) {
        self.path = path
        self.message = message
    }

    /// The same error, with its path relative to the outer message.
    func inside(_ outer: String) -> DynamicError {
        let isIndex = path.utf8.first == UInt8(ascii: "[")
        return DynamicError(
            path: path.isEmpty ? outer : isIndex ? outer + path : "\(outer).\(path)",
            message: message)
    }
}

extension DynamicError: CustomStringConvertible {
    /// The path and the problem on one line. Characters that could hide text are escaped, because the path can
    /// contain keys of maps, and the problem names, that a peer sent.
    public var description: String {
        ErrorText.escaped(path.isEmpty ? message : "\(path): \(message)")
    }
}

extension FormatError {
    /// The same error, with its path relative to the outer message.
    package func inside(_ outer: String) -> FormatError {
        var error = self
        error.path = DynamicError(path: path, message: "").inside(outer).path
        return error
    }
}
