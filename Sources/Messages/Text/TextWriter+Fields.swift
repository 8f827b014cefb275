// The listed fields of a message as text.
//
// Safe: the addresses are those of a message of the table's type, and of its properties.
extension TextWriter {
    @inline(never)
    static func text(at message: UnsafeRawPointer, _ table: UnsafePointer<FieldTable>) -> String {
        var writer = TextWriter()
        unsafe writer.fields(at: message, table)
        return writer.text
    }

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
        if entry.shape == .map {
            return unsafe map(name, entry.detail(as: MapField.self), place)
        }
        // A field of a oneof is named after the enum's case.
        let label =
            entry.shape == .oneof ? unsafe entry.detail(as: OneofField.self).caseName(place) : nil
        unsafe FieldValue.forEach(entry, place) {
            unsafe value(label ?? name, $0, $1)
        }
    }

    private mutating func map(_ name: String, _ detail: MapField, _ place: UnsafeRawPointer) {
        unsafe detail.forEach(place, true) { key, value in
            open(name)
            unsafe self.value("key", detail.key.pointee, key)
            unsafe self.value("value", detail.value.pointee, value)
            close()
        }
    }

    package mutating func value(_ name: String, _ entry: TableEntry, _ place: UnsafeRawPointer) {
        switch entry.code {
        case .int32, .sint32, .sfixed32: unsafe line(name, "\(place.load(as: Int32.self))")
        case .int64, .sint64, .sfixed64: unsafe line(name, "\(place.load(as: Int64.self))")
        case .uint32, .fixed32: unsafe line(name, "\(place.load(as: UInt32.self))")
        case .uint64, .fixed64: unsafe line(name, "\(place.load(as: UInt64.self))")
        case .bool: unsafe line(name, "\(place.load(as: Bool.self))")
        case .float: unsafe line(name, Self.number(place.load(as: Float.self)))
        case .double: unsafe line(name, Self.number(place.load(as: Double.self)))
        case .enumeration:
            let number = unsafe place.load(as: Int32.self)
            line(name, entry.detail(as: EnumType.self).name(of: number) ?? "\(number)")
        case .string:
            unsafe quoted(
                name, place.assumingMemoryBound(to: String.self).pointee.utf8, isText: true)
        case .bytes:
            unsafe quoted(
                name, place.assumingMemoryBound(to: [UInt8].self).pointee, isText: false)
        case .message, .group:
            open(name)
            unsafe fields(at: place, entry.nestedTable)
            close()
        }
    }
}

extension Message {
    /// The message in protobuf's text format.
    public var debugDescription: String {
        unsafe withUnsafePointer(to: self) { message in
            unsafe TextWriter.text(at: UnsafeRawPointer(message), Self.layout.table)
        }
    }
}
