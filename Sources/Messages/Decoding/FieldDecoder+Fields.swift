// The values of fields. The next tag is that of the field. Each function reads the values that follow one another, and
// the tag after them.
extension FieldDecoder {
    @inline(__always)
    mutating func field(
        _ entry: UnsafePointer<FieldEntry>, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        switch unsafe entry.pointee.shape {
        case .singular, .defaulted, .required:
            try unsafe value(entry.pointee, place)
            try nextTag()
        case .optional:
            try unsafe optional(entry.pointee, place)
            try nextTag()
        case .list, .packedList: try unsafe list(entry.pointee, place)
        case .indirect:
            try unsafe indirect(entry.pointee, place)
            try nextTag()
        case .map: try unsafe map(entry.pointee, place)
        case .oneof:
            try unsafe oneof(entry.pointee, place)
            try nextTag()
        }
    }

    // MARK: Single values

    /// Reads a value after its tag. A message is merged into the value; any other value replaces it.
    mutating func value(
        _ entry: FieldEntry, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        switch entry.code {
        case .int32, .enumeration: try unsafe number(Int32Kind.self, place)
        case .int64, .uint64: try unsafe number(UInt64Kind.self, place)
        case .uint32: try unsafe number(UInt32Kind.self, place)
        case .sint32: try unsafe number(SInt32Kind.self, place)
        case .sint64: try unsafe number(SInt64Kind.self, place)
        case .bool: try unsafe number(BoolKind.self, place)
        case .fixed32, .sfixed32, .float: try unsafe number(Fixed32Kind.self, place)
        case .fixed64, .sfixed64, .double: try unsafe number(Fixed64Kind.self, place)
        case .string:
            unsafe place.assumingMemoryBound(to: String.self).pointee = try string()
        case .bytes:
            unsafe place.assumingMemoryBound(to: [UInt8].self).pointee = try byteArray()
        case .message, .group:
            let table = unsafe entry.messageType._withUnsafeGuaranteedRef { unsafe $0.table }
            try unsafe message(entry, place, table)
        }
    }

    @inline(__always)
    private mutating func bits<K: NumberKind>(_: K.Type) throws(WireError) -> K.Value {
        switch K.wireType {
        case .fixed32: K.value(of: UInt64(try fixed32()))
        case .fixed64: K.value(of: try fixed64())
        default: K.value(of: try varint())
        }
    }

    @inline(__always)
    private mutating func number<K: NumberKind>(
        _: K.Type, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        unsafe place.storeBytes(of: try bits(K.self), as: K.Value.self)
    }

    private mutating func message(
        _ entry: FieldEntry, _ place: UnsafeMutableRawPointer, _ table: UnsafePointer<FieldTable>
    ) throws(WireError) {
        if entry.code == .message {
            try unsafe nested(into: place, table, entry.number)
        } else {
            try unsafe group(into: place, table, entry.number)
        }
    }

    private mutating func optional(
        _ entry: FieldEntry, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        switch entry.code {
        case .int32, .enumeration: try unsafe optional(Int32Kind.self, place)
        case .int64, .uint64: try unsafe optional(UInt64Kind.self, place)
        case .uint32: try unsafe optional(UInt32Kind.self, place)
        case .sint32: try unsafe optional(SInt32Kind.self, place)
        case .sint64: try unsafe optional(SInt64Kind.self, place)
        case .bool: try unsafe optional(BoolKind.self, place)
        case .fixed32, .sfixed32, .float: try unsafe optional(Fixed32Kind.self, place)
        case .fixed64, .sfixed64, .double: try unsafe optional(Fixed64Kind.self, place)
        case .string:
            unsafe place.assumingMemoryBound(to: String?.self).pointee = try string()
        case .bytes:
            unsafe place.assumingMemoryBound(to: [UInt8]?.self).pointee = try byteArray()
        case .message, .group:
            // If a message arrives in parts, each part is merged into the parts before it.
            let table = unsafe entry.messageType._withUnsafeGuaranteedRef { type in
                unsafe type.makePresent(place)
                return unsafe type.table
            }
            // Safe: an optional stores its value at its start.
            try unsafe message(entry, place, table)
        }
    }

    @inline(__always)
    private mutating func optional<K: NumberKind>(
        _: K.Type, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        // Safe: an optional of a number is plain bits.
        unsafe place.storeBytes(of: try bits(K.self), as: K.Value?.self)
    }

    private mutating func indirect(
        _ entry: FieldEntry, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        let type = entry.detail(as: MessageType.self)
        let isEmpty = unsafe type.withElements(place) { _, count in count == 0 }
        if isEmpty { unsafe type.append(1, to: place) } else { unsafe type.makeUnique(place) }
        // Safe: nobody else has the array, and it does not change until the message is read.
        let first = unsafe type.withElements(place) { first, _ in unsafe UnsafeMutableRawPointer(mutating: first) }
        try unsafe message(entry, first, type.table)
    }

