extension HPACK {
    /// The Huffman code of RFC 7541 appendix B.
    ///
    /// The code is canonical: shorter codes come first, and codes of one length ascend with their
    /// symbols. So the codes can be computed from their lengths.
    enum HuffmanCode {
        struct Word {
            /// The code, in the low `bitCount` bits.
            var bits: UInt32
            var bitCount: UInt8
        }

        static let maxBitCount = 30

        static let words: [Word] = {
            var words = [Word](repeating: Word(bits: 0, bitCount: 0), count: bitCounts.count)
            var next: UInt32 = 0
            for bitCount in 1...maxBitCount {
                next <<= 1
                for symbol in bitCounts.indices where bitCounts[symbol] == bitCount {
                    words[symbol] = Word(bits: next, bitCount: UInt8(bitCount))
                    next += 1
                }
            }
            return words
        }()

        /// The length in bits of each byte's code, and of EOS as the last entry. The first bits of
        /// EOS pad the last byte of an encoded string. A string that contains all of EOS is an
        /// error (§5.2).
        private static let bitCounts: [Int] = [
            13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
            28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
            6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
            5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
            13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
            7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
            15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
            6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
            20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
            24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
            22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
            21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
            26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
            19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
            20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
            26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
            30,
        ]
    }
}
