public import SwiftletMessages

/// A field of a message, or an extension.
public struct FieldSchema: SchemaElement {
    package let pool: SchemaPool
    package let index: Int

    package init(pool: SchemaPool, index: Int) {
        self.pool = pool
        self.index = index
    }

    private var entry: FieldEntry { pool.fields[index] }
    package var layout: FieldLayout { pool.layouts[index] }

    /// The descriptor, options included.
    public var descriptor: Google.Protobuf.FieldDescriptorProto { entry.proto }

    /// The name in the `.proto` file.
    public var name: String { pool.fields[index].proto.name ?? "" }

    /// The name with its scope: the full name of the message, or the scope that declares the extension.
    public var fullName: String { pool.fields[index].fullName }

    /// The name in JSON; an extension is written as `[full.name]`.
    public var jsonName: String { pool.fields[index].jsonName }

    /// The number, from 1 to 536870911.
    public var number: UInt32 { layout.number }

    /// The type of the values.
    public var type: FieldType { layout.type }

    /// The file that declares the field.
    public var file: FileSchema { FileSchema(pool: pool, index: entry.file) }

    /// The message that has the field. For an extension, this is the extended message.
    public var containingMessage: MessageSchema {
        MessageSchema(pool: pool, index: pool.fields[index].message)
    }

    /// The message in which the field is declared; nil for an extension at the top level of a file.
    public var parent: MessageSchema? {
        entry.parent.map { MessageSchema(pool: pool, index: $0) }
    }

    public var isExtension: Bool { entry.isExtension }

    /// Whether the field is a list. False for a map.
    public var isList: Bool { layout.shape == .list }

    public var isMap: Bool { layout.shape == .map }

    public var isRequired: Bool { layout.shape == .required }

    /// Whether a message distinguishes an absent field from a field that has the default value.
    public var hasPresence: Bool { layout.hasPresence }

    /// Whether a list is encoded packed. Both forms are decoded.
    public var isPacked: Bool { layout.isPacked }

    /// Whether a string that is not UTF-8 is an error.
    public var validatesUTF8: Bool { layout.validatesUTF8 }

    /// The features that apply to the field.
    public var features: SchemaFeatures { entry.features }

    /// The message type of the values, or of the entries of a map; nil for other types.
    public var message: MessageSchema? {
        type.isMessage ? MessageSchema(pool: pool, index: layout.targetIndex) : nil
    }

    /// The enum of the values; nil for other types.
    public var enumeration: EnumSchema? {
        type == .enumeration ? EnumSchema(pool: pool, index: layout.targetIndex) : nil
    }

    /// The key of a map; nil for other fields.
    public var mapKey: FieldSchema? {
        guard isMap, let entry = pool.messageLayouts[layout.targetIndex].entry else { return nil }
        return FieldSchema(pool: pool, index: Int(entry.key))
    }

    /// The value of a map; nil for other fields.
    public var mapValue: FieldSchema? {
        guard isMap, let entry = pool.messageLayouts[layout.targetIndex].entry else { return nil }
        return FieldSchema(pool: pool, index: Int(entry.value))
    }

    /// The oneof that the field belongs to. Nil when it belongs to none, or to one that the compiler made for
    /// a proto3 field with presence.
    public var oneof: OneofSchema? {
        guard layout.oneof >= 0 else { return nil }
        let oneof = OneofSchema(pool: pool, index: Int(layout.oneof))
        return oneof.isSynthetic ? nil : oneof
    }

    /// The value of the field when it is absent: the declared default, else zero, empty, or the first value of the
    /// enum. Nil for a list, a map and a message.
    package var scalarDefault: FieldDefault? {
        layout.isSingular && !type.isMessage ? pool.fields[index].defaultValue : nil
    }

    /// Whether the `.proto` file declares a default.
    public var hasExplicitDefault: Bool { entry.hasExplicitDefault }

    /// Whether it is a delimited field that is named after its message, like a group.
    package var isGroupLike: Bool { entry.isGroupLike }

    /// The comments around the declaration of the field.
    public var comments: SchemaComments { file.comments(at: path) ?? .init() }

    private var path: [Int32] {
        let position = Int32(entry.position)
        guard let parent else { return [7, position] }
        return parent.path + [isExtension ? 6 : 2, position]
    }
}
