import SwiftletMessages

/// Decodes the binary format into contents, with the same wire primitives as compiled messages.
struct DynamicDecoder {
    var wire: FieldDecoder
    let pool: SchemaPool
    // The pool's tables. They are stored here, so that no reference is counted at each field.
    let layouts: [FieldLayout]
    let messageLayouts: [MessageLayout]
    private let tables: FieldTables
    private let enumRuns: [NumberRun]

    /// True if a message with required fields was read. A required field can then be missing.
    var needsRequiredCheck = false
    /// How the messages inside the current message are read.
    var nesting = Nesting.check
    /// The bytes that pending messages share.
    var window: Window?

    enum Nesting {
        /// Inner messages are checked. Their fields are read at their first use.
        case check
        /// Like `check`, but the inner messages have been checked already.
        case trust
        /// The fields of inner messages are read at once.
        case read
    }

    init(_ wire: FieldDecoder, pool: SchemaPool) {
        self.wire = wire
        self.pool = pool
        layouts = pool.layouts
        messageLayouts = pool.messageLayouts
        tables = pool.tables
        enumRuns = pool.enumRuns
    }

    /// Adds the fields up to the end of the input or of the group.
    mutating func fields(
        of message: Int, into contents: inout DynamicContents
    ) throws(WireError) {
        let layout = messageLayouts[message]
        if layout.isMessageSet { return try messageSet(message, into: &contents) }
        if !layout.required.isEmpty { needsRequiredCheck = true }
        try wire.nextTag()
        while wire.tag != Tag.end {
            let index = fieldIndex(wire.tag &>> 3, message, layout)
            if index >= 0, try field(layouts[index], index, into: &contents) { continue }
            // `openGroup` is 0 outside of a group. The tag for the end of group 0 is not valid.
            if wire.openGroup != 0, wire.tag == Tag.make(wire.openGroup, .endGroup) { return }
            let unknown = unsafe try wire.skipRun()
            if wire.keepsUnknownFields { unsafe contents.appendUnknown(unknown) }
        }
    }

    /// The index of a field or an extension in the pool; -1 when there is none.
    @inline(__always)
    func fieldIndex(_ number: UInt32, _ message: Int, _ layout: MessageLayout) -> Int {
        let index = tables.index(of: number, in: message, layout)
        if index >= 0 || !layout.hasExtensions { return index }
        return pool.extensionIndex(of: message, number: number) ?? -1
    }

    /// Reads the field whose tag was read last, and then the next tag. Returns false, and reads nothing, if the field
    /// cannot have the wire type of the tag.
    @inline(__always)
    private mutating func field(
        _ layout: FieldLayout, _ index: Int, into contents: inout DynamicContents
    ) throws(WireError) -> Bool {
        let type = wire.tag & 7
        switch layout.shape {
        case .implicit, .explicit, .required:
            guard type == layout.type.wireType.rawValue else { return false }
            try singular(layout, index, into: &contents)
        case .list:
            guard
                type == layout.type.wireType.rawValue
                    || layout.type.isPackable && type == WireType.lengthDelimited.rawValue
            else { return false }
            try list(layout, index, into: &contents)
        case .map:
            guard type == WireType.lengthDelimited.rawValue else { return false }
            try map(layout, index, into: &contents)
        }
        return true
    }

    private mutating func singular(
        _ layout: FieldLayout, _ index: Int, into contents: inout DynamicContents
    ) throws(WireError) {
        if layout.type.isMessage {
            clearOthers(layout, in: &contents)
            try singleMessage(layout, index, into: &contents)
        } else if let value = try scalar(layout) {
            if layout.shape == .implicit, value.isZero {
                contents.clear(layout.number)
            } else {
                clearOthers(layout, in: &contents)
                contents.store(value, number: layout.number, field: index)
            }
        } else {
            keepAsUnknown(in: &contents)
        }
        try wire.nextTag()
    }

