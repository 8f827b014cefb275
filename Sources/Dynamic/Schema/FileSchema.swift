public import SwiftletMessages

/// A `.proto` file of a schema.
public struct FileSchema: SchemaElement {
    let pool: SchemaPool
    let index: Int

    private var entry: FileEntry { pool.files[index] }

    /// The descriptor, options included.
    public var descriptor: Google.Protobuf.FileDescriptorProto { entry.proto }

    /// The name that others import it by, for example `google/protobuf/any.proto`.
    public var name: String { entry.proto.name ?? "" }

    /// The same as ``name``.
    public var fullName: String { name }

    /// The package; empty when the file names none.
    public var package: String { entry.proto.package ?? "" }

    /// The features that apply to the file as a whole.
    public var features: SchemaFeatures { entry.features }

    /// The files that it imports.
    public var dependencies: [FileSchema] {
        entry.dependencies.map { FileSchema(pool: pool, index: $0) }
    }

    /// The messages at its top level.
    public var messages: [MessageSchema] {
        entry.messages.map { MessageSchema(pool: pool, index: $0) }
    }

    /// The enums at its top level.
    public var enums: [EnumSchema] { entry.enums.map { EnumSchema(pool: pool, index: $0) } }

    /// Its services.
    public var services: [ServiceSchema] {
        entry.services.map { ServiceSchema(pool: pool, index: $0) }
    }

    /// The extensions at its top level.
    public var extensions: [FieldSchema] {
        entry.extensions.map { FieldSchema(pool: pool, index: $0) }
    }

    /// The comments around its `syntax` or `edition` line.
    public var comments: SchemaComments { comments(at: [12]) ?? comments(at: [14]) ?? .init() }

    /// The comments around the declaration at `path`, which is a path of `SourceCodeInfo`.
    func comments(at path: [Int32]) -> SchemaComments? { entry.comments[path] }
}
