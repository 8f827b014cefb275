// The hash of a message, field by field. Fields that are equal are hashed alike.
extension FieldTable {
    static func hash(
        _ message: UnsafeRawPointer, _ table: UnsafePointer<FieldTable>, _ hasher: inout Hasher
    ) {
        for index in unsafe 0..<table.pointee.count {
            let entry = unsafe table.pointee.entries[index]
            unsafe hash(entry, message + Int(entry.offset), &hasher)
        }
        unsafe hasher.combine(
            table.pointee.type._withUnsafeGuaranteedRef { unsafe $0.unknownFields(message) })
    }

    private static func hash(
        _ entry: TableEntry, _ place: UnsafeRawPointer, _ hasher: inout Hasher
    ) {
        switch entry.shape {
        case .singular, .required: unsafe FieldValue.hash(entry, place, &hasher)
        case .defaulted:
            unsafe FieldValue.hash(
                entry.detail(as: DefaultValue.self).value.pointee, place, &hasher)
        case .optional:
            let isPresent = unsafe FieldValue.isPresent(entry, place)
            hasher.combine(isPresent)
            // Safe: an optional stores its value at its start.
            if isPresent { unsafe FieldValue.hash(entry, place, &hasher) }
        case .list, .packedList, .indirect:
            var count = 0
            unsafe FieldValue.forEach(entry, place) {
                unsafe FieldValue.hash($0, $1, &hasher)
                count += 1
            }
            hasher.combine(count)
        case .map: unsafe entry.detail(as: MapField.self).hash(place, &hasher)
        case .oneof:
            let detail = entry.detail(as: OneofField.self)
            unsafe detail.functions.pointee.visit(place) {
                hasher.combine(entry.number)
                unsafe FieldValue.hash(detail.value.pointee, $0, &hasher)
            }
        }
    }
}
