// Values that consist of fields: messages, groups and map entries.
//
// Safe: `base` is the address of a message of the table's type, to which nobody else has access until the decoding
// ends. Each entry's offset and type are those of a stored property of that message.
extension FieldDecoder {
    /// Reads fields up to the end of the message or group.
    mutating func fields(
        into base: UnsafeMutableRawPointer, _ table: UnsafePointer<FieldTable>
    ) throws(WireError) {
        unsafe MessageCheck.onFirstUse(table)
        try nextTag()
        // The entry after the last one matches no tag.
        var expected = unsafe table.pointee.entries
        while tag != Tag.end {
            if unsafe expected.pointee.tag != tag {
                guard let found = unsafe table.pointee.entry(for: tag) else {
                    // Outside of a group, `openGroup` is 0, which is no valid field number. So no tag ends the
                    // message.
                    if openGroup != 0, tag == Tag.make(openGroup, .endGroup) { return }
                    unsafe try unknown(into: base, table)
                    continue
                }
                unsafe expected = found
            }
            unsafe try field(expected, base + Int(expected.pointee.offset))
            unsafe expected += 1
        }
    }

    private mutating func unknown(
        into base: UnsafeMutableRawPointer, _ table: UnsafePointer<FieldTable>
    ) throws(WireError) {
        let skipped = unsafe try skipRun()
        guard keepsUnknownFields else { return }
        if let offset = unsafe table.pointee.unknownFieldsOffset {
            unsafe (base + offset).assumingMemoryBound(to: UnknownFields.self).pointee.append(
                skipped)
        } else {
            unsafe table.pointee.type._withUnsafeGuaranteedRef {
                unsafe $0.appendUnknown(skipped, to: base)
            }
        }
    }

    mutating func nested(
        into message: UnsafeMutableRawPointer, _ table: UnsafePointer<FieldTable>, _ number: UInt32
    ) throws(WireError) {
        let byteCount = try length()
        guard depthLeft > 0 else { throw failure(.tooDeep) }
        let outerEnd = unsafe end
        let outerGroup = openGroup
        unsafe end = cursor + byteCount
        openGroup = 0
        depthLeft &-= 1
        do throws(WireError) { unsafe try fields(into: message, table) } catch {
            throw error.inside(number)
        }
        depthLeft &+= 1
        openGroup = outerGroup
        unsafe end = outerEnd
    }

    mutating func group(
        into message: UnsafeMutableRawPointer, _ table: UnsafePointer<FieldTable>, _ number: UInt32
    ) throws(WireError) {
        guard depthLeft > 0 else { throw failure(.tooDeep) }
        let outerGroup = openGroup
        openGroup = number
        depthLeft &-= 1
        do throws(WireError) { unsafe try fields(into: message, table) } catch {
            throw error.inside(number)
        }
        guard tag == Tag.make(number, .endGroup) else {
            throw WireError(.truncated, offset: offset, path: [number])
        }
        depthLeft &+= 1
        openGroup = outerGroup
    }

    /// An entry of a map is a message of two fields, the key and the value.
    mutating func entry(
        _ number: UInt32, _ detail: MapField, _ key: UnsafeMutableRawPointer,
        _ value: UnsafeMutableRawPointer
    ) throws(WireError) {
        let byteCount = try length()
        let outerEnd = unsafe end
        unsafe end = cursor + byteCount
        do throws(WireError) { unsafe try parts(of: detail, key, value) } catch {
            throw error.inside(number)
        }
        if unsafe detail.key.pointee.code == .string {
            let key = unsafe key.assumingMemoryBound(to: String.self)
            guard unsafe CombiningMarks.areBounded(in: key.pointee) else {
                throw WireError(.invalidValue, offset: offset, path: [number])
            }
        }
        unsafe end = outerEnd
    }

    private mutating func parts(
        of detail: MapField, _ key: UnsafeMutableRawPointer, _ value: UnsafeMutableRawPointer
    ) throws(WireError) {
        try nextTag()
        while tag != Tag.end {
            if unsafe tag == detail.key.pointee.tag {
                try unsafe self.value(detail.key, key)
                try nextTag()
            } else if unsafe tag == detail.value.pointee.tag {
                try unsafe self.value(detail.value, value)
                try nextTag()
            } else {
                // A map entry cannot store unknown fields.
                _ = unsafe try skipRun()
            }
        }
    }
}
