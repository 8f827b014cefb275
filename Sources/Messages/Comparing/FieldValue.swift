/// Values of fields by their addresses.
package enum FieldValue {
    /// Whether an optional has a value.
    @inline(__always)
    static func isPresent(_ entry: TableEntry, _ place: UnsafeRawPointer) -> Bool {
        switch entry.code {
        case .int32, .enumeration, .sint32, .sfixed32, .uint32, .fixed32, .float:
            unsafe place.load(as: UInt32?.self) != nil
        case .int64, .uint64, .sint64, .sfixed64, .fixed64, .double:
            unsafe place.load(as: UInt64?.self) != nil
        case .bool: unsafe place.load(as: Bool?.self) != nil
        case .string: unsafe place.assumingMemoryBound(to: String?.self).pointee != nil
        case .bytes: unsafe place.assumingMemoryBound(to: [UInt8]?.self).pointee != nil
        case .message, .group:
            unsafe entry.messageType._withUnsafeGuaranteedRef {
                unsafe $0.presence.isPresent(place)
            }
        }
    }

    /// Whether a value is zero or empty. This is not equality with zero: minus zero equals zero, but it is encoded.
    package static func isInitial(_ entry: TableEntry, _ place: UnsafeRawPointer) -> Bool {
        switch entry.code {
        case .string: unsafe place.assumingMemoryBound(to: String.self).pointee.isEmpty
        case .bytes: unsafe place.assumingMemoryBound(to: [UInt8].self).pointee.isEmpty
        case .message, .group: false
        default: unsafe bits(entry, place) == 0
        }
    }

    /// The bits of a number.
    private static func bits(_ entry: TableEntry, _ place: UnsafeRawPointer) -> UInt64 {
        switch entry.code {
        case .bool: unsafe place.load(as: Bool.self) ? 1 : 0
        case .int64, .uint64, .sint64, .fixed64, .sfixed64, .double:
            unsafe place.load(as: UInt64.self)
        default: unsafe UInt64(place.load(as: UInt32.self))
        }
    }

    /// Whether two values are the same on the wire. This is stricter than equality: 0.0 equals -0.0.
    static func areSame(
        _ entry: TableEntry, _ left: UnsafeRawPointer, _ right: UnsafeRawPointer
    ) -> Bool {
        switch entry.code {
        case .string, .bytes, .message, .group: unsafe areEqual(entry, left, right)
        default: unsafe bits(entry, left) == bits(entry, right)
        }
    }

    package static func areEqual(
        _ entry: TableEntry, _ left: UnsafeRawPointer, _ right: UnsafeRawPointer
    ) -> Bool {
        switch entry.code {
        case .float: unsafe left.load(as: Float.self) == right.load(as: Float.self)
        case .double: unsafe left.load(as: Double.self) == right.load(as: Double.self)
        case .string:
            unsafe TextBytes.areEqual(
                left.assumingMemoryBound(to: String.self).pointee,
                right.assumingMemoryBound(to: String.self).pointee)
        case .bytes:
            unsafe left.assumingMemoryBound(to: [UInt8].self).pointee
                == right.assumingMemoryBound(to: [UInt8].self).pointee
        case .message, .group:
            unsafe FieldTable.areEqual(
                left, right, entry.nestedTable)
        default: unsafe bits(entry, left) == bits(entry, right)
        }
    }

    static func hash(_ entry: TableEntry, _ place: UnsafeRawPointer, _ hasher: inout Hasher) {
        switch entry.code {
        case .float: unsafe hasher.combine(place.load(as: Float.self))
        case .double: unsafe hasher.combine(place.load(as: Double.self))
        case .string:
            unsafe TextBytes.hash(
                place.assumingMemoryBound(to: String.self).pointee, into: &hasher)
        case .bytes: unsafe hasher.combine(place.assumingMemoryBound(to: [UInt8].self).pointee)
        case .message, .group:
            unsafe FieldTable.hash(
                place, entry.nestedTable, &hasher)
        default: unsafe hasher.combine(bits(entry, place))
        }
    }

    /// Calls `body` with what each value of a field is, and with its address. Leaves out a value that is not
    /// encoded. Not for maps.
    package static func forEach(
        _ entry: TableEntry, _ place: UnsafeRawPointer,
        _ body: (TableEntry, UnsafeRawPointer) -> Void
    ) {
        switch entry.shape {
        case .singular: if unsafe !isInitial(entry, place) { unsafe body(entry, place) }
        case .required: unsafe body(entry, place)
        case .defaulted:
            let detail = entry.detail(as: DefaultValue.self)
            if unsafe !detail.isDefault(place) { unsafe body(detail.value.pointee, place) }
        // Safe: an optional stores its value at its start.
        case .optional: if unsafe isPresent(entry, place) { unsafe body(entry, place) }
        case .list, .packedList, .indirect:
            unsafe ListElements(at: place).forEach(stride: stride(entry)) { unsafe body(entry, $0) }
        case .oneof:
            let detail = entry.detail(as: OneofField.self)
            unsafe detail.functions.pointee.visit(place) { unsafe body(detail.value.pointee, $0) }
        case .map: break
        }
    }

    static func areListsEqual(
        _ entry: TableEntry, _ left: UnsafeRawPointer, _ right: UnsafeRawPointer
    ) -> Bool {
        let (one, other) = unsafe (ListElements(at: left), ListElements(at: right))
        let stride = stride(entry)
        return one.count == other.count
            && (0..<one.count).allSatisfy {
                unsafe areEqual(entry, one.first + $0 &* stride, other.first + $0 &* stride)
            }
    }

    /// The distance of two elements of a list, in bytes.
    static func stride(_ entry: TableEntry) -> Int {
        switch entry.code {
        case .string: MemoryLayout<String>.stride
        case .bytes: MemoryLayout<[UInt8]>.stride
        case .bool: MemoryLayout<Bool>.stride
        case .message, .group: unsafe entry.messageType._withUnsafeGuaranteedRef { $0.stride }
        case .int64, .uint64, .sint64, .fixed64, .sfixed64, .double: MemoryLayout<UInt64>.stride
        default: MemoryLayout<UInt32>.stride
        }
    }
}
