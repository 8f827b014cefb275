// Length prefixes. Each is written before its value, but is known only when the value is complete.
extension FieldWriter {
    /// The state that the writer must restore when a value of unknown length is complete.
    struct OuterLength {
        let index: Int
        let width: Int
        let separateByteCount: Int

        init(index: Int, width: Int, separateByteCount: Int) {
            self.index = index
            self.width = width
            self.separateByteCount = separateByteCount
        }
    }

    /// If a string or bytes value has at least this size, the length of the message that contains it
    /// needs more than one byte.
    static var largeByteCount: Int { 0x80 }

    /// Reserves one byte for a length.
    @inline(__always)
    mutating func openLength() -> OuterLength {
        let outer = OuterLength(
            index: openIndex, width: openWidth, separateByteCount: separateByteCount)
        openIndex = count
        openWidth = 1
        count += 1
        return outer
    }

    /// Writes the length that was opened last. A length of one or two bytes needs no function call, unless
    /// bytes must be moved.
    @inline(__always)
    mutating func closeLength(_ outer: OuterLength) {
        let contentByteCount = count &- openIndex &- openWidth
        let length = contentByteCount &+ separateByteCount &- outer.separateByteCount
        // Safe: the index is checked. The slack has room for a second byte.
        if 0..<0x80 ~= length, openWidth == 1, openIndex >= 0, openIndex <= limit {
            unsafe start[openIndex] = UInt8(truncatingIfNeeded: length)
        } else if 0x80..<0x4000 ~= length, contentByteCount >= 0, openWidth == 2, openIndex >= 0,
            openIndex <= limit
        {
            unsafe start[openIndex] = UInt8(truncatingIfNeeded: length) | 0x80
            unsafe start[openIndex &+ 1] = UInt8(truncatingIfNeeded: length &>> 7)
        } else {
            closeLongLength(outer)
        }
        openIndex = outer.index
        openWidth = outer.width
    }

    @inline(never)
    mutating func closeLongLength(_ outer: OuterLength) {
        let contentByteCount = count - openIndex - openWidth
        let length = contentByteCount + separateByteCount - outer.separateByteCount
        guard openIndex >= 0, contentByteCount >= 0, length >= 0 else {
            ProgramError.stopChanged()
        }
        setLengthWidth(to: max(Varint.byteCount(UInt64(length)), openWidth))
        guard count <= limit || moved(for: Self.slack) else { return }
        var rest = length
        for index in openIndex..<openIndex + openWidth - 1 {
            // Safe: the index is below `count`.
            unsafe start[index] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest &>>= 7
        }
        unsafe start[openIndex + openWidth - 1] = UInt8(truncatingIfNeeded: rest)
    }

    /// Widens the open length for a bytes field with `byteCount` bytes, which is at least
    /// `largeByteCount`. Often that field is the first, so that no bytes have to be moved, and the length
    /// needs two bytes: this needs no function call.
    @inline(__always)
    mutating func widenForLarge(_ byteCount: Int) {
        if openIndex >= 0, openWidth == 1, count &- openIndex == 1, byteCount < 0x4000 - Self.slack
        {
            count &+= 1
            openWidth = 2
        } else {
            widenLength(by: byteCount)
        }
    }

    /// Widens the open length for a field with `byteCount` bytes, which is written next. Without this,
    /// these bytes would have to be moved later.
    @inline(never)
    mutating func widenLength(by byteCount: Int) {
        guard openIndex >= 0 else { return }
        let first = openIndex &+ openWidth
        let precedingByteCount = count &- first
        let length = precedingByteCount &+ byteCount
        // Usually, only a few bytes are between the length and the added bytes.
        if openWidth == 1, 0..<8 ~= precedingByteCount, 0x80..<0x4000 ~= length, count <= limit,
            separateByteCount == 0
        {
            // Safe: the slack has room for the bytes beyond `count`, which have no meaning.
            let source = unsafe UnsafeMutableRawPointer(start + first)
            unsafe (source + 1)
                .storeBytes(of: source.loadUnaligned(as: UInt64.self), as: UInt64.self)
            count &+= 1
            openWidth = 2
        } else if length > 0 {
            setLengthWidth(to: max(Varint.byteCount(UInt64(length)), openWidth))
        }
    }

    /// Widens the open length to `width` bytes, and moves the bytes after it.
    private mutating func setLengthWidth(to width: Int) {
        let first = openIndex + openWidth
        let extra = width - openWidth
        guard extra > 0, first <= count else { return }
        unsafe separate?.pointee.move(from: first, by: extra)
        if count <= limit || moved(for: Self.slack) {
            // Safe: a length has at most ten bytes, and the slack beyond the limit is larger.
            let source = unsafe UnsafeMutableRawPointer(start + first)
            unsafe (source + extra).copyMemory(from: source, byteCount: count - first)
        }
        count += extra
        openWidth = width
    }
}
