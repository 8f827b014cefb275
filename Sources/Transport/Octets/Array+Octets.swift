// Octets are copied only by the two functions labelled `copying:`, so a search for that label
// finds every copy of a payload.

extension [UInt8] {
    /// Copies `octets` out of the buffer that they are borrowed from.
    package init(copying octets: Span<UInt8>) {
        // The pointer lives inside the closure only, and the span bounds it.
        self = unsafe octets.withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }

    package mutating func append(copying octets: Span<UInt8>) {
        // The pointer lives inside the closure only, and the span bounds it. Measured: a loop
        // over the span's indices costs several times a memcpy.
        unsafe octets.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Appends `value`, big-endian.
    package mutating func appendUInt16(_ value: UInt16) {
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends the low 24 bits of `value`, big-endian.
    package mutating func appendUInt24(_ value: UInt32) {
        assert(value < 1 << 24)
        append(UInt8(truncatingIfNeeded: value >> 16))
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends `value`, big-endian.
    package mutating func appendUInt32(_ value: UInt32) {
        append(UInt8(truncatingIfNeeded: value >> 24))
        appendUInt24(value & 0x00ff_ffff)
    }
}
