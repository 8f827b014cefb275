// The fields of a message. Reads the message where it is: a copy would retain and release everything that the message
// refers to, which costs more than the encoding.
//
// Safe: `base` is the address of a message of the table's type, which is borrowed until the encoding ends. Each entry's
// offset and type are those of a stored property of that message.
extension FieldWriter {
    mutating func fields(at base: UnsafeRawPointer, _ table: UnsafePointer<FieldTable>) {
        unsafe MessageCheck.onFirstUse(table)
        var entry = unsafe table.pointee.entries
        let end = unsafe entry + table.pointee.count
        // For a smaller message, the table is read instead. All its absences are unknown, so the bits have no effect.
        let looked = unsafe table.pointee.hasEightBytes ? base : UnsafeRawPointer(table)
        while unsafe entry < end {
            if unsafe !entry.pointee.absence.holds(at: looked) {
                unsafe field(entry, base + Int(entry.pointee.offset))
            }
            unsafe entry += 1
        }
        guard options.keepsUnknownFields else { return }
        if let offset = unsafe table.pointee.unknownFieldsOffset {
            unsafe unknown(
                Lent.at((base + offset).assumingMemoryBound(to: UnknownFields.self)).pointee)
        } else {
            unsafe unknown(
                Lent(
                    value: table.pointee.type._withUnsafeGuaranteedRef {
                        unsafe $0.unknownFields(base)
                    }))
        }
    }

    @inline(__always)
    private mutating func unknown(_ fields: borrowing Lent<UnknownFields>) {
        guard fields.value.storage != nil else { return }
        copy(fields.value.bytes)
    }

    @inline(__always)
    private mutating func field(_ entry: UnsafePointer<TableEntry>, _ place: UnsafeRawPointer) {
        switch unsafe entry.pointee.plain {
        case .int32: unsafe singular(Int32Kind.self, entry, place)
        case .uint32: unsafe singular(UInt32Kind.self, entry, place)
        case .sint32: unsafe singular(SInt32Kind.self, entry, place)
        case .bits64: unsafe singular(UInt64Kind.self, entry, place)
        case .sint64: unsafe singular(SInt64Kind.self, entry, place)
        case .bool: unsafe singular(BoolKind.self, entry, place)
        case .fixed32: unsafe singular(Fixed32Kind.self, entry, place)
        case .fixed64: unsafe singular(Fixed64Kind.self, entry, place)
        case .string:
            let place = unsafe place.assumingMemoryBound(to: String.self)
            if unsafe !place.pointee.isEmpty { unsafe string(entry, place) }
        case .bytes:
            let place = unsafe place.assumingMemoryBound(to: [UInt8].self)
            if unsafe !place.pointee.isEmpty { unsafe bytes(entry, place) }
        case .message:
            // Safe: an optional stores its value at its start.
            let isPresent = unsafe entry.pointee.messageType._withUnsafeGuaranteedRef {
                unsafe $0.presence.isPresent(place)
            }
            if isPresent { unsafe message(entry, place, entry.pointee.nestedTable) }
        case .none: unsafe otherField(entry, place)
        }
    }

    private mutating func otherField(
        _ entry: UnsafePointer<TableEntry>, _ place: UnsafeRawPointer
    ) {
        switch unsafe entry.pointee.shape {
        case .optional:
            // Safe: an optional stores its value at its start.
            if unsafe FieldValue.isPresent(entry.pointee, place) { unsafe value(entry, place) }
        case .list: unsafe list(entry, place)
        case .packedList: unsafe numbers(entry, place)
        case .singular, .required: unsafe value(entry, place)
        case .indirect: unsafe messages(entry, place)
        case .defaulted: unsafe defaulted(entry, place)
        case .map: unsafe map(entry, place)
        case .oneof: unsafe oneof(entry, place)
        }
    }

    /// The tag of a field, whose bytes are known.
    @inline(__always)
    private mutating func tag(_ entry: UnsafePointer<TableEntry>) {
        guard count <= limit else { return unsafe varintAtLimit(UInt64(entry.pointee.tag)) }
        // Safe: a tag has at most five bytes, and the slack beyond the limit is larger than eight.
        unsafe UnsafeMutableRawPointer(start + count)
            .storeBytes(of: entry.pointee.tagBytes.littleEndian, as: UInt64.self)
        unsafe count &+= Int(entry.pointee.tagByteCount)
    }

