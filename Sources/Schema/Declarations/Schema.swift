public import SwiftletMessages

/// The types and services of a set of `.proto` files, known at run time.
///
/// ```swift
/// let schema = try Schema(files)
/// let reply = try schema.requiredMessage("helloworld.HelloReply")
/// ```
///
/// A schema is immutable. Copies share one table, and every declaration that was looked up keeps this table
/// alive. Two declarations are equal when they are the same declaration of the same schema.
public struct Schema: Sendable {
    package let pool: SchemaPool

    package init(pool: SchemaPool) { self.pool = pool }

    /// Makes a schema of files in any order. A file that occurs twice with equal contents counts once.
    ///
    /// The files can come from a server or another program: names, ranges and limits are checked by the rules that
    /// ``ProtoCompiler`` has for source.
    ///
    /// Throws an error that names the file and the declaration when an imported file or a type is
    /// missing, when declarations contradict one another, or when a name or a number is not allowed.
    public init(_ files: [Google.Protobuf.FileDescriptorProto]) throws(SchemaError) {
        var builder = SchemaBuilder()
        pool = try builder.build(files)
    }

    /// Makes a schema of a descriptor set, such as `protoc --include_imports --descriptor_set_out`
    /// writes. Throws as the initializer for files does.
    public init(_ set: Google.Protobuf.FileDescriptorSet) throws(SchemaError) {
        try self.init(set.file)
    }

    /// All files, in the order in which they were passed.
    public var files: [FileSchema] { pool.files.indices.map { FileSchema(pool: pool, index: $0) } }

    /// The file of that name, for example `google/protobuf/any.proto`; nil when there is none.
    public func file(_ name: String) -> FileSchema? {
        pool.fileIndices[name].map { FileSchema(pool: pool, index: $0) }
    }

    /// The message of that full name, for example `google.protobuf.Any`; nil when there is none.
    public func message(_ fullName: String) -> MessageSchema? {
        guard case .message(let index) = pool.symbols[declared: fullName] else { return nil }
        return MessageSchema(pool: pool, index: index)
    }

    /// The message of that full name. Throws when the schema has none.
    public func requiredMessage(_ fullName: String) throws(SchemaError) -> MessageSchema {
        guard let message = message(fullName) else {
            throw SchemaError(
                declaration: fullName, message: "no message has this name; add the file that does")
        }
        return message
    }

    /// The enum of that full name; nil when there is none.
    public func enumeration(_ fullName: String) -> EnumSchema? {
        guard case .enumeration(let index) = pool.symbols[declared: fullName] else { return nil }
        return EnumSchema(pool: pool, index: index)
    }

    /// The service of that full name, for example `helloworld.Greeter`; nil when there is none.
    public func service(_ fullName: String) -> ServiceSchema? {
        guard case .service(let index) = pool.symbols[declared: fullName] else { return nil }
        return ServiceSchema(pool: pool, index: index)
    }

    /// All services of all files.
    public var services: [ServiceSchema] {
        pool.services.indices.map { ServiceSchema(pool: pool, index: $0) }
    }

    /// All messages of all files, nested messages and the entries of maps included.
    public var messages: [MessageSchema] {
        pool.messages.indices.map { MessageSchema(pool: pool, index: $0) }
    }

    /// The field or the extension of that full name, for example `google.api.http`; nil when there is
    /// none.
    public func field(_ fullName: String) -> FieldSchema? {
        guard case .field(let index) = pool.symbols[declared: fullName] else { return nil }
        return FieldSchema(pool: pool, index: index)
    }

    /// The extension of `message` with that number; nil when there is none.
    public func fieldExtension(of message: MessageSchema, number: UInt32) -> FieldSchema? {
        guard message.pool === pool else { return nil }
        return pool.extensionIndex(of: message.index, number: number).map {
            FieldSchema(pool: pool, index: $0)
        }
    }

    /// All extensions of `message`, by ascending number.
    public func extensions(of message: MessageSchema) -> [FieldSchema] {
        guard message.pool === pool else { return [] }
        return pool.messages[message.index].extensionsByNumber.inOrder { $0.key < $1.key }
            .map { FieldSchema(pool: pool, index: $0.value) }
    }
}
