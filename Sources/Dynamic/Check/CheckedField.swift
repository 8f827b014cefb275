import SwiftletMessages

// A field as a Swift message lists it, in the words of a schema.
extension ListedField {
    enum DeclaredShape: Equatable {
        /// Without presence.
        case implicit
        case required
        case explicit
        case list
        /// With the type of the keys.
        case map(FieldType?)
        /// With the identity of the enum.
        case oneof(ObjectIdentifier)
    }

    var declaredShape: DeclaredShape {
        switch shape {
        case .singular, .defaulted: .implicit
        case .required: .required
        case .optional, .indirect: .explicit
        case .list, .packedList: .list
        case .map: .map(keyCode.map { FieldType($0) })
        case .oneof: choice.map { .oneof($0) } ?? .explicit
        }
    }

    /// The type of the values.
    var type: FieldType { FieldType(code) }

    /// Whether a list is packed; nil for a list that cannot be packed.
    var isPacked: Bool? {
        declaredShape == .list && code.isPackable ? shape == .packedList : nil
    }

    /// The value of the field in a new message; nil when it has presence, and for a message.
    var initialValue: DynamicValue? {
        switch initial {
        case let value as Int32: code == .enumeration ? .enumeration(value) : .int32(value)
        case let value as Bool: .bool(value)
        case let value as Int64: .int64(value)
        case let value as UInt32: .uint32(value)
        case let value as UInt64: .uint64(value)
        case let value as Float: .float(value)
        case let value as Double: .double(value)
        case let value as String: .string(value)
        case let value as [UInt8]: .bytes(value)
        default: nil
        }
    }
}

extension FieldType {
    fileprivate init(_ code: FieldCode) {
        self =
            switch code {
            case .int32: .int32
            case .int64: .int64
            case .uint32: .uint32
            case .uint64: .uint64
            case .sint32: .sint32
            case .sint64: .sint64
            case .bool: .bool
            case .fixed32: .fixed32
            case .fixed64: .fixed64
            case .sfixed32: .sfixed32
            case .sfixed64: .sfixed64
            case .float: .float
            case .double: .double
            case .enumeration: .enumeration
            case .string: .string
            case .bytes: .bytes
            case .message: .message
            case .group: .group
            }
    }
}
