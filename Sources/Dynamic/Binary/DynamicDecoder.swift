import SwiftletMessages

/// Decodes the binary format into storages, by the same wire primitives as compiled messages.
struct DynamicDecoder {
    var wire: FieldDecoder
    let pool: SchemaPool

    init(_ wire: FieldDecoder, pool: SchemaPool) {
        self.wire = wire
        self.pool = pool
    }

    /// Adds the fields up to the end of the input or of the group.
    mutating func fields(into storage: DynamicStorage) throws(WireError) {
        let layout = pool.messageLayouts[storage.type]
        if layout.isMessageSet { return try messageSet(into: storage) }
        try wire.nextTag()
        while wire.tag != Tag.end {
            let number = wire.tag &>> 3
            var index = layout.index(of: number)
            if index < 0 { index = pool.extensionIndex(of: storage.type, number: number) ?? -1 }
            if index >= 0, try field(pool.layouts[index], index, into: storage) { continue }
            // In a message outside of a group, this would be the end of group 0, which does not exist.
            if wire.openGroup != 0, wire.tag == Tag.make(wire.openGroup, .endGroup) { return }
            let unknown = unsafe try wire.skipRun()
            if wire.keepsUnknownFields { unsafe storage.unknown.append(contentsOf: unknown) }
        }
    }

    /// Reads the field whose tag is due, and the next tag. Returns false, and reads nothing, if the
    /// wire type is not one of the field's.
    private mutating func field(
        _ layout: FieldLayout, _ index: Int, into storage: DynamicStorage
    ) throws(WireError) -> Bool {
        let type = wire.tag & 7
        switch layout.shape {
        case .implicit, .explicit, .required:
            guard type == layout.type.wireType.rawValue else { return false }
            try singular(layout, index, into: storage)
        case .list:
            guard
                type == layout.type.wireType.rawValue
                    || layout.type.isPackable && type == WireType.lengthDelimited.rawValue
            else { return false }
            try list(layout, index, into: storage)
        case .map:
            guard type == WireType.lengthDelimited.rawValue else { return false }
            try map(layout, index, into: storage)
        }
        return true
    }

    private mutating func singular(
        _ layout: FieldLayout, _ index: Int, into storage: DynamicStorage
    ) throws(WireError) {
        if layout.type.isMessage {
            if layout.oneof >= 0 { storage.clear(oneof: layout.oneof, but: layout.number) }
            guard storage.has(layout.number) else {
                // Decoded before it is stored, so that no access to the fields lasts meanwhile.
                let child = DynamicMessage(pool: pool, type: layout.targetIndex)
                try message(layout, into: child.storage)
                storage.store(.message(child), number: layout.number, field: index, oneof: -1)
                return try wire.nextTag()
            }
            try storage.update(
                layout.number, field: index,
                initial: .message(DynamicMessage(pool: pool, type: layout.targetIndex))
            ) { value throws(WireError) in
                try value.mergeMessage { child throws(WireError) in
                    try message(layout, into: child)
                }
            }
        } else if let value = try value(layout) {
            if layout.shape == .implicit, value.isZero {
                storage.clear(layout.number)
            } else {
                storage.store(value, number: layout.number, field: index, oneof: layout.oneof)
            }
        } else {
            keepAsUnknown(in: storage)
        }
        try wire.nextTag()
    }

    private mutating func list(
        _ layout: FieldLayout, _ index: Int, into storage: DynamicStorage
    ) throws(WireError) {
        guard storage.has(layout.number) else {
            var values: [DynamicValue] = []
            try elements(layout, into: &values, storage)
            guard !values.isEmpty else { return }
            return storage.store(
                .list(values), number: layout.number, field: index, oneof: -1)
        }
        try storage.update(layout.number, field: index, initial: .list([])) {
            value throws(WireError) in
            try value.changeList { values throws(WireError) in
                try elements(layout, into: &values, storage)
            }
        }
        storage.clearIfEmpty(layout.number)
    }

