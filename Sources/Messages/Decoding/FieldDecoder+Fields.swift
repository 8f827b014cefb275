// The values of fields. The next tag is that of the field. Each function reads the values that follow one another, and
// the tag after them.
extension FieldDecoder {
    @inline(__always)
    mutating func field(
        _ entry: UnsafePointer<TableEntry>, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        switch unsafe entry.pointee.plain {
        case .int32: try unsafe number(Int32Kind.self, place)
        case .uint32: try unsafe number(UInt32Kind.self, place)
        case .sint32: try unsafe number(SInt32Kind.self, place)
        case .bits64: try unsafe number(UInt64Kind.self, place)
        case .sint64: try unsafe number(SInt64Kind.self, place)
        case .bool: try unsafe number(BoolKind.self, place)
        case .fixed32: try unsafe number(Fixed32Kind.self, place)
        case .fixed64: try unsafe number(Fixed64Kind.self, place)
        case .string: unsafe place.assumingMemoryBound(to: String.self).pointee = try string()
        case .bytes: unsafe place.assumingMemoryBound(to: [UInt8].self).pointee = try byteArray()
        case .message, .none: return try unsafe otherField(entry, place)
        }
        try nextTag()
    }

    private mutating func otherField(
        _ entry: UnsafePointer<TableEntry>, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        switch unsafe entry.pointee.shape {
        case .list, .packedList: return try unsafe list(entry, place)
        case .map: return try unsafe map(entry, place)
        case .singular, .defaulted, .required: try unsafe value(entry, place)
        case .optional: try unsafe optional(entry, place)
        case .indirect: try unsafe indirect(entry, place)
        case .oneof: try unsafe oneof(entry, place)
        }
        try nextTag()
    }

    // MARK: Single values

    /// Reads a value after its tag. A message is merged into the value; any other value replaces it.
    mutating func value(
        _ entry: UnsafePointer<TableEntry>, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        switch unsafe entry.pointee.code {
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
            try unsafe message(entry, place, entry.pointee.nestedTable)
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
        _ entry: UnsafePointer<TableEntry>, _ place: UnsafeMutableRawPointer,
        _ table: UnsafePointer<FieldTable>
    ) throws(WireError) {
        if unsafe entry.pointee.code == .message {
            try unsafe nested(into: place, table, entry.pointee.number)
        } else {
            try unsafe group(into: place, table, entry.pointee.number)
        }
    }

    private mutating func optional(
        _ entry: UnsafePointer<TableEntry>, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        switch unsafe entry.pointee.code {
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
            unsafe entry.pointee.messageType._withUnsafeGuaranteedRef {
                unsafe $0.makePresent(place)
            }
            // Safe: an optional stores its value at its start.
            try unsafe message(entry, place, entry.pointee.nestedTable)
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
        _ entry: UnsafePointer<TableEntry>, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        let first = unsafe entry.pointee.messageType._withUnsafeGuaranteedRef { type in
            let isEmpty = unsafe ListElements(at: place).count == 0
            if isEmpty { unsafe type.append(1, to: place) } else { unsafe type.makeUnique(place) }
            // Safe: nobody else has the array, and it does not change until the message is read.
            return unsafe UnsafeMutableRawPointer(mutating: ListElements(at: place).first)
        }
        try unsafe message(entry, first, entry.pointee.nestedTable)
    }

    private mutating func oneof(
        _ entry: UnsafePointer<TableEntry>, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        let (field, functions) = unsafe entry.pointee.unmanagedDetail(as: OneofField.self)
            ._withUnsafeGuaranteedRef { unsafe ($0.value, $0.functions) }
        try unsafe functions.pointee.update(place) { content throws(WireError) in
            try unsafe value(field, content)
        }
    }

    // MARK: Lists and maps

    private mutating func list(
        _ entry: UnsafePointer<TableEntry>, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        switch unsafe entry.pointee.code {
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
        _ entry: UnsafePointer<TableEntry>, _ list: UnsafeMutablePointer<[Element]>,
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
        } while (unsafe tag == entry.pointee.tag)
    }

    private mutating func messages(
        _ entry: UnsafePointer<TableEntry>, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        let table = unsafe entry.pointee.nestedTable
        repeat {
            // Exact: each of these fields is short and complete.
            let run = unsafe entry.pointee.code == .message ? runLength() : 1
            var (next, stride) = unsafe entry.pointee.messageType._withUnsafeGuaranteedRef { type in
                unsafe type.append(run, to: place)
                // Safe: nobody else has the array, and it does not change until the messages are read.
                let list = unsafe ListElements(at: place)
                let first = unsafe list.first + (list.count &- run) &* type.stride
                return unsafe (UnsafeMutableRawPointer(mutating: first), type.stride)
            }
            for _ in 0..<run {
                try unsafe message(entry, next, table)
                try nextTag()
                unsafe next += stride
            }
        } while (unsafe tag == entry.pointee.tag)
    }

    private mutating func numbers<K: NumberKind>(
        _: K.Type, _ entry: UnsafePointer<TableEntry>, _ place: UnsafeMutableRawPointer
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
        } while (unsafe tag == entry.pointee.tag || tag == entry.pointee.otherTag)
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
        _ entry: UnsafePointer<TableEntry>, _ place: UnsafeMutableRawPointer
    ) throws(WireError) {
        let detail = unsafe entry.pointee.detail(as: MapField.self)
        // Limited, because all entries may have the same key. Memory for each entry would then be a multiple
        // of the bytes that the peer sent. A map with more keys grows when they are inserted.
        unsafe detail.reserve(min(runLength(), 4096), place)
        let insert = unsafe detail.insert
        repeat {
            try unsafe insert(place) { key, value throws(WireError) in
                try unsafe self.entry(entry.pointee.number, detail, key, value)
            }
            try nextTag()
        } while (unsafe tag == entry.pointee.tag)
    }
}
