// The only code that reads through the pointer. Each function compares with `end` first.
extension FieldDecoder {
    @inlinable
    @inline(__always)
    package mutating func nextTag() throws(WireError) {
        unsafe tagStart = cursor
        guard unsafe cursor < end else {
            tag = Tag.end
            return
        }
        let byte = unsafe cursor.pointee
        if byte < 0x80 {
            tag = UInt32(byte)
            unsafe cursor += 1
        } else {
            try longTag()
        }
    }

    @inlinable
    @inline(__always)
    package mutating func varint() throws(WireError) -> UInt64 {
        guard unsafe cursor < end else { throw failure(.truncated) }
        let byte = unsafe cursor.pointee
        if byte < 0x80 {
            unsafe cursor += 1
            return UInt64(byte)
        }
        if unsafe end - cursor >= 2, unsafe cursor[1] < 0x80 {
            let value = unsafe UInt64(byte & 0x7f) | UInt64(cursor[1]) &<< 7
            unsafe cursor += 2
            return value
        }
        return try longVarint()
    }

    /// Reads a length. Fails if it is larger than the rest of the input.
    @inlinable
    @inline(__always)
    package mutating func length() throws(WireError) -> Int {
        let count = try varint()
        guard unsafe count <= UInt64(end - cursor) else { throw failure(.truncated) }
        return Int(truncatingIfNeeded: count)
    }

    @inlinable
    @inline(__always)
    package mutating func fixed32() throws(WireError) -> UInt32 {
        guard unsafe end - cursor >= 4 else { throw failure(.truncated) }
        let value = unsafe UnsafeRawPointer(cursor).loadUnaligned(as: UInt32.self)
        unsafe cursor += 4
        return UInt32(littleEndian: value)
    }

    @inlinable
    @inline(__always)
    package mutating func fixed64() throws(WireError) -> UInt64 {
        guard unsafe end - cursor >= 8 else { throw failure(.truncated) }
        let value = unsafe UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self)
        unsafe cursor += 8
        return UInt64(littleEndian: value)
    }

    @inlinable
    @inline(__always)
    package mutating func byteArray() throws(WireError) -> [UInt8] {
        let count = try length()
        guard count > 0 else { return [] }
        let bytes = unsafe [UInt8](UnsafeBufferPointer(start: cursor, count: count))
        unsafe cursor += count
        return bytes
    }

    @inlinable
    package mutating func string() throws(WireError) -> String {
        let count = try length()
        return count > 0 ? try string(count) : ""
    }

    @inlinable
    mutating func string(_ count: Int) throws(WireError) -> String {
        let bytes = unsafe UnsafeBufferPointer(start: cursor, count: count)
        let string: String
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            do throws(UTF8.ValidationError) {
                // Several times faster than `String(validating:as:)`, which is generic.
                string = String(copying: try UTF8Span(validating: unsafe bytes.span))
            } catch {
                throw failure(.invalidUTF8)
            }
        } else {
            guard let valid = unsafe String(validating: bytes, as: UTF8.self) else {
                throw failure(.invalidUTF8)
            }
            string = valid
        }
        unsafe cursor += count
        return string
    }

    /// A varint of any size.
    @usableFromInline
    @inline(never)
    mutating func longVarint() throws(WireError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while unsafe cursor < end {
            let byte = unsafe cursor.pointee
            unsafe cursor += 1
            value |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 {
                // Only one bit of the tenth byte fits into the value. The other bits are dropped, as in
                // the implementations in C++ and C.
                return value
            }
            shift &+= 7
            guard shift < 70 else { throw failure(.overlongVarint) }
        }
        throw failure(.truncated)
    }

    /// Reads a tag of more than one byte, which fields from number 16 on have. A tag has at most five bytes,
    /// while a value may have ten. Protobuf's conformance tests require the limit for tags.
    @usableFromInline
    @inline(never)
    mutating func longTag() throws(WireError) {
        if unsafe end - cursor >= 2, unsafe cursor[1] < 0x80 {
            tag = unsafe UInt32(cursor[0] & 0x7f) | UInt32(cursor[1]) &<< 7
            unsafe cursor += 2
            return
        }
        let value: UInt64
        do throws(WireError) { value = try longVarint() } catch {
            // The error has no path, because `tag` is still the tag of the previous field.
            throw WireError(error.reason, offset: error.offset)
        }
        guard unsafe cursor - tagStart <= 5, let tag = UInt32(exactly: value) else {
            throw WireError(.overlongVarint, offset: offset)
        }
        guard tag != Tag.end else { throw WireError(.invalidTag, offset: offset) }
        self.tag = tag
    }

    /// How many varints end before `end`.
    @usableFromInline
    package func varintCount() -> Int {
        var count = 0
        let left = unsafe end - cursor
        for index in 0..<left where unsafe cursor[index] < 0x80 { count &+= 1 }
        return count
    }

    @usableFromInline package var offset: Int { unsafe cursor - start }

    /// An error in the value of the current tag, at the current offset.
    @usableFromInline
    @inline(never)
    package func failure(_ reason: WireError.Reason) -> WireError {
        WireError(reason, offset: offset, path: [tag &>> 3])
    }
}
