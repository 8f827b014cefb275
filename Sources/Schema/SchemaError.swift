/// A schema that cannot be used: a type is missing, a declaration contradicts another one, or a name or a number
/// is not allowed.
public struct SchemaError: Error, Hashable, Sendable {
    /// The file that contains the declaration, for example `google/protobuf/any.proto`; empty when
    /// the declaration is in no file.
    public var file: String

    /// The full name of the declaration, for example `google.protobuf.Any.value`.
    public var declaration: String

    /// The problem, and what to do.
    public var message: String

    /// Makes an error about one declaration.
    public init(file: String = "", declaration: String, message: String) {
        self.file = file
        self.declaration = declaration
        self.message = message
    }
}

extension SchemaError: CustomStringConvertible {
    public var description: String {
        file.isEmpty ? "\(declaration): \(message)" : "\(file): \(declaration): \(message)"
    }
}
