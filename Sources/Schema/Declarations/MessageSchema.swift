public import SwiftletMessages

/// A message type of a schema.
public struct MessageSchema: SchemaElement {
    package let pool: SchemaPool
    package let index: Int

    package init(pool: SchemaPool, index: Int) {
        self.pool = pool
        self.index = index
    }

    private var entry: MessageEntry { pool.messages[index] }
    var layout: MessageLayout { pool.messageLayouts[index] }
    /// The well-known type of the message, recognised by name and fields; nil for any other
    /// message.
    package var wellKnown: WellKnownType? { pool.messages[index].wellKnown }

    /// The descriptor, options included.
    public var descriptor: Google.Protobuf.DescriptorProto { entry.proto }

    /// The name without its scope.
    public var name: String { entry.proto.name ?? "" }

    /// The name with its scope, for example `google.protobuf.Any`.
    public var fullName: String { pool.messages[index].fullName }

    /// The file that declares the message.
    public var file: FileSchema { FileSchema(pool: pool, index: entry.file) }

    /// The message in which it is declared; nil at the top level of a file.
    public var parent: MessageSchema? {
        entry.parent.map { MessageSchema(pool: pool, index: $0) }
    }

    /// The features that apply to the message.
    public var features: SchemaFeatures { entry.features }

    /// The fields in the order of their declaration. Extensions are not included.
    public var fields: [FieldSchema] { entry.fields.map { FieldSchema(pool: pool, index: $0) } }

    /// The oneofs, without those that the compiler makes for a proto3 field with presence.
    public var oneofs: [OneofSchema] {
        entry.oneofs.map { OneofSchema(pool: pool, index: $0) }.filter { !$0.isSynthetic }
    }

    /// The messages that are declared inside it, including the entries of maps.
    public var messages: [MessageSchema] {
        entry.messages.map { MessageSchema(pool: pool, index: $0) }
    }

    /// The enums that are declared inside it.
    public var enums: [EnumSchema] { entry.enums.map { EnumSchema(pool: pool, index: $0) } }

    /// The extensions that are declared inside it, even if they extend other messages.
    public var nestedExtensions: [FieldSchema] {
        entry.extensions.map { FieldSchema(pool: pool, index: $0) }
    }

    /// Whether the compiler has made the type for the entries of a map.
    public var isMapEntry: Bool { layout.entry != nil }

    /// Whether it is a message set. A message set encodes extensions in a special form.
    public var isMessageSet: Bool { layout.isMessageSet }

    /// The field of that name in the `.proto` file; nil when there is none.
    public func field(_ name: String) -> FieldSchema? {
        pool.messages[index].fieldsByName[declared: name].map { FieldSchema(pool: pool, index: $0) }
    }

    /// The field with that number, an extension included; nil when there is none.
    public func field(number: UInt32) -> FieldSchema? {
        pool.fieldIndex(of: index, number: number).map { FieldSchema(pool: pool, index: $0) }
    }

    /// The field of that JSON name; nil when there is none.
    public func field(jsonName: String) -> FieldSchema? {
        // Equal as bytes: Swift's equality of strings ignores how characters are composed.
        guard DeclaredName.canBeKey(jsonName),
            let found = pool.messages[index].fieldsByJSONName[jsonName].map({
                FieldSchema(pool: pool, index: $0)
            }), DeclaredName.isSame(found.jsonName, jsonName)
        else { return nil }
        return found
    }

    /// Whether an extension of the message can have that number.
    public func isExtensionNumber(_ number: UInt32) -> Bool {
        Int32(exactly: number).flatMap(entry.extensionRanges.range(with:)) != nil
    }

    /// The comments around the declaration of the message.
    public var comments: SchemaComments { file.comments(at: path) ?? .init() }

    /// The path of the message in the file, as in `SourceCodeInfo`.
    var path: [Int32] {
        let position = Int32(entry.position)
        guard let parent else { return [4, position] }
        return parent.path + [3, position]
    }
}
