// The only code that writes through the pointer.
extension FieldWriter {
    @inlinable
    @inline(__always)
    mutating func varint(_ value: UInt64) {
        unsafe precondition(cursor <= limit, "a message grew while it was encoded")
        // Safe: ten octets at most, and the slack behind the limit holds more.
        if value < 0x4000 {
            // One octet or two without a branch, which lists of mixed sizes would have mispredicted.
            let isLong: UInt64 = value < 0x80 ? 0 : 1
            unsafe cursor[0] = UInt8(truncatingIfNeeded: value & 0x7f | isLong &<< 7)
            unsafe cursor[1] = UInt8(truncatingIfNeeded: value &>> 7)
            unsafe cursor += Int(truncatingIfNeeded: 1 &+ isLong)
        } else {
            var rest = value
            repeat {
                unsafe cursor.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
                unsafe cursor += 1
                rest &>>= 7
            } while rest >= 0x80
            unsafe cursor.pointee = UInt8(truncatingIfNeeded: rest)
            unsafe cursor += 1
        }
    }

    @inlinable
    @inline(__always)
    mutating func fixed<Bits: FixedWidthInteger & BitwiseCopyable>(_ value: Bits) {
        unsafe precondition(cursor <= limit, "a message grew while it was encoded")
        // Safe: eight octets at most, and the slack behind the limit holds more.
        unsafe UnsafeMutableRawPointer(cursor).storeBytes(of: value.littleEndian, as: Bits.self)
        unsafe cursor += MemoryLayout<Bits>.size
    }

    @inlinable
    @inline(__always)
    mutating func octets(_ source: UnsafeBufferPointer<UInt8>) {
        unsafe precondition(source.count <= limit - cursor, "a message grew while it was encoded")
        guard let start = source.baseAddress else { return }
        // Safe: the room was checked above.
        unsafe cursor.update(from: start, count: source.count)
        unsafe cursor += source.count
    }

    @inlinable
    @inline(__always)
    mutating func octets(_ source: [UInt8]) {
        unsafe source.withUnsafeBufferPointer { unsafe octets($0) }
    }

    @inlinable
    @inline(__always)
    mutating func bytes(_ source: [UInt8]) {
        varint(UInt64(source.count))
        if unsafe source.count >= apart.pointee.minByteCount {
            // Safe: whoever made the writer holds on to both for as long as it writes.
            unsafe apart.pointee.leave(source, restByteCount: limit - cursor)
        } else {
            octets(source)
        }
    }

    @inlinable
    @inline(__always)
    mutating func string(_ source: String) {
        let written: Void? = unsafe source.utf8.withContiguousStorageIfAvailable { utf8 in
            varint(UInt64(utf8.count))
            unsafe octets(utf8)
        }
        if written == nil { bridged(source) }
    }

    /// A string that Objective-C lent, which does not lie in one piece.
    @usableFromInline
    @inline(never)
    mutating func bridged(_ source: String) {
        let utf8 = Array(source.utf8)
        varint(UInt64(utf8.count))
        octets(utf8)
    }
}