    @inline(__always)
    private mutating func varint(_ entry: UnsafePointer<TableEntry>, _ bits: UInt64) {
        unsafe tag(entry)
        varint(bits)
    }

    @inline(__always)
    private mutating func number<K: NumberKind>(_: K.Type, _ value: K.Value) {
        switch K.wireType {
        case .fixed32: fixed(UInt32(truncatingIfNeeded: K.bits(of: value)))
        case .fixed64: fixed(K.bits(of: value))
        default: varint(K.bits(of: value))
        }
    }
}

// MARK: - Single values

extension FieldWriter {
    @inline(__always)
    private mutating func singular<K: NumberKind>(
        _: K.Type, _ entry: UnsafePointer<TableEntry>, _ place: UnsafeRawPointer
    ) {
        let value = unsafe place.load(as: K.Value.self)
        guard K.bits(of: value) != 0 else { return }
        unsafe tag(entry)
        number(K.self, value)
    }

    /// The tag and the value.
    mutating func value(_ entry: UnsafePointer<TableEntry>, _ place: UnsafeRawPointer) {
        switch unsafe entry.pointee.code {
        case .string: unsafe string(entry, place.assumingMemoryBound(to: String.self))
        case .bytes: unsafe bytes(entry, place.assumingMemoryBound(to: [UInt8].self))
        case .message, .group:
            unsafe message(entry, place, entry.pointee.nestedTable)
        case .int32, .enumeration: unsafe value(Int32Kind.self, entry, place)
        case .int64, .uint64: unsafe value(UInt64Kind.self, entry, place)
        case .uint32: unsafe value(UInt32Kind.self, entry, place)
        case .sint32: unsafe value(SInt32Kind.self, entry, place)
        case .sint64: unsafe value(SInt64Kind.self, entry, place)
        case .bool: unsafe value(BoolKind.self, entry, place)
        case .fixed32, .sfixed32, .float: unsafe value(Fixed32Kind.self, entry, place)
        case .fixed64, .sfixed64, .double: unsafe value(Fixed64Kind.self, entry, place)
        }
    }

    @inline(__always)
    private mutating func value<K: NumberKind>(
        _: K.Type, _ entry: UnsafePointer<TableEntry>, _ place: UnsafeRawPointer
    ) {
        unsafe tag(entry)
        number(K.self, unsafe place.load(as: K.Value.self))
    }

    private mutating func message(
        _ entry: UnsafePointer<TableEntry>, _ message: UnsafeRawPointer,
        _ table: UnsafePointer<FieldTable>
    ) {
        unsafe tag(entry)
        if unsafe entry.pointee.code == .message {
            let nested = openLength()
            unsafe fields(at: message, table)
            closeLength(nested)
        } else {
            unsafe fields(at: message, table)
            unsafe varint(UInt64(Tag.make(entry.pointee.number, .endGroup)))
        }
    }

    @inline(__always)
    private mutating func string(
        _ entry: UnsafePointer<TableEntry>, _ source: UnsafePointer<String>
    ) {
        let byteCount = unsafe source.pointee.utf8.count
        if byteCount >= Self.largeByteCount { widenLength(by: byteCount) }
        unsafe varint(entry, UInt64(byteCount))
        unsafe copy(text: Lent.at(source).pointee)
    }

    @inline(__always)
    private mutating func bytes(
        _ entry: UnsafePointer<TableEntry>, _ source: UnsafePointer<[UInt8]>
    ) {
        let byteCount = unsafe source.pointee.count
        let isSeparate =
            unsafe separate.map { unsafe byteCount >= $0.pointee.minByteCount } ?? false
        if byteCount >= Self.largeByteCount, !isSeparate { widenForLarge(byteCount) }
        unsafe varint(entry, UInt64(byteCount))
        if isSeparate {
            unsafe separateBytes(source)
        } else {
            unsafe copy(bytes: Lent.at(source).pointee)
        }
    }
}

// MARK: - Lists

extension FieldWriter {
    private mutating func list(_ entry: UnsafePointer<TableEntry>, _ place: UnsafeRawPointer) {
        switch unsafe entry.pointee.code {
        case .string:
            unsafe elements(String.self, place) { writer, element in
                unsafe writer.string(entry, element)
            }
        case .bytes:
            unsafe elements([UInt8].self, place) { writer, element in
                unsafe writer.bytes(entry, element)
            }
        case .message, .group: unsafe messages(entry, place)
        default: unsafe numbers(entry, place)
        }
    }

