/// Integers in groups of seven bits, the low group first.
@usableFromInline
enum Varint {
    /// Octets that `value` takes: one for each seven bits begun.
    @inlinable
    @inline(__always)
    static func byteCount(_ value: UInt64) -> Int {
        // (9 · bits + 64) / 64 is ceil(bits / 7) for 1...64 bits, without a division.
        (640 &- (value | 1).leadingZeroBitCount &* 9) &>> 6
    }

    /// Numbers near zero become small ones: 0, -1, 1, -2 are 0, 1, 2, 3.
    @inlinable
    @inline(__always)
    static func zigZag(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: value &<< 1 ^ value &>> 63)
    }

    @inlinable
    @inline(__always)
    static func unZigZag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1)
    }
}