    private mutating func oneof(
        _ entry: FieldEntry, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        let detail = entry.detail(as: OneofField.self)
        try unsafe detail.update(place) { content throws(WireError) in
            try unsafe value(detail.value, content)
        }
    }

    // MARK: Lists and maps

    private mutating func list(
        _ entry: FieldEntry, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        switch entry.code {
        case .string:
            try unsafe elements(entry, place.assumingMemoryBound(to: [String].self)) {
                decoder throws(WireError) in try decoder.string()
            }
        case .bytes:
            try unsafe elements(entry, place.assumingMemoryBound(to: [[UInt8]].self)) {
                decoder throws(WireError) in try decoder.byteArray()
            }
        case .message, .group: try unsafe messages(entry, place)
        case .int32, .enumeration: try unsafe numbers(Int32Kind.self, entry, place)
        case .int64: try unsafe numbers(Int64Kind.self, entry, place)
        case .uint32: try unsafe numbers(UInt32Kind.self, entry, place)
        case .uint64: try unsafe numbers(UInt64Kind.self, entry, place)
        case .sint32: try unsafe numbers(SInt32Kind.self, entry, place)
        case .sint64: try unsafe numbers(SInt64Kind.self, entry, place)
        case .bool: try unsafe numbers(BoolKind.self, entry, place)
        case .fixed32: try unsafe numbers(Fixed32Kind.self, entry, place)
        case .fixed64: try unsafe numbers(Fixed64Kind.self, entry, place)
        case .sfixed32: try unsafe numbers(SFixed32Kind.self, entry, place)
        case .sfixed64: try unsafe numbers(SFixed64Kind.self, entry, place)
        case .float: try unsafe numbers(FloatKind.self, entry, place)
        case .double: try unsafe numbers(DoubleKind.self, entry, place)
        }
    }

    @inline(__always)
    private mutating func elements<Element>(
        _ entry: FieldEntry, _ list: UnsafeMutablePointer<[Element]>,
        _ read: (inout FieldDecoder) throws(WireError) -> Element
    ) throws(WireError) {
        let run = runLength()
        // Reserves only if the list at least doubles. Otherwise many short runs would copy the list
        // each time.
        if unsafe run > list.pointee.count {
            unsafe list.pointee.reserveCapacity(list.pointee.count &+ run)
        }
        repeat {
            let element = try read(&self)
            unsafe list.pointee.append(element)
            try nextTag()
        } while tag == entry.tag
    }

    private mutating func messages(
        _ entry: FieldEntry, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        let type = entry.detail(as: MessageType.self)
        let table = unsafe type.table
        repeat {
            // Exact: each of these fields is short and complete.
            let run = entry.code == .message ? runLength() : 1
            unsafe type.append(run, to: place)
            // Safe: nobody else has the array, and it does not change until the messages are read.
            let end = unsafe type.withElements(place) { first, count in
                unsafe UnsafeMutableRawPointer(mutating: first) + count &* type.stride
            }
            for index in 0..<run {
                try unsafe message(entry, end - (run &- index) &* type.stride, table)
                try nextTag()
            }
        } while tag == entry.tag
    }

    private mutating func numbers<K: NumberKind>(
        _: K.Type, _ entry: FieldEntry, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        // An array of an enum has the layout of an array of the number that each element stores.
        let list = unsafe place.assumingMemoryBound(to: [K.Value].self)
        repeat {
            if tag & 7 == WireType.lengthDelimited.rawValue {
                try unsafe packed(K.self, into: &list.pointee)
            } else {
                let value = try bits(K.self)
                unsafe list.pointee.append(value)
            }
            try nextTag()
        } while tag == entry.tag || tag == entry.otherTag
    }

    @inline(__always)
    private mutating func packed<K: NumberKind>(
        _: K.Type, into values: inout [K.Value]
    ) throws(WireError) {
        let byteCount = try length()
        let outerEnd = unsafe end
        unsafe end = cursor + byteCount
        // The values are counted first, so that the array checks only once whether it has one
        // owner.
        let first = values.count
        let count = K.fixedByteCount.map { byteCount / $0 } ?? varintCount()
        values.append(contentsOf: repeatElement(K.value(of: 0), count: count))
        unsafe try values.withUnsafeMutableBufferPointer { elements throws(WireError) in
            // Safe: `count` elements were appended, from the index `first` on.
            for index in first..<first &+ count { unsafe elements[index] = try bits(K.self) }
        }
        // The remaining bytes begin one more value, which is truncated.
        if unsafe cursor < end { _ = try bits(K.self) }
        unsafe end = outerEnd
    }

    private mutating func map(
        _ entry: FieldEntry, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        let detail = entry.detail(as: MapField.self)
        // Limited, because all entries may have the same key. Memory for each entry would then be a multiple
        // of the bytes that the peer sent. A map with more keys grows when they are inserted.
        unsafe detail.reserve(min(runLength(), 4096), place)
        repeat {
            try unsafe detail.insert(place) { key, value throws(WireError) in
                try unsafe self.entry(entry.number, detail, key, value)
            }
            try nextTag()
        } while tag == entry.tag
    }
}
