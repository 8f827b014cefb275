/// Integers in groups of seven bits, the low group first.
package enum Varint {
    /// The size of `value` in bytes: one byte for each seven bits, rounded up.
    @inline(__always)
    package static func byteCount(_ value: UInt64) -> Int {
        // (9 · bits + 64) / 64 is ceil(bits / 7) for 1...64 bits, without a division.
        (640 &- (value | 1).leadingZeroBitCount &* 9) &>> 6
    }

    /// Converts numbers near zero to small numbers: 0, -1, 1, -2 become 0, 1, 2, 3.
    @inline(__always)
    package static func zigZag(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: value &<< 1 ^ value &>> 63)
    }

    @inline(__always)
    package static func unZigZag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// Reverses ZigZag for a `sint32`. Uses only the low 32 bits of `value`.
    @inline(__always)
    package static func unZigZag32(_ value: UInt64) -> Int32 {
        Int32(truncatingIfNeeded: unZigZag(UInt64(UInt32(truncatingIfNeeded: value))))
    }
}
