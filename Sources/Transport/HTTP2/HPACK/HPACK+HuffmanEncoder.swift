extension HPACK {
    /// Appends strings in the shorter of their two forms (RFC 7541 §5.2).
    package struct HuffmanEncoder: Sendable {
        package static let shared = HuffmanEncoder()

        /// For each byte: its code, and in the lowest byte the number of its bits.
        private let words: [UInt64]

        private init() {
            words = HuffmanCode.words.dropLast().map {
                UInt64($0.bits) << 8 | UInt64($0.bitCount)
            }
        }
    }
}

extension HPACK.HuffmanEncoder {
    package func append(string: Span<UInt8>, to output: inout [UInt8]) {
        let encodedByteCount = encodedByteCount(of: string)
        if encodedByteCount < string.count {
            HPACK.append(integer: encodedByteCount, prefixBits: 7, pattern: 0x80, to: &output)
            append(encoding: string, byteCount: encodedByteCount, to: &output)
        } else {
            HPACK.append(integer: string.count, prefixBits: 7, pattern: 0, to: &output)
            output.append(copying: string)
        }
    }

    package func encodedByteCount(of string: Span<UInt8>) -> Int {
        // Both pointers are valid only inside the closures. The table has an entry for every byte.
        unsafe words.withUnsafeBufferPointer { words in
            unsafe string.withUnsafeBufferPointer { string in
                var bitCount: UInt64 = 0
                for index in 0..<string.count {
                    bitCount &+= unsafe words[Int(string[index])] & 0xff
                }
                return Int(bitCount + 7) >> 3
            }
        }
    }

    private func append(encoding string: Span<UInt8>, byteCount: Int, to output: inout [UInt8]) {
        output.append(addingCapacity: byteCount) { span in
            unsafe span.withUnsafeMutableBufferPointer { target, count in
                unsafe encode(string, into: target)
                count = byteCount
            }
        }
    }

    /// `target` has room for the bits of `string`, rounded up to bytes. The pointers are valid
    /// during this call.
    private func encode(_ string: Span<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>) {
        unsafe words.withUnsafeBufferPointer { words in
            unsafe string.withUnsafeBufferPointer { string in
                var bits: UInt64 = 0  // In the low `bitCount` bits: not written yet.
                var bitCount: UInt64 = 0
                var written = 0
                for index in 0..<string.count {
                    let word = unsafe words[Int(string[index])]
                    bits = bits << (word & 0xff) | word >> 8
                    bitCount += word & 0xff
                    guard bitCount >= 32 else { continue }
                    bitCount -= 32
                    let ready = UInt32(truncatingIfNeeded: bits >> bitCount)
                    unsafe UnsafeMutableRawBufferPointer(target).storeBytes(
                        of: ready.bigEndian, toByteOffset: written, as: UInt32.self)
                    written += 4
                }
                while bitCount >= 8 {
                    bitCount -= 8
                    unsafe target[written] = UInt8(truncatingIfNeeded: bits >> bitCount)
                    written += 1
                }
                if bitCount > 0 {
                    // The padding is the first bits of EOS, which are ones (§5.2).
                    let last = bits << (8 - bitCount) | 0xff >> bitCount
                    unsafe target[written] = UInt8(truncatingIfNeeded: last)
                }
            }
        }
    }
}
