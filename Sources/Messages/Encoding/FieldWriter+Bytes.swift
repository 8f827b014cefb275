// Writes values through the pointer. If `count` exceeds the limit, each addition to `count` is checked for
// overflow, so that `count` never becomes negative.
extension FieldWriter {
    @inline(__always)
    mutating func varint(_ value: UInt64) {
        // Safe: a varint has at most ten bytes, and the slack beyond the limit is larger.
        guard count <= limit else { return varintAtLimit(value) }
        if value < 0x4000 {
            // There is no branch for one or two bytes, because the CPU would mispredict it if sizes are
            // mixed.
            let isLong: UInt64 = value < 0x80 ? 0 : 1
            let pair = value & 0x7f | isLong &<< 7 | (value &>> 7) &<< 8
            unsafe UnsafeMutableRawPointer(start + count)
                .storeBytes(of: UInt16(truncatingIfNeeded: pair).littleEndian, as: UInt16.self)
            count &+= Int(truncatingIfNeeded: 1 &+ isLong)
        } else {
            var rest = value
            repeat {
                unsafe start[count] = UInt8(truncatingIfNeeded: rest) | 0x80
                count &+= 1
                rest &>>= 7
            } while rest >= 0x80
            unsafe start[count] = UInt8(truncatingIfNeeded: rest)
            count &+= 1
        }
    }

    @inline(__always)
    mutating func fixed<Bits: FixedWidthInteger & BitwiseCopyable>(_ value: Bits) {
        // Safe: the value has at most eight bytes, and the slack beyond the limit is larger.
        if count <= limit || moved(for: MemoryLayout<Bits>.size) {
            unsafe UnsafeMutableRawPointer(start + count)
                .storeBytes(of: value.littleEndian, as: Bits.self)
        }
        count += MemoryLayout<Bits>.size
    }

    @inline(__always)
    mutating func copy(_ source: UnsafeBufferPointer<UInt8>) {
        // Safe: the free space is checked. It is negative when `count` is beyond the limit.
        if source.count <= limit &- count || moved(for: source.count),
            let first = source.baseAddress
        {
            unsafe UnsafeMutableRawPointer(start + count)
                .copyMemory(from: first, byteCount: source.count)
        }
        count += source.count
    }

    @inline(__always)
    mutating func copy(_ source: [UInt8]) {
        unsafe source.withUnsafeBufferPointer { unsafe copy($0) }
    }

    @inline(never)
    mutating func separateBytes(_ source: UnsafePointer<[UInt8]>) {
        // Safe: the pointer is valid until the encoding ends.
        unsafe separate?.pointee.append(source.pointee, at: count)
        unsafe separateByteCount += source.pointee.count
    }

    @inline(__always)
    mutating func copy(bytes: borrowing Lent<[UInt8]>) {
        unsafe bytes.value.withUnsafeBufferPointer { unsafe copy($0) }
    }

    @inline(__always)
    mutating func copy(text: borrowing Lent<String>) {
        let copied: Void? = unsafe text.value.utf8.withContiguousStorageIfAvailable { utf8 in
            unsafe copy(utf8)
        }
        if copied == nil { copyBridged(text.value) }
    }

    /// Copies a string that is bridged from Objective-C. Its UTF-8 is not contiguous.
    @inline(never)
    mutating func copyBridged(_ source: String) { copy(Array(source.utf8)) }

    @inline(never)
    mutating func varintAtLimit(_ value: UInt64) {
        if moved(for: Self.slack) {
            varint(value)
        } else {
            count += Varint.byteCount(value)
        }
    }

    /// The longest value for which the writer moves to a larger buffer. For a longer value, the message is
    /// measured and written again, because copying the value twice would cost more.
    private static var maxMovedPieceByteCount: Int { 512 }

    /// Moves the written bytes to a larger buffer, which has room for `byteCount` more bytes. Returns false
    /// if the writer may only count from here on.
    @inline(never)
    mutating func moved(for byteCount: Int) -> Bool {
        guard let larger = unsafe larger, byteCount <= Self.maxMovedPieceByteCount,
            count <= LargerBuffers.maxMovedByteCount
        else {
            unsafe self.larger = nil
            return false
        }
        let room = max(4096, 2 * (count + byteCount))
        // Safe: both buffers have at least as many bytes as are copied.
        let buffer = unsafe larger.pointee.allocate(room + Self.slack)
        unsafe buffer.update(from: start, count: min(count, limit + Self.slack))
        unsafe start = buffer
        limit = room
        return true
    }
}
