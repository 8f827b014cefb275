import SwiftletMessages

/// A kind of value in this library, with its type in a `.proto` file.
protocol CheckedKind {
    static var fieldType: FieldType { get }

    /// The full name of the message; nil for other types.
    static var messageName: String? { get }

    /// The name of an enum's value; nil when the number has no name, and for other types.
    static func valueName(_ number: Int32) -> String?

    /// Converts a value of the kind to the value of a field; nil for a message.
    static func dynamic(_ value: Any) -> DynamicValue?
}

extension CheckedKind {
    static var messageName: String? { nil }
    static func valueName(_ number: Int32) -> String? { nil }

    static func dynamic(_ value: Any) -> DynamicValue? {
        switch value {
        case let value as Bool: .bool(value)
        case let value as Int32: .int32(value)
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

extension Int32Kind: CheckedKind { static var fieldType: FieldType { .int32 } }
extension Int64Kind: CheckedKind { static var fieldType: FieldType { .int64 } }
extension UInt32Kind: CheckedKind { static var fieldType: FieldType { .uint32 } }
extension UInt64Kind: CheckedKind { static var fieldType: FieldType { .uint64 } }
extension SInt32Kind: CheckedKind { static var fieldType: FieldType { .sint32 } }
extension SInt64Kind: CheckedKind { static var fieldType: FieldType { .sint64 } }
extension Fixed32Kind: CheckedKind { static var fieldType: FieldType { .fixed32 } }
extension Fixed64Kind: CheckedKind { static var fieldType: FieldType { .fixed64 } }
extension SFixed32Kind: CheckedKind { static var fieldType: FieldType { .sfixed32 } }
extension SFixed64Kind: CheckedKind { static var fieldType: FieldType { .sfixed64 } }
extension FloatKind: CheckedKind { static var fieldType: FieldType { .float } }
extension DoubleKind: CheckedKind { static var fieldType: FieldType { .double } }
extension BoolKind: CheckedKind { static var fieldType: FieldType { .bool } }
extension StringKind: CheckedKind { static var fieldType: FieldType { .string } }
extension BytesKind: CheckedKind { static var fieldType: FieldType { .bytes } }

extension EnumKind: CheckedKind {
    static var fieldType: FieldType { .enumeration }
    static func valueName(_ number: Int32) -> String? { Enum(rawValue: number).name }
    static func dynamic(_ value: Any) -> DynamicValue? {
        (value as? Enum).map { .enumeration($0.rawValue) }
    }
}

extension MessageKind: CheckedKind {
    static var fieldType: FieldType { .message }
    static var messageName: String? { M.messageName }
}

extension GroupKind: CheckedKind {
    static var fieldType: FieldType { .group }
    static var messageName: String? { M.messageName }
}
