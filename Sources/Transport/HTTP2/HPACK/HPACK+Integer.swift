extension HPACK {
    /// Reads a prefix-coded integer (RFC 7541 §5.1) at `offset`, and moves `offset` to the byte
    /// after it.
    ///
    /// - Parameter prefixBits: How many low bits of the first byte belong to the integer, 4–8.
    static func readInteger(
        from block: Span<UInt8>, at offset: inout Int, prefixBits: Int
    ) throws(Malformation) -> Int {
        guard offset < block.count else { throw .truncated }
        let prefixMax = (1 << prefixBits) - 1
        var value = Int(block[offset]) & prefixMax
        offset += 1
        guard value == prefixMax else { return value }

        // §5.1 has no upper bound. Four more bytes reach 2²⁸, which is more than any accepted table
        // size or string length, and cannot overflow.
        for shift in stride(from: 0, through: 21, by: 7) {
            guard offset < block.count else { throw .truncated }
            let byte = block[offset]
            offset += 1
            value += Int(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw .integerTooLarge
    }

    /// Appends `value`. The bits of `pattern` precede it in the first byte.
    @inline(__always)
    static func append(
        integer value: Int, prefixBits: Int, pattern: UInt8, to output: inout [UInt8]
    ) {
        let prefixMax = (1 << prefixBits) - 1
        if value < prefixMax {
            output.append(pattern | UInt8(truncatingIfNeeded: value))
        } else {
            output.append(pattern | UInt8(truncatingIfNeeded: prefixMax))
            append(continuation: value - prefixMax, to: &output)
        }
    }

    private static func append(continuation: Int, to output: inout [UInt8]) {
        var rest = continuation
        while rest >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        output.append(UInt8(truncatingIfNeeded: rest))
    }
}
