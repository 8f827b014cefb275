public import SwiftletMessages

/// A `.proto` file of a schema.
public struct FileSchema: SchemaElement {
    package let pool: SchemaPool
    package let index: Int

    private var entry: FileEntry { pool.files[index] }

    /// The descriptor, options included.
    public var descriptor: Google.Protobuf.FileDescriptorProto { entry.proto }

    /// The name by which other files import it, for example `google/protobuf/any.proto`.
    public var name: String { entry.proto.name ?? "" }

    /// The same as ``name``.
    public var fullName: String { name }

    /// The package; empty when the file names none.
    public var package: String { entry.proto.package ?? "" }

    /// The features that apply to the file as a whole.
    public var features: SchemaFeatures { entry.features }

    /// The files that the file imports.
    public var dependencies: [FileSchema] {
        entry.dependencies.map { FileSchema(pool: pool, index: $0) }
    }

    /// The messages at the top level of the file.
    public var messages: [MessageSchema] {
        entry.messages.map { MessageSchema(pool: pool, index: $0) }
    }

    /// The enums at the top level of the file.
    public var enums: [EnumSchema] { entry.enums.map { EnumSchema(pool: pool, index: $0) } }

    /// The services of the file.
    public var services: [ServiceSchema] {
        entry.services.map { ServiceSchema(pool: pool, index: $0) }
    }

    /// The extensions at the top level of the file.
    public var extensions: [FieldSchema] {
        entry.extensions.map { FieldSchema(pool: pool, index: $0) }
    }

    /// The comments around the `syntax` or `edition` line of the file.
    public var comments: SchemaComments { comments(at: [12]) ?? comments(at: [14]) ?? .init() }

    /// The comments around the declaration at `path`, which is a path of `SourceCodeInfo`.
    func comments(at path: [Int32]) -> SchemaComments? { entry.comments[path] }
}
