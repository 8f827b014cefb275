// Equality of messages, field by field.
//
// Safe: both addresses are those of messages of the table's type, which are borrowed until the comparison ends.
extension FieldTable {
    static func areEqual(
        _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ table: UnsafePointer<FieldTable>
    ) -> Bool {
        for index in unsafe 0..<table.pointee.count {
            let entry = unsafe table.pointee.entries[index]
            let offset = Int(entry.offset)
            guard unsafe areEqual(entry, left + offset, right + offset) else { return false }
        }
        return unsafe table.pointee.type._withUnsafeGuaranteedRef { type in
            unsafe type.unknownFields(left) == type.unknownFields(right)
        }
    }

    private static func areEqual(
        _ entry: TableEntry, _ left: UnsafeRawPointer, _ right: UnsafeRawPointer
    ) -> Bool {
        switch entry.shape {
        case .singular, .required: return unsafe FieldValue.areEqual(entry, left, right)
        case .defaulted:
            return unsafe FieldValue.areEqual(
                entry.detail(as: DefaultValue.self).value.pointee, left, right)
        case .optional:
            let isPresent = unsafe FieldValue.isPresent(entry, left)
            guard unsafe FieldValue.isPresent(entry, right) == isPresent else { return false }
            // Safe: an optional stores its value at its start.
            return unsafe !isPresent || FieldValue.areEqual(entry, left, right)
        case .list, .packedList, .indirect:
            return unsafe FieldValue.areListsEqual(entry, left, right)
        case .map: return unsafe entry.detail(as: MapField.self).areEqual(left, right)
        case .oneof:
            // Two oneofs are equal if each field is set in both or in none, with equal values.
            let detail = entry.detail(as: OneofField.self)
            var isSet = false
            var isEqual = false
            unsafe detail.functions.pointee.visit(left) { one in
                isSet = true
                unsafe detail.functions.pointee.visit(right) { other in
                    unsafe isEqual = FieldValue.areEqual(detail.value.pointee, one, other)
                }
            }
            guard !isSet else { return isEqual }
            unsafe detail.functions.pointee.visit(right) { _ in isSet = true }
            return !isSet
        }
    }
}

extension Message {
    public static func == (left: Self, right: Self) -> Bool {
        unsafe withUnsafePointer(to: left) { left in
            unsafe withUnsafePointer(to: right) { right in
                unsafe FieldTable.areEqual(
                    UnsafeRawPointer(left), UnsafeRawPointer(right), Self.layout.table)
            }
        }
    }

    public func hash(into hasher: inout Hasher) {
        unsafe withUnsafePointer(to: self) { message in
            unsafe FieldTable.hash(UnsafeRawPointer(message), Self.layout.table, &hasher)
        }
    }
}
