public import SwiftletMessages

/// A message type of a schema.
public struct MessageSchema: SchemaElement {
    let pool: SchemaPool
    let index: Int

    private var entry: MessageEntry { pool.messages[index] }
    var layout: MessageLayout { pool.messageLayouts[index] }
    /// The well-known type of the message, recognised by name and fields; nil for any other
    /// message.
    var wellKnown: WellKnownType? { pool.messages[index].wellKnown }

    /// The descriptor, options included.
    public var descriptor: Google.Protobuf.DescriptorProto { entry.proto }

    /// The name without its scope.
    public var name: String { entry.proto.name ?? "" }

    /// The name with its scope, for example `google.protobuf.Any`.
    public var fullName: String { pool.messages[index].fullName }

    /// The file that declares it.
    public var file: FileSchema { FileSchema(pool: pool, index: entry.file) }

    /// The message that it is declared in; nil at the top level of a file.
    public var parent: MessageSchema? {
        entry.parent.map { MessageSchema(pool: pool, index: $0) }
    }

    /// The features that apply to it.
    public var features: SchemaFeatures { entry.features }

    /// Its fields in the order of their declaration. Extensions are not among them.
    public var fields: [FieldSchema] { entry.fields.map { FieldSchema(pool: pool, index: $0) } }

    /// Its oneofs, without those that the compiler makes for a proto3 field with presence.
    public var oneofs: [OneofSchema] {
        entry.oneofs.map { OneofSchema(pool: pool, index: $0) }.filter { !$0.isSynthetic }
    }

    /// The messages inside it, the entries of maps included.
    public var messages: [MessageSchema] {
        entry.messages.map { MessageSchema(pool: pool, index: $0) }
    }

    /// The enums inside it.
    public var enums: [EnumSchema] { entry.enums.map { EnumSchema(pool: pool, index: $0) } }

    /// The extensions that are declared inside it, whatever message they extend.
    public var nestedExtensions: [FieldSchema] {
        entry.extensions.map { FieldSchema(pool: pool, index: $0) }
    }

    /// Whether it is the type that the compiler makes for the entries of a map.
    public var isMapEntry: Bool { layout.entry != nil }

    /// Whether it is a message set, which encodes extensions in a form of its own.
    public var isMessageSet: Bool { layout.isMessageSet }

    /// The field of that name in the `.proto` file; nil when there is none.
    public func field(_ name: String) -> FieldSchema? {
        pool.messages[index].fieldsByName[name].map { FieldSchema(pool: pool, index: $0) }
    }

    /// The field with that number, an extension included; nil when there is none.
    public func field(number: UInt32) -> FieldSchema? {
        pool.fieldIndex(of: index, number: number).map { FieldSchema(pool: pool, index: $0) }
    }

    /// The field of that JSON name; nil when there is none.
    public func field(jsonName: String) -> FieldSchema? {
        pool.messages[index].fieldsByJSONName[jsonName].map { FieldSchema(pool: pool, index: $0) }
    }

    /// Whether an extension of the message can have that number.
    public func isExtensionNumber(_ number: UInt32) -> Bool {
        entry.proto.extensionRange.contains {
            Int64($0.start ?? 0) <= Int64(number) && Int64(number) < Int64($0.end ?? 0)
        }
    }

    /// The comments around its declaration.
    public var comments: SchemaComments { file.comments(at: path) ?? .init() }

    /// Its path in the file, as in `SourceCodeInfo`.
    var path: [Int32] {
        let position = Int32(entry.position)
        guard let parent else { return [4, position] }
        return parent.path + [3, position]
    }
}
