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

        static let layout = Layout<Self> { field in
            field.int32(1, \.id)
            field.string(2, \.tags)
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

    static let layout = Layout<Self> { field in
        field.int32(1, \.int32)
        field.int64(2, \.int64)
        field.uint32(3, \.uint32)
        field.uint64(4, \.uint64)
        field.sint32(5, \.sint32)
        field.sint64(6, \.sint64)
        field.fixed32(7, \.fixed32)
        field.fixed64(8, \.fixed64)
        field.sfixed32(9, \.sfixed32)
        field.sfixed64(10, \.sfixed64)
        field.float(11, \.float)
        field.double(12, \.double)
        field.bool(13, \.bool)
        field.string(14, \.string)
        field.bytes(15, \.bytes)
        field.enumeration(16, \.colour)
        field.message(17, \.child)
        field.message(18, \._again)
        field.int32(21, \.optionalInt32)
        field.string(22, \.optionalString)
        field.bytes(23, \.optionalBytes)
        field.bool(24, \.optionalBool)
        field.enumeration(25, \.optionalColour)
        field.int32(31, \.int32s)
        field.sint64(32, \.sint64s)
        field.double(33, \.doubles)
        field.bool(34, \.bools)
        field.enumeration(35, \.colours)
        field.uint32(36, \.unpacked, packed: false)
        field.string(37, \.strings)
        field.bytes(38, \.byteLists)
        field.message(39, \.children)
        field.map(41, \.names, .int32, .string)
        field.map(42, \.flags, .bool, .message(Child.self))
        field.map(43, \.weights, .string, .double)
        field.map(44, \.shades, .fixed64, .enumeration(Colour.self))
        field.oneof(51, \.choice, .string, Choice.text) {
            if case .text(let it) = $0 { it } else { nil }
        }
        field.oneof(52, \.choice, .int32, Choice.number) {
            if case .number(let it) = $0 { it } else { nil }
        }
        field.oneof(53, \.choice, .message(Child.self), Choice.child) {
            if case .child(let it) = $0 { it } else { nil }
        }
        field.group(61, \.group)
        field.group(5000, \.groups)
    }
}
