extension Array {
    /// The same bytes as a `ContiguousArray`, which has a `span` on all supported platforms.
    /// `Array` has one only from macOS 26 and iOS 26 on. Nothing is copied.
    @inlinable
    @inline(__always)
    package var contiguous: ContiguousArray<Element> { ContiguousArray(self) }
}

// Only the two functions labelled `copying:` copy bytes, so a search for that label finds every
// copy of a payload.

extension [UInt8] {
    /// Copies borrowed bytes.
    package init(copying bytes: Span<UInt8>) {
        // The pointer is valid only inside the closure, and the span bounds it.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }

    package mutating func append(copying bytes: Span<UInt8>) {
        // The pointer is valid only inside the closure, and the span bounds it. Measured: a loop
        // over the span's indices takes several times as long as memcpy.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Appends `value`, big-endian.
    mutating func appendUInt16(_ value: UInt16) {
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends the low 24 bits of `value`, big-endian.
    mutating func appendUInt24(_ value: UInt32) {
        assert(value < 1 << 24)
        append(UInt8(truncatingIfNeeded: value >> 16))
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends `value`, big-endian.
    mutating func appendUInt32(_ value: UInt32) {
        append(UInt8(truncatingIfNeeded: value >> 24))
        appendUInt24(value & 0x00ff_ffff)
    }
}
