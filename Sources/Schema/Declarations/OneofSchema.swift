public import SwiftletMessages

/// A oneof of a message.
public struct OneofSchema: SchemaElement {
    package let pool: SchemaPool
    package let index: Int

    private var entry: OneofEntry { pool.oneofs[index] }

    /// The descriptor, options included.
    public var descriptor: Google.Protobuf.OneofDescriptorProto { entry.proto }

    /// The name in the `.proto` file.
    public var name: String { entry.proto.name ?? "" }

    /// The name with the full name of its message.
    public var fullName: String { entry.fullName }

    /// The message that contains the oneof.
    public var message: MessageSchema { MessageSchema(pool: pool, index: entry.message) }

    /// The fields of the oneof in the order of their declaration.
    public var fields: [FieldSchema] { entry.fields.map { FieldSchema(pool: pool, index: $0) } }

    var isSynthetic: Bool { pool.oneofs[index].isSynthetic }

    /// The comments around the declaration of the oneof.
    public var comments: SchemaComments {
        message.file.comments(at: message.path + [8, Int32(entry.position)]) ?? .init()
    }
}
