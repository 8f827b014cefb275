import SwiftletMessages

/// A field as a message lists it, for a comparison with its declaration.
struct ListedField {
    let number: UInt32
    let shape: FieldShape
    /// What the values are; of a map, the values of the entries.
    let code: FieldCode
    /// What the keys of a map are.
    let keyCode: FieldCode?
    /// The enum of a oneof.
    let choice: ObjectIdentifier?
    /// The full name of a message.
    let messageName: String?
    private let enumType: EnumType?

    /// The value in a new message, as the Swift type of the property; nil for a message, and for what can be absent. An
    /// enum is an `Int32`.
    private(set) var initial: Any?
    /// Whether a field without presence is omitted when it is zero or empty.
    private(set) var omitsZero = true

    /// The name of an enum's value; nil when the number has no name, and for other types.
    func valueName(_ number: Int32) -> String? { enumType?.name(of: number) }

    /// The fields of a message type in the order of its list.
    static func all<M: Message>(of type: M.Type) -> [ListedField] {
        let table = unsafe M.layout.table
        return unsafe table.pointee.type._withUnsafeGuaranteedRef { type in
            var fields: [ListedField] = []
            unsafe type.withNew { message in
                for index in unsafe 0..<table.pointee.count {
                    let entry = unsafe table.pointee.entries[index]
                    fields.append(
                        unsafe ListedField(entry, UnsafeRawPointer(message) + Int(entry.offset)))
                }
            }
            return fields
        }
    }

    private init(_ entry: TableEntry, _ place: UnsafeRawPointer) {
        number = entry.number
        shape = entry.shape
        let map = entry.shape == .map ? entry.detail(as: MapField.self) : nil
        let oneof = entry.shape == .oneof ? entry.detail(as: OneofField.self) : nil
        let preset = entry.shape == .defaulted ? entry.detail(as: DefaultValue.self) : nil
        let inner = unsafe map?.value ?? oneof?.value ?? preset?.value
        let value = unsafe inner?.pointee ?? entry
        code = value.code
        unsafe keyCode = map?.key.pointee.code
        choice = oneof?.choice
        let isMessage = value.code == .message || value.code == .group
        messageName = isMessage ? value.detail(as: MessageType.self).name : nil
        enumType = value.code == .enumeration ? value.detail(as: EnumType.self) : nil
        switch entry.shape {
        case .singular: unsafe initial = Self.value(value.code, place)
        case .required:
            unsafe initial = Self.value(value.code, place)
            omitsZero = false
        case .defaulted:
            unsafe initial = Self.value(value.code, place)
            unsafe preset?.withDefault { unsafe omitsZero = FieldValue.isInitial(value, $0) }
        case .optional, .list, .packedList, .indirect, .map, .oneof: break
        }
    }

    /// Safe: the address is that of a property with a value of the type.
    private static func value(_ code: FieldCode, _ place: UnsafeRawPointer) -> Any? {
        switch code {
        case .int32, .sint32, .sfixed32, .enumeration: unsafe place.load(as: Int32.self)
        case .int64, .sint64, .sfixed64: unsafe place.load(as: Int64.self)
        case .uint32, .fixed32: unsafe place.load(as: UInt32.self)
        case .uint64, .fixed64: unsafe place.load(as: UInt64.self)
        case .bool: unsafe place.load(as: Bool.self)
        case .float: unsafe place.load(as: Float.self)
        case .double: unsafe place.load(as: Double.self)
        case .string: unsafe place.assumingMemoryBound(to: String.self).pointee
        case .bytes: unsafe place.assumingMemoryBound(to: [UInt8].self).pointee
        case .message, .group: nil
        }
    }
}
