import SwiftletMessages

/// The declarations of a schema, one table for each kind.
///
/// Declarations refer to one another by index, so that recursive messages make no reference cycle. The values
/// that callers get, such as ``MessageSchema``, retain the pool. The pool retains none of these values.
package final class SchemaPool: Sendable {
    /// A declaration with a full name: its kind, and its index in the table of that kind.
    enum Symbol: Sendable {
        case package
        case message(Int)
        case enumeration(Int)
        case field(Int)
        case service(Int)
        case method(Int)
        case oneof(Int)
        case enumValue(Int)
    }

    let files: [FileEntry]
    let messages: [MessageEntry]
    let fields: [FieldEntry]
    let oneofs: [OneofEntry]
    let enums: [EnumEntry]
    let services: [ServiceEntry]
    let methods: [MethodEntry]

    let fileIndices: [String: Int]
    let symbols: [String: Symbol]

    /// The layout of each field, by the index of the field.
    package let layouts: [FieldLayout]
    /// The layout of each message, by the index of the message.
    package let messageLayouts: [MessageLayout]
    package let tables: FieldTables
    /// A range of the numbers of each enum, by the index of the enum.
    package let enumRuns: [NumberRun]

    init(_ builder: SchemaBuilder) {
        files = builder.files
        messages = builder.messages
        fields = builder.fields
        oneofs = builder.oneofs
        enums = builder.enums
        services = builder.services
        methods = builder.methods
        fileIndices = builder.fileIndices
        symbols = builder.symbols
        layouts = builder.layouts
        messageLayouts = builder.messageLayouts
        tables = builder.tables
        enumRuns = builder.enums.map { NumberRun(in: $0) }
    }

    /// The field of `message` with that number, an extension included; nil when there is none.
    @inline(__always)
    func fieldIndex(of message: Int, number: UInt32) -> Int? {
        let index = tables.index(of: number, in: message, messageLayouts[message])
        return index >= 0 ? index : extensionIndex(of: message, number: number)
    }

    package func extensionIndex(of message: Int, number: UInt32) -> Int? {
        messages[message].extensionsByNumber[number]
    }

    /// Whether the enum has a value of that number.
    package func isValue(_ number: Int32, ofEnum index: Int) -> Bool {
        enums[index].positions[number] != nil
    }
}

/// A file and what it declares at its top level.
struct FileEntry: Sendable {
    let proto: Google.Protobuf.FileDescriptorProto
    let features: SchemaFeatures
    let comments: [[Int32]: SchemaComments]
    var dependencies: [Int] = []
    var messages: [Int] = []
    var enums: [Int] = []
    var services: [Int] = []
    var extensions: [Int] = []
}

struct MessageEntry: Sendable {
    let proto: Google.Protobuf.DescriptorProto
    let fullName: String
    let file: Int
    /// The message in which it is declared.
    let parent: Int?
    /// The index among the messages of the file, or of the parent.
    let position: Int
    let features: SchemaFeatures
    let extensionRanges: ExtensionRanges
    var fields: Range<Int> = 0..<0
    var oneofs: Range<Int> = 0..<0
    var messages: [Int] = []
    var enums: [Int] = []
    var extensions: [Int] = []
    var fieldsByName: [String: Int] = [:]
    var fieldsByJSONName: [String: Int] = [:]
    var extensionsByNumber: [UInt32: Int] = [:]
    var wellKnown: WellKnownType?
}

struct FieldEntry: Sendable {
    let proto: Google.Protobuf.FieldDescriptorProto
    let fullName: String
    let jsonName: String
    let file: Int
    /// The message in which it is declared; nil for an extension at the top level of a file.
    let parent: Int?
    /// The index among the fields, or the extensions, of the parent or the file.
    let position: Int
    let isExtension: Bool
    let features: SchemaFeatures
    /// The message that has the field. For an extension, this is the extended message.
    var message = 0
    /// Only read for a singular field that is not a message.
    var defaultValue: FieldDefault = .bool(false)
    var hasExplicitDefault = false
    /// Whether it is a delimited field that is named after its message, like a group.
    var isGroupLike = false
}

struct OneofEntry: Sendable {
    let proto: Google.Protobuf.OneofDescriptorProto
    let fullName: String
    let message: Int
    let position: Int
    var fields: [Int] = []
    /// Whether the compiler made the oneof for a proto3 field with presence.
    var isSynthetic = false
}

struct EnumEntry: Sendable {
    let proto: Google.Protobuf.EnumDescriptorProto
    let fullName: String
    let file: Int
    let parent: Int?
    let position: Int
    let isClosed: Bool
    var numbers: [String: Int32] = [:]
    /// The first value of each number.
    var positions: [Int32: Int] = [:]
}

/// The longest range of numbers without a gap that contains the number of the first value of an enum. Most
/// enums have no other numbers, so they need no look-up in a table.
@usableFromInline
package struct NumberRun: Sendable {
    @usableFromInline private(set) var low: Int32 = 1
    @usableFromInline private(set) var high: Int32 = 0

    init(in entry: EnumEntry) {
        guard let first = entry.proto.value.first?.number ?? entry.positions.keys.first else {
            return
        }
        low = first
        high = first
        while low > .min, entry.positions[low - 1] != nil { low -= 1 }
        while high < .max, entry.positions[high + 1] != nil { high += 1 }
    }

    @inlinable @inline(__always)
    package func contains(_ number: Int32) -> Bool { low <= number && number <= high }
}

struct ServiceEntry: Sendable {
    let proto: Google.Protobuf.ServiceDescriptorProto
    let fullName: String
    let file: Int
    let position: Int
    var methods: Range<Int> = 0..<0
}

struct MethodEntry: Sendable {
    let proto: Google.Protobuf.MethodDescriptorProto
    let fullName: String
    let service: Int
    let position: Int
    var input = 0
    var output = 0
}
