import SwiftletMessages

/// A message with a field of each type in each shape.
struct Everything: Message {
    enum Choice: Equatable {
        case text(String)
        case number(Int32)
        case child(Child)
    }

    struct Colour: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }
        static let red = Colour(rawValue: 0)
        static let green = Colour(rawValue: 1)

        var name: String? {
            switch self {
            case .red: "RED"
            case .green: "GREEN"
            default: nil
            }
        }
    }

    struct Child: Message {
        var id: Int32 = 0
        var tags: [String] = []
        var unknownFields = UnknownFields()

        mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int32(1, &id)
            try field.string(2, &tags)
        }
    }

    var int32: Int32 = 0
    var int64: Int64 = 0
    var uint32: UInt32 = 0
    var uint64: UInt64 = 0
    var sint32: Int32 = 0
    var sint64: Int64 = 0
    var fixed32: UInt32 = 0
    var fixed64: UInt64 = 0
    var sfixed32: Int32 = 0
    var sfixed64: Int64 = 0
    var float: Float = 0
    var double: Double = 0
    var bool = false
    var string = ""
    var bytes: [UInt8] = []
    var colour = Colour.red
    var child: Child?
    @Indirect var again: Everything?

    var optionalInt32: Int32?
    var optionalString: String?
    var optionalBytes: [UInt8]?
    var optionalBool: Bool?
    var optionalColour: Colour?

    var int32s: [Int32] = []
    var sint64s: [Int64] = []
    var doubles: [Double] = []
    var bools: [Bool] = []
    var colours: [Colour] = []
    var unpacked: [UInt32] = []
    var strings: [String] = []
    var byteLists: [[UInt8]] = []
    var children: [Child] = []

    var names: [Int32: String] = [:]
    var flags: [Bool: Child] = [:]
    var weights: [String: Double] = [:]
    var shades: [UInt64: Colour] = [:]

    var choice: Choice?
    var group: Child?
    var groups: [Child] = []
    var unknownFields = UnknownFields()

    mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
        try field.int32(1, &int32)
        try field.int64(2, &int64)
        try field.uint32(3, &uint32)
        try field.uint64(4, &uint64)
        try field.sint32(5, &sint32)
        try field.sint64(6, &sint64)
        try field.fixed32(7, &fixed32)
        try field.fixed64(8, &fixed64)
        try field.sfixed32(9, &sfixed32)
        try field.sfixed64(10, &sfixed64)
        try field.float(11, &float)
        try field.double(12, &double)
        try field.bool(13, &bool)
        try field.string(14, &string)
        try field.bytes(15, &bytes)
        try field.enumeration(16, &colour)
        try field.message(17, &child)
        try field.message(18, &_again)
        try field.int32(21, &optionalInt32)
        try field.string(22, &optionalString)
        try field.bytes(23, &optionalBytes)
        try field.bool(24, &optionalBool)
        try field.enumeration(25, &optionalColour)
        try field.int32(31, &int32s)
        try field.sint64(32, &sint64s)
        try field.double(33, &doubles)
        try field.bool(34, &bools)
        try field.enumeration(35, &colours)
        try field.uint32(36, &unpacked, packed: false)
        try field.string(37, &strings)
        try field.bytes(38, &byteLists)
        try field.message(39, &children)
        try field.map(41, &names, .int32, .string)
        try field.map(42, &flags, .bool, .message(Child.self))
        try field.map(43, &weights, .string, .double)
        try field.map(44, &shades, .fixed64, .enumeration(Colour.self))
        try field.oneof(51, &choice, .string, Choice.text) {
            if case .text(let it) = $0 { it } else { nil }
        }
        try field.oneof(52, &choice, .int32, Choice.number) {
            if case .number(let it) = $0 { it } else { nil }
        }
        try field.oneof(53, &choice, .message(Child.self), Choice.child) {
            if case .child(let it) = $0 { it } else { nil }
        }
        try field.group(61, &group)
        try field.group(5000, &groups)
    }
}
