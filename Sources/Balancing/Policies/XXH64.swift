import SwiftletCore

/// The hash function XXH64 of xxHash, which the proposals demand for `ring_hash` (A42) and subsets
/// (A68), so that all clients of a service compute the same places.
package enum XXH64 {
    private static let prime1: UInt64 = 0x9e37_79b1_85eb_ca87
    private static let prime2: UInt64 = 0xc2b2_ae3d_27d4_eb4f
    private static let prime3: UInt64 = 0x1656_67b1_9e37_79f9
    private static let prime4: UInt64 = 0x85eb_ca77_c2b2_ae63
    private static let prime5: UInt64 = 0x27d4_eb2f_1656_67c5

    /// The hash of the bytes of a text.
    package static func hash(_ text: String, seed: UInt64 = 0) -> UInt64 {
        hash(ContiguousArray(text.utf8).span, seed: seed)
    }

    package static func hash(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
        var offset = 0
        var state = seed &+ prime5
        if bytes.count >= 32 { state = stripes(bytes, seed: seed, &offset) }
        state &+= UInt64(bytes.count)
        while offset + 8 <= bytes.count {
            state ^= round(0, word(bytes, at: offset, byteCount: 8))
            state = rotate(state, by: 27) &* prime1 &+ prime4
            offset += 8
        }
        if offset + 4 <= bytes.count {
            state ^= word(bytes, at: offset, byteCount: 4) &* prime1
            state = rotate(state, by: 23) &* prime2 &+ prime3
            offset += 4
        }
        while offset < bytes.count {
            state ^= UInt64(bytes[offset]) &* prime5
            state = rotate(state, by: 11) &* prime1
            offset += 1
        }
        return avalanche(state)
    }

    /// Hashes the whole stripes of 32 bytes, with four lanes that are merged at the end.
    private static func stripes(
        _ bytes: Span<UInt8>, seed: UInt64, _ offset: inout Int
    ) -> UInt64 {
        var lanes = SIMD4<UInt64>(
            seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
        while offset + 32 <= bytes.count {
            for lane in 0..<4 {
                lanes[lane] = round(lanes[lane], word(bytes, at: offset, byteCount: 8))
                offset += 8
            }
        }
        var state =
            rotate(lanes[0], by: 1) &+ rotate(lanes[1], by: 7) &+ rotate(lanes[2], by: 12)
            &+ rotate(lanes[3], by: 18)
        for lane in 0..<4 {
            state = (state ^ round(0, lanes[lane])) &* prime1 &+ prime4
        }
        return state
    }

    private static func round(_ state: UInt64, _ input: UInt64) -> UInt64 {
        rotate(state &+ input &* prime2, by: 31) &* prime1
    }

    private static func avalanche(_ state: UInt64) -> UInt64 {
        var state = (state ^ state >> 33) &* prime2
        state = (state ^ state >> 29) &* prime3
        return state ^ state >> 32
    }

    private static func rotate(_ value: UInt64, by count: UInt64) -> UInt64 {
        value << count | value >> (64 - count)
    }

    /// A little-endian number.
    private static func word(_ bytes: Span<UInt8>, at offset: Int, byteCount: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<byteCount { word |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
        return word
    }
}
