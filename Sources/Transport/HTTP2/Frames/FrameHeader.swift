/// The nine bytes that begin every frame (RFC 9113 §4.1).
///
///     +-----------------------------------------------+
///     |                 Length (24)                   |
///     +---------------+---------------+---------------+
///     |   Type (8)    |   Flags (8)   |
///     +-+-------------+---------------+-------------------------------+
///     |R|                 Stream Identifier (31)                      |
///     +-+-------------------------------------------------------------+
package struct FrameHeader: Equatable, Sendable {
    package static let byteCount = 9

    package let type: FrameType
    var flags = FrameFlags.none
    var streamID = StreamID.connection
    package var payloadByteCount: Int
}

// MARK: - Wire format

extension FrameHeader {
    /// Reads the header at `offset`. Returns nil if it has not arrived completely.
    package init?(decoding bytes: Span<UInt8>, at offset: Int) {
        guard bytes.count - offset >= Self.byteCount else { return nil }
        payloadByteCount = Int(bytes.uint24(at: offset))
        type = FrameType(rawValue: bytes[offset + 3])
        flags = FrameFlags(rawValue: bytes[offset + 4])
        streamID = StreamID(wire: bytes.uint32(at: offset + 5))
    }

    func encode(into output: inout [UInt8]) {
        assert((0..<1 << 24).contains(payloadByteCount))
        output.append(addingCapacity: Self.byteCount) { bytes in
            bytes.append(UInt8(truncatingIfNeeded: payloadByteCount >> 16))
            bytes.append(UInt8(truncatingIfNeeded: payloadByteCount >> 8))
            bytes.append(UInt8(truncatingIfNeeded: payloadByteCount))
            bytes.append(type.rawValue)
            bytes.append(flags.rawValue)
            bytes.append(UInt8(truncatingIfNeeded: streamID.rawValue >> 24))
            bytes.append(UInt8(truncatingIfNeeded: streamID.rawValue >> 16))
            bytes.append(UInt8(truncatingIfNeeded: streamID.rawValue >> 8))
            bytes.append(UInt8(truncatingIfNeeded: streamID.rawValue))
        }
    }

    /// Replaces the length and the flags of the header at `offset`, which were not known when it was
    /// written.
    func replaceLengthAndFlags(at offset: Int, in output: inout [UInt8]) {
        assert((0..<1 << 24).contains(payloadByteCount))
        output[offset] = UInt8(truncatingIfNeeded: payloadByteCount >> 16)
        output[offset + 1] = UInt8(truncatingIfNeeded: payloadByteCount >> 8)
        output[offset + 2] = UInt8(truncatingIfNeeded: payloadByteCount)
        output[offset + 4] = flags.rawValue
    }
}