    private mutating func messages(_ entry: UnsafePointer<TableEntry>, _ place: UnsafeRawPointer) {
        let (table, stride) = unsafe entry.pointee.messageType._withUnsafeGuaranteedRef { type in
            unsafe (type.table, type.stride)
        }
        unsafe ListElements(at: place).forEach(stride: stride) { unsafe message(entry, $0, table) }
    }

    @inline(__always)
    private mutating func elements<Element>(
        _: Element.Type, _ place: UnsafeRawPointer,
        _ body: (inout FieldWriter, UnsafePointer<Element>) -> Void
    ) {
        unsafe ListElements(at: place).forEach(stride: MemoryLayout<Element>.stride) {
            unsafe body(&self, $0.assumingMemoryBound(to: Element.self))
        }
    }

    private mutating func numbers(_ entry: UnsafePointer<TableEntry>, _ place: UnsafeRawPointer) {
        switch unsafe entry.pointee.code {
        case .int32, .enumeration: unsafe numbers(Int32Kind.self, entry, place)
        case .int64: unsafe numbers(Int64Kind.self, entry, place)
        case .uint32: unsafe numbers(UInt32Kind.self, entry, place)
        case .uint64: unsafe numbers(UInt64Kind.self, entry, place)
        case .sint32: unsafe numbers(SInt32Kind.self, entry, place)
        case .sint64: unsafe numbers(SInt64Kind.self, entry, place)
        case .bool: unsafe numbers(BoolKind.self, entry, place)
        case .fixed32: unsafe numbers(Fixed32Kind.self, entry, place)
        case .fixed64: unsafe numbers(Fixed64Kind.self, entry, place)
        case .sfixed32: unsafe numbers(SFixed32Kind.self, entry, place)
        case .sfixed64: unsafe numbers(SFixed64Kind.self, entry, place)
        case .float: unsafe numbers(FloatKind.self, entry, place)
        case .double: unsafe numbers(DoubleKind.self, entry, place)
        case .string, .bytes, .message, .group: break
        }
    }

    private mutating func numbers<K: NumberKind>(
        _: K.Type, _ entry: UnsafePointer<TableEntry>, _ place: UnsafeRawPointer
    ) {
        guard unsafe entry.pointee.shape == .packedList else {
            return unsafe elements(K.Value.self, place) { writer, element in
                unsafe writer.tag(entry)
                writer.number(K.self, unsafe element.pointee)
            }
        }
        let count = unsafe ListElements(at: place).count
        guard count > 0 else { return }
        unsafe tag(entry)
        if let width = K.fixedByteCount {
            varint(UInt64(count &* width))
            unsafe elements(K.Value.self, place) { writer, element in
                writer.number(K.self, unsafe element.pointee)
            }
        } else {
            let length = openLength()
            unsafe elements(K.Value.self, place) { writer, element in
                writer.number(K.self, unsafe element.pointee)
            }
            closeLength(length)
        }
    }
}

// MARK: - Other shapes

extension FieldWriter {
    private mutating func defaulted(_ entry: UnsafePointer<TableEntry>, _ place: UnsafeRawPointer) {
        let detail = unsafe entry.pointee.detail(as: DefaultValue.self)
        if unsafe !detail.isDefault(place) { unsafe value(detail.value, place) }
    }

    private mutating func oneof(_ entry: UnsafePointer<TableEntry>, _ place: UnsafeRawPointer) {
        unsafe entry.pointee.unmanagedDetail(as: OneofField.self)._withUnsafeGuaranteedRef {
            detail in
            unsafe detail.functions.pointee.visit(place) { content in
                unsafe value(detail.value, content)
            }
        }
    }

    private mutating func map(_ entry: UnsafePointer<TableEntry>, _ place: UnsafeRawPointer) {
        let detail = unsafe entry.pointee.detail(as: MapField.self)
        unsafe detail.forEach(place, options.isDeterministic) { key, content in
            unsafe tag(entry)
            let length = openLength()
            unsafe value(detail.key, key)
            unsafe value(detail.value, content)
            closeLength(length)
        }
    }
}