    /// Reads elements as long as the tag is the same.
    private mutating func elements(
        _ layout: FieldLayout, into values: inout [DynamicValue], _ storage: DynamicStorage
    ) throws(WireError) {
        let tag = wire.tag
        repeat {
            if layout.type.isMessage {
                let child = DynamicMessage(pool: pool, type: layout.targetIndex)
                try message(layout, into: child.storage)
                values.append(.message(child))
            } else if tag & 7 != layout.type.wireType.rawValue {
                try packed(layout, into: &values, storage)
            } else if let value = try value(layout) {
                values.append(value)
            } else {
                keepAsUnknown(in: storage)
            }
            try wire.nextTag()
        } while wire.tag == tag
    }

    private mutating func packed(
        _ layout: FieldLayout, into values: inout [DynamicValue], _ storage: DynamicStorage
    ) throws(WireError) {
        let byteCount = try wire.length()
        let outerEnd = unsafe wire.end
        unsafe wire.end = wire.cursor + byteCount
        while unsafe wire.cursor < wire.end {
            if let value = try value(layout) {
                values.append(value)
            } else if wire.keepsUnknownFields, let number = lastEnum {
                storage.appendUnknown(layout.number, number)
            }
        }
        unsafe wire.end = outerEnd
    }

    /// The number of the last value that a closed enum did not know.
    private var lastEnum: Int32?

    /// The value whose tag is due; nil for one that the field cannot hold but that is no error: an
    /// unknown value of a closed enum, or bytes in a string field that does not ask for UTF-8.
    mutating func value(_ layout: FieldLayout) throws(WireError) -> DynamicValue? {
        switch layout.type {
        case .double: return .double(Double(bitPattern: try wire.fixed64()))
        case .float: return .float(Float(bitPattern: try wire.fixed32()))
        case .int64: return .int64(Int64(bitPattern: try wire.varint()))
        case .uint64: return .uint64(try wire.varint())
        case .int32: return .int32(Int32(truncatingIfNeeded: try wire.varint()))
        case .fixed64: return .uint64(try wire.fixed64())
        case .fixed32: return .uint32(try wire.fixed32())
        case .bool: return .bool(try wire.varint() != 0)
        case .string: return try string(layout)
        case .bytes: return .bytes(try wire.byteArray())
        case .uint32: return .uint32(UInt32(truncatingIfNeeded: try wire.varint()))
        case .enumeration:
            let number = Int32(truncatingIfNeeded: try wire.varint())
            guard layout.isClosedEnum, pool.enums[layout.targetIndex].positions[number] == nil
            else { return .enumeration(number) }
            lastEnum = number
            return nil
        case .sfixed32: return .int32(Int32(bitPattern: try wire.fixed32()))
        case .sfixed64: return .int64(Int64(bitPattern: try wire.fixed64()))
        case .sint32:
            let value = UInt64(UInt32(truncatingIfNeeded: try wire.varint()))
            return .int32(Int32(truncatingIfNeeded: Varint.unZigZag(value)))
        case .sint64: return .int64(Varint.unZigZag(try wire.varint()))
        case .message, .group:
            let child = DynamicMessage(pool: pool, type: layout.targetIndex)
            try message(layout, into: child.storage)
            return .message(child)
        }
    }

    private mutating func string(_ layout: FieldLayout) throws(WireError) -> DynamicValue? {
        let start = unsafe wire.cursor
        do throws(WireError) {
            return .string(try wire.string())
        } catch {
            guard error.reason == .invalidUTF8, !layout.validatesUTF8 else { throw error }
        }
        unsafe wire.cursor = start
        let byteCount = try wire.length()
        unsafe wire.cursor += byteCount
        return nil
    }

    /// Keeps the field that was just read as it was encoded.
    func keepAsUnknown(in storage: DynamicStorage) {
        guard wire.keepsUnknownFields else { return }
        // Safe: the decoder has checked that these bytes are in its buffer.
        let field = unsafe UnsafeBufferPointer(
            start: wire.tagStart, count: wire.cursor - wire.tagStart)
        unsafe storage.unknown.append(contentsOf: field)
    }
}