    @inline(__always)
    private func clearOthers(_ layout: FieldLayout, in contents: inout DynamicContents) {
        guard layout.sharesOneof else { return }
        contents.clear(oneof: layout.oneof, but: layout.number, layouts: layouts)
    }

    private mutating func list(
        _ layout: FieldLayout, _ index: Int, into contents: inout DynamicContents
    ) throws(WireError) {
        let (position, isPresent) = contents.position(of: layout.number)
        var values: [DynamicValue] = []
        if isPresent, case .list(let old) = contents.take(at: position) { values = old }
        defer {
            if isPresent {
                contents.put(.list(values), at: position)
            } else if !values.isEmpty {
                contents.insert(.list(values), number: layout.number, field: index, at: position)
            }
        }
        if layout.type.isMessage {
            try messages(layout, into: &values)
        } else {
            try elements(layout, into: &values, &contents)
        }
    }

    /// Reads elements while the tag is the same.
    private mutating func elements(
        _ layout: FieldLayout, into values: inout [DynamicValue],
        _ contents: inout DynamicContents
    ) throws(WireError) {
        let tag = wire.tag
        if values.isEmpty, tag & 7 == WireType.lengthDelimited.rawValue, !layout.type.isPackable {
            values.reserveCapacity(unsafe wire.run().count)
        }
        repeat {
            if tag & 7 != layout.type.wireType.rawValue {
                try packed(layout, into: &values, &contents)
            } else if let value = try scalar(layout) {
                values.append(value)
            } else {
                keepAsUnknown(in: &contents)
            }
            try wire.nextTag()
        } while wire.tag == tag
    }

    /// Reads the value after the current tag. Its type is not a message. Returns nil if the field cannot hold
    /// the value, but the value is not an error: an unknown value of a closed enum, or a string that is not
    /// UTF-8 in a field that does not require UTF-8.
    @inline(__always)
    mutating func scalar(_ layout: FieldLayout) throws(WireError) -> DynamicValue? {
        switch layout.type {
        case .string: return try string(layout)
        case .bytes: return .bytes(try wire.byteArray())
        case .enumeration:
            let number = Int32(truncatingIfNeeded: try wire.varint())
            return isKnown(number, layout) ? .enumeration(number) : nil
        case .double: return .double(Double(bitPattern: try wire.fixed64()))
        case .float: return .float(Float(bitPattern: try wire.fixed32()))
        case .int64: return .int64(Int64(bitPattern: try wire.varint()))
        case .uint64: return .uint64(try wire.varint())
        case .int32: return .int32(Int32(truncatingIfNeeded: try wire.varint()))
        case .fixed64: return .uint64(try wire.fixed64())
        case .fixed32: return .uint32(try wire.fixed32())
        case .bool: return .bool(try wire.varint() != 0)
        case .uint32: return .uint32(UInt32(truncatingIfNeeded: try wire.varint()))
        case .sfixed32: return .int32(Int32(bitPattern: try wire.fixed32()))
        case .sfixed64: return .int64(Int64(bitPattern: try wire.fixed64()))
        case .sint32: return .int32(Varint.unZigZag32(try wire.varint()))
        case .sint64: return .int64(Varint.unZigZag(try wire.varint()))
        case .message, .group:
            assertionFailure("not a scalar")
            return nil
        }
    }

    /// Whether a field can hold the number. A field with a closed enum can hold only the values of this enum.
    @inline(__always)
    func isKnown(_ number: Int32, _ layout: FieldLayout) -> Bool {
        !layout.isClosedEnum || enumRuns[layout.targetIndex].contains(number)
            || pool.isValue(number, ofEnum: layout.targetIndex)
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

    /// Keeps the bytes of the field that was just read.
    func keepAsUnknown(in contents: inout DynamicContents) {
        guard wire.keepsUnknownFields else { return }
        // Safe: the decoder has checked that these bytes are in its buffer.
        let field = unsafe UnsafeBufferPointer(
            start: wire.tagStart, count: wire.cursor - wire.tagStart)
        unsafe contents.appendUnknown(field)
    }
}
