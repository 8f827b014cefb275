// Comparison and hashing, eight bytes at a time.

extension Span<UInt8> {
    /// Whether the bytes are those of `text`.
    package func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        // A static string's pointer is valid as long as the program runs, and its count bounds it.
        let expected = unsafe UnsafeBufferPointer(
            start: text.utf8Start, count: text.utf8CodeUnitCount)
        return unsafe equals(Span(_unsafeElements: expected))
    }

    /// Whether the bytes are those of `text`, which is in lower case. The letters A–Z count as a–z.
    package func equals(ignoringCase text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        // A static string's pointer is valid as long as the program runs, and its count bounds it.
        let expected = unsafe UnsafeBufferPointer(
            start: text.utf8Start, count: text.utf8CodeUnitCount)
        for index in indices {
            let byte = self[index]
            let lower = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            guard unsafe lower == expected[index] else { return false }
        }
        return true
    }

    @inline(__always)
    func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        // Both pointers are used only inside the closures, and up to the count.
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                unsafe beginAlike(left, right, upTo: left.count)
            }
        }
    }

    /// A fast hash. It is not safe against chosen input: use it only if this side chooses the input, and
    /// compare every match.
    @inline(__always)
    func fastHash(seed: UInt64) -> UInt64 {
        // The pointer is used only inside the closure, and each word that is read ends within `count`.
        unsafe withUnsafeBytes { bytes in
            let count = bytes.count
            var hash = Self.mixed(seed ^ UInt64(truncatingIfNeeded: count))
            var offset = 0
            while offset + 8 <= count {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                hash = Self.mixed(hash ^ word)
                offset += 8
            }
            var tail: UInt64 = 0
            if count >= 8 {
                // The last word contains some bytes that were read before, which is harmless.
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
            return Self.mixed(hash ^ tail)
        }
    }

    /// Combines both halves of the product, so that the high bits of `word` also change the low bits of the
    /// result. Names and values often differ only at their end.
    @inline(__always)
    private static func mixed(_ word: UInt64) -> UInt64 {
        let product = (word ^ 0xa076_1d64_78bd_642f).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        return product.high ^ product.low
    }
}

/// Compares eight bytes at a time, and no byte at or after the count.
@inline(__always)
func beginAlike(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, upTo count: Int
) -> Bool {
    var place = 0
    while place &+ 8 <= count {
        let word = unsafe left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        let other = unsafe right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        guard word == other else { return false }
        place &+= 8
    }
    while place < count {
        guard unsafe left[place] == right[place] else { return false }
        place &+= 1
    }
    return true
}
