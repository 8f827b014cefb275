public import SwiftletMessages

/// The type of a field's values, with the numbers of `google.protobuf.FieldDescriptorProto.Type`.
public enum FieldType: UInt8, Sendable, CaseIterable {
    case double = 1
    case float = 2
    case int64 = 3
    case uint64 = 4
    case int32 = 5
    case fixed64 = 6
    case fixed32 = 7
    case bool = 8
    case string = 9
    /// A message between a start tag and an end tag: a group of proto2, or a delimited field of an
    /// edition.
    case group = 10
    case message = 11
    case bytes = 12
    case uint32 = 13
    case enumeration = 14
    case sfixed32 = 15
    case sfixed64 = 16
    case sint32 = 17
    case sint64 = 18

    /// Whether values of the type are messages.
    @inlinable public var isMessage: Bool { self == .message || self == .group }

    /// Whether a list of the type can be packed.
    @inlinable public var isPackable: Bool {
        switch self {
        case .string, .bytes, .message, .group: false
        default: true
        }
    }

    /// Whether a map can have keys of this type.
    @inlinable public var isMapKey: Bool {
        switch self {
        case .double, .float, .bytes, .message, .group, .enumeration: false
        default: true
        }
    }

    /// The wire type of one value.
    @inlinable package var wireType: WireType {
        switch self {
        case .double, .fixed64, .sfixed64: .fixed64
        case .float, .fixed32, .sfixed32: .fixed32
        case .string, .bytes, .message: .lengthDelimited
        case .group: .startGroup
        case .int64, .uint64, .int32, .bool, .uint32, .enumeration, .sint32, .sint64: .varint
        }
    }

    /// The name in a `.proto` file, for example `sfixed32`.
    public var name: String {
        switch self {
        case .enumeration: "enum"
        default: "\(self)"
        }
    }
}
