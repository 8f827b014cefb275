public import SwiftletMessages

/// An enum of a schema.
public struct EnumSchema: SchemaElement {
    /// A value of an enum.
    public struct Value: Hashable, Sendable {
        /// The name in the `.proto` file.
        public let name: String
        /// The number.
        public let number: Int32
        let position: Int
    }

    package let pool: SchemaPool
    package let index: Int

    private var entry: EnumEntry { pool.enums[index] }

    /// The descriptor, options included.
    public var descriptor: Google.Protobuf.EnumDescriptorProto { entry.proto }

    /// The name without its scope.
    public var name: String { entry.proto.name ?? "" }

    /// The name with its scope.
    public var fullName: String { pool.enums[index].fullName }

    /// The file that declares the enum.
    public var file: FileSchema { FileSchema(pool: pool, index: entry.file) }

    /// The message in which the enum is declared; nil at the top level of a file.
    public var parent: MessageSchema? {
        entry.parent.map { MessageSchema(pool: pool, index: $0) }
    }

    /// Whether decoding keeps a number that no value has as an unknown field.
    public var isClosed: Bool { pool.enums[index].isClosed }

    /// The values in the order of their declaration, aliases included.
    public var values: [Value] { entry.proto.value.indices.map(value(at:)) }

    /// The number of the value of that name; nil when there is none.
    public func number(_ name: String) -> Int32? { pool.enums[index].numbers[declared: name] }

    /// The first name with that number; nil when there is none.
    public func name(_ number: Int32) -> String? {
        pool.enums[index].positions[number].flatMap { entry.proto.value[$0].name }
    }

    /// Whether a value has that number.
    public func contains(_ number: Int32) -> Bool { pool.enums[index].positions[number] != nil }

    /// The comments around the declaration of the enum.
    public var comments: SchemaComments { file.comments(at: path) ?? .init() }

    /// The comments around the declaration of one of its values.
    public func comments(of value: Value) -> SchemaComments {
        file.comments(at: path + [2, Int32(value.position)]) ?? .init()
    }

    private func value(at position: Int) -> Value {
        let proto = entry.proto.value[position]
        return Value(name: proto.name ?? "", number: proto.number ?? 0, position: position)
    }

    private var path: [Int32] {
        let position = Int32(entry.position)
        guard let parent else { return [5, position] }
        return parent.path + [4, position]
    }
}
