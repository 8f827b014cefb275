// The few places where octets are compared and hashed a word at a time.

extension Span<UInt8> {
    /// Whether the octets are those of `text`.
    package func equals(_ text: StaticString) -> Bool { HPACK.equal(self, text) }
}

extension HPACK {
    static func equal(_ octets: Span<UInt8>, _ text: StaticString) -> Bool {
        guard octets.count == text.utf8CodeUnitCount else { return false }
        // A static string's pointer lives as long as the program, and its count bounds it.
        let expected = unsafe UnsafeBufferPointer(
            start: text.utf8Start, count: text.utf8CodeUnitCount)
        return unsafe equal(octets, Span(_unsafeElements: expected))
    }

    @inline(__always)
    static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        // Both pointers live inside the closures only, and each word read ends within `count`.
        return unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in
                let count = left.count
                var offset = 0
                while offset + 8 <= count {
                    guard
                        unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                            == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    else { return false }
                    offset += 8
                }
                while offset < count {
                    guard unsafe left[offset] == right[offset] else { return false }
                    offset += 1
                }
                return true
            }
        }
    }

    /// A hash that finds fields in the encoder's table. Only our own side chooses what is hashed
    /// here, and every hit is compared octet by octet, so it needs to be quick, not strong.
    @inline(__always)
    static func hash(_ octets: Span<UInt8>, seed: UInt64) -> UInt64 {
        // The pointer lives inside the closure only, and each word read ends within `count`.
        unsafe octets.withUnsafeBytes { bytes in
            let count = bytes.count
            var hash = mixed(seed ^ UInt64(truncatingIfNeeded: count))
            var offset = 0
            while offset + 8 <= count {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                hash = mixed(hash ^ word)
                offset += 8
            }
            var tail: UInt64 = 0
            if count >= 8 {
                // The last word again reads some octets twice, which does no harm.
                tail = unsafe bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            } else if count >= 4 {
                let low = unsafe bytes.loadUnaligned(as: UInt32.self)
                let high = unsafe bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
                tail = UInt64(high) << 32 | UInt64(low)
            } else {
                while offset < count {
                    tail = unsafe tail << 8 | UInt64(bytes[offset])
                    offset += 1
                }
            }
            return mixed(hash ^ tail)
        }
    }

    /// Both halves of a product, so that the high bits of `word` reach the low ones as well:
    /// names and values tend to differ at their end only.
    @inline(__always)
    private static func mixed(_ word: UInt64) -> UInt64 {
        let product = (word ^ 0xa076_1d64_78bd_642f).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        return product.high ^ product.low
    }
}
