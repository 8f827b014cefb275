// The listed fields of a message as text.
//
// Safe: the addresses are those of a message of the table's type, and of its properties.
extension TextWriter {
    mutating func fields(at message: UnsafeRawPointer, _ table: UnsafePointer<FieldTable>) {
        let names = unsafe names(of: table)
        for index in unsafe 0..<table.pointee.count {
            let entry = unsafe table.pointee.entries[index]
            let offset = Int(entry.offset)
            let name = names[offset] ?? "\(entry.number)"
            unsafe field(entry, name, message + offset)
        }
        unsafe unknown(
            table.pointee.type._withUnsafeGuaranteedRef { unsafe $0.unknownFields(message) })
    }

    private mutating func field(_ entry: TableEntry, _ name: String, _ place: UnsafeRawPointer) {
        switch entry.shape {
        case .singular:
            if unsafe !FieldValue.isInitial(entry, place) { unsafe line(name, entry, place) }
        case .required: unsafe line(name, entry, place)
        case .defaulted:
            let detail = entry.detail(as: DefaultValue.self)
            var isDefault = false
            unsafe detail.withDefault {
                unsafe isDefault = FieldValue.areSame(detail.value.pointee, place, $0)
            }
            if !isDefault { unsafe line(name, detail.value.pointee, place) }
        case .optional:
            // Safe: an optional stores its value at its start.
            if unsafe FieldValue.isPresent(entry, place) { unsafe line(name, entry, place) }
        case .list, .packedList, .indirect:
            unsafe FieldValue.forEach(entry, place) { unsafe line(name, entry, $0) }
        case .map: unsafe map(name, entry.detail(as: MapField.self), place)
        case .oneof:
            let detail = entry.detail(as: OneofField.self)
            unsafe detail.functions.pointee.visit(place) { value in
                // The field is named after the enum's case.
                let label = unsafe detail.caseName(place)
                unsafe line(label.map(PropertyNames.snakeCase) ?? name, detail.value.pointee, value)
            }
        }
    }

    private mutating func map(_ name: String, _ detail: MapField, _ place: UnsafeRawPointer) {
        unsafe detail.forEach(place, true) { key, value in
            field(name) { text in
                text.braces { text in
                    unsafe text.line("key", detail.key.pointee, key)
                    unsafe text.line("value", detail.value.pointee, value)
                }
            }
        }
    }

    private mutating func line(_ name: String, _ entry: TableEntry, _ place: UnsafeRawPointer) {
        field(name) { text in unsafe text.value(entry, place) }
    }

    mutating func value(_ entry: TableEntry, _ place: UnsafeRawPointer) {
        switch entry.code {
        case .int32, .sint32, .sfixed32: unsafe value("\(place.load(as: Int32.self))")
        case .int64, .sint64, .sfixed64: unsafe value("\(place.load(as: Int64.self))")
        case .uint32, .fixed32: unsafe value("\(place.load(as: UInt32.self))")
        case .uint64, .fixed64: unsafe value("\(place.load(as: UInt64.self))")
        case .bool: unsafe value("\(place.load(as: Bool.self))")
        case .float: unsafe value(Self.number(place.load(as: Float.self)))
        case .double: unsafe value(Self.number(place.load(as: Double.self)))
        case .enumeration:
            let number = unsafe place.load(as: Int32.self)
            value(entry.detail(as: EnumType.self).name(of: number) ?? "\(number)")
        case .string:
            unsafe quoted(place.assumingMemoryBound(to: String.self).pointee.utf8, isText: true)
        case .bytes:
            unsafe quoted(place.assumingMemoryBound(to: [UInt8].self).pointee, isText: false)
        case .message, .group:
            let table = unsafe entry.nestedTable
            braces { unsafe $0.fields(at: place, table) }
        }
    }
}

extension Message {
    /// The message in protobuf's text format.
    public var debugDescription: String {
        var text = TextWriter()
        unsafe withUnsafePointer(to: self) { message in
            unsafe text.fields(at: UnsafeRawPointer(message), Self.layout.table)
        }
        return text.text
    }
}
