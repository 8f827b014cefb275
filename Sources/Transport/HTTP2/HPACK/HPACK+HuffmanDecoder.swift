extension HPACK {
    /// Decodes Huffman strings. It looks up twelve bits at a time, which contain up to two symbols.
    /// A rare byte with a longer code is found by the length of its code.
    package struct HuffmanDecoder: Sendable {
        package static let shared = HuffmanDecoder()

        /// For each value of the next twelve bits, from the low byte up: the number of bits of all
        /// symbols, the number of symbols (0 when the code is longer than twelve bits), the first
        /// symbol, the second symbol, and the number of bits of the first symbol. The next
        /// iteration of the loop depends on the first of these numbers. It is in the lowest byte,
        /// because reading that byte needs no shift.
        private let pairs: [UInt64]
        /// For each length of a code: the first code that is longer, as a 32-bit number.
        private let ends: [UInt64]
        /// For each length of a code: the difference between a code and its index in `symbols`.
        private let offsets: [Int]
        /// All symbols, in the order of the lengths of their codes, then of the codes. Only the
        /// symbols of codes with more than twelve bits are looked up here.
        private let symbols: [UInt8]

        private static let prefixBits = 12
    }
}

// MARK: - Tables

extension HPACK.HuffmanDecoder {
    private init() {
        let words = HPACK.HuffmanCode.words
        var symbols: [UInt8] = []
        var ends = [UInt64](repeating: 0, count: HPACK.HuffmanCode.maxBitCount + 1)
        var offsets = [Int](repeating: 0, count: HPACK.HuffmanCode.maxBitCount + 1)
        var end: UInt64 = 0
        for bitCount in 1...HPACK.HuffmanCode.maxBitCount {
            // Codes of one length ascend with their symbols.
            for symbol in 0...UInt8.max where Int(words[Int(symbol)].bitCount) == bitCount {
                let code = words[Int(symbol)].bits
                offsets[bitCount] = symbols.count - Int(code)
                symbols.append(symbol)
                end = UInt64(code + 1) << UInt64(32 - bitCount)
            }
            ends[bitCount] = end
        }
        self.symbols = symbols
        self.ends = ends
        self.offsets = offsets

        let single = Self.singles(words)
        pairs = (0..<1 << Self.prefixBits).map { prefix in
            guard let first = single[prefix] else { return 0 }
            let firstBits = Int(words[first].bitCount)
            var entry = UInt64(first) << 16 | UInt64(firstBits) << 32
            let rest = prefix << firstBits & (1 << Self.prefixBits - 1)
            if let second = single[rest],
                firstBits + Int(words[second].bitCount) <= Self.prefixBits
            {
                entry |= UInt64(firstBits + Int(words[second].bitCount)) | 2 << 8
                entry |= UInt64(second) << 24
            } else {
                entry |= UInt64(firstBits) | 1 << 8
            }
            return entry
        }
    }

    /// The symbol whose code begins each prefix.
    private static func singles(_ words: [HPACK.HuffmanCode.Word]) -> [Int?] {
        var singles = [Int?](repeating: nil, count: 1 << prefixBits)
        for symbol in 0..<256 where Int(words[symbol].bitCount) <= prefixBits {
            let free = prefixBits - Int(words[symbol].bitCount)
            let first = Int(words[symbol].bits) << free
            for prefix in first..<first + 1 << free { singles[prefix] = symbol }
        }
        return singles
    }
}

// MARK: - Decoding

extension HPACK.HuffmanDecoder {
    /// The room that ``decode(_:appendingTo:)`` needs: no code is shorter than five bits.
    static func maxDecodedByteCount(of encodedByteCount: Int) -> Int {
        encodedByteCount * 8 / 5
    }

    /// The number of bytes that `encoded` decodes to.
    func decodedByteCount(of encoded: Span<UInt8>) throws(HPACK.Malformation) -> Int {
        // The pointer is valid only inside the closure.
        let count = unsafe encoded.withUnsafeBytes { source in
            unsafe decodeEnd(of: source, from: 0, bits: 0, bitCount: 0, into: nil, written: 0)
        }
        guard let count else { throw .invalidHuffmanCode }
        return count
    }

    /// Decodes `encoded` and appends the result. Returns its number of bytes.
    package func decode(
        _ encoded: Span<UInt8>, appendingTo output: inout [UInt8]
    ) throws(HPACK.Malformation) -> Int {
        var decodedByteCount: Int? = 0
        // Two bytes more than the longest result, because symbols are written in pairs.
        let room = Self.maxDecodedByteCount(of: encoded.count) + 2
        output.append(addingCapacity: room) { span in
            decodedByteCount = unsafe span.withUnsafeMutableBufferPointer { target, count in
                let written = unsafe encoded.withUnsafeBytes { source in
                    unsafe decode(source, into: target)
                }
                count = written ?? 0
                return written
            }
        }
        guard let decodedByteCount else { throw .invalidHuffmanCode }
        return decodedByteCount
    }

    /// Decodes `source` into `target`. Returns nil for an invalid code.
    ///
    /// `target` has room for the longest result of `source` and two more bytes. Each symbol takes
    /// at least five bits of `source`, so no write exceeds that room.
    private func decode(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        unsafe pairs.withUnsafeBufferPointer { pairs -> Int? in
            guard let start = target.baseAddress else { return nil }
            let output = UnsafeMutableRawPointer(start)
            var bits: UInt64 = 0  // Read and not decoded, from the top bit down.
            var bitCount = 0
            var offset = 0
            var written = 0
            let count = source.count

            while offset + 8 <= count {
                let word = unsafe UInt64(
                    bigEndian: source.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                bits |= word >> UInt64(truncatingIfNeeded: bitCount)
                offset += (63 - bitCount) >> 3
                bitCount |= 56

                while bitCount >= Self.prefixBits {
                    let pair = unsafe pairs[Int(truncatingIfNeeded: bits >> 52)]
                    let symbolCount = Int(truncatingIfNeeded: pair >> 8 & 0xff)
                    if symbolCount != 0 {
                        unsafe output.storeBytes(
                            of: UInt16(truncatingIfNeeded: pair >> 16).littleEndian,
                            toByteOffset: written, as: UInt16.self)
                        written += symbolCount
                        bits &<<= pair
                        bitCount -= Int(truncatingIfNeeded: pair & 0xff)
                    } else {
                        guard bitCount >= HPACK.HuffmanCode.maxBitCount else { break }
                        guard let (symbol, used) = longCode(bits) else { return nil }
                        unsafe output.storeBytes(of: symbol, toByteOffset: written, as: UInt8.self)
                        written += 1
                        bits &<<= UInt64(used)
                        bitCount -= used
                    }
                }
            }
            return unsafe decodeEnd(
                of: source, from: offset, bits: bits, bitCount: bitCount, into: output,
                written: written)
        }
    }

    /// Decodes the last bytes symbol by symbol, and checks the padding: fewer than eight bits, all
    /// of them ones (§5.2). The caller has checked the bounds.
    @inline(__always)
    private func decodeEnd(
        of source: UnsafeRawBufferPointer, from start: Int, bits startBits: UInt64,
        bitCount startBitCount: Int, into output: UnsafeMutableRawPointer?,
        written startWritten: Int
    ) -> Int? {
        var (offset, bits, bitCount, written) = (start, startBits, startBitCount, startWritten)
        // Bits that were read but not counted are read again here.
        bits &= bitCount == 0 ? 0 : ~0 << UInt64(64 - bitCount)
        while true {
            while bitCount <= 56, offset < source.count {
                bits |= unsafe UInt64(source[offset]) << UInt64(56 - bitCount)
                bitCount += 8
                offset += 1
            }
            // After the end, the bits are ones, like the padding.
            let padded = bitCount >= 64 ? bits : bits | ~0 >> UInt64(bitCount)
            let pair = pairs[Int(truncatingIfNeeded: padded >> 52)]
            var symbol = UInt8(truncatingIfNeeded: pair >> 16)
            var used = Int(truncatingIfNeeded: pair >> 32)
            if pair == 0 {
                if bitCount < 8, padded == .max { return written }
                guard let long = longCode(padded) else { return nil }
                (symbol, used) = (long.symbol, long.bitCount)
            }
            guard used <= bitCount else { return nil }
            if let output = unsafe output {
                unsafe output.storeBytes(of: symbol, toByteOffset: written, as: UInt8.self)
            }
            written += 1
            bits <<= UInt64(used)
            bitCount -= used
        }
    }

    /// Decodes the code at the top of `bits`. The code must be longer than twelve bits. Nil for
    /// EOS, which must not be encoded (§5.2).
    @inline(never)
    private func longCode(_ bits: UInt64) -> (symbol: UInt8, bitCount: Int)? {
        let top = bits >> 32
        for bitCount in Self.prefixBits + 1...HPACK.HuffmanCode.maxBitCount
        where top < ends[bitCount] {
            let place = Int(top >> UInt64(32 - bitCount)) + offsets[bitCount]
            return (symbols[place], bitCount)
        }
        return nil
    }
}
