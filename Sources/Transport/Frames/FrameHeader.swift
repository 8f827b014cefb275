/// The nine octets that begin every frame (RFC 9113 §4.1).
///
///     +-----------------------------------------------+
///     |                 Length (24)                   |
///     +---------------+---------------+---------------+
///     |   Type (8)    |   Flags (8)   |
///     +-+-------------+---------------+-------------------------------+
///     |R|                 Stream Identifier (31)                      |
///     +-+-------------------------------------------------------------+
package struct FrameHeader: Hashable, Sendable {
    package static let byteCount = 9

    package var type: FrameType
    package var flags: FrameFlags
    package var streamID: StreamID
    package var payloadByteCount: Int

    package init(
        type: FrameType, flags: FrameFlags = [], streamID: StreamID = .connection,
        payloadByteCount: Int
    ) {
        self.type = type
        self.flags = flags
        self.streamID = streamID
        self.payloadByteCount = payloadByteCount
    }
}

// MARK: - Wire format

extension FrameHeader {
    /// Reads the header at `offset`, or returns nil when not all of it has arrived.
    package init?(decoding octets: Span<UInt8>, at offset: Int) {
        guard octets.count - offset >= Self.byteCount else { return nil }
        payloadByteCount = Int(octets.uint24(at: offset))
        type = FrameType(rawValue: octets[offset + 3])
        flags = FrameFlags(rawValue: octets[offset + 4])
        streamID = StreamID(wire: octets.uint32(at: offset + 5))
    }

    package func encode(into output: inout [UInt8]) {
        assert((0..<1 << 24).contains(payloadByteCount))
        output.append(addingCapacity: Self.byteCount) { octets in
            octets.append(UInt8(truncatingIfNeeded: payloadByteCount >> 16))
            octets.append(UInt8(truncatingIfNeeded: payloadByteCount >> 8))
            octets.append(UInt8(truncatingIfNeeded: payloadByteCount))
            octets.append(type.rawValue)
            octets.append(flags.rawValue)
            octets.append(UInt8(truncatingIfNeeded: streamID.rawValue >> 24))
            octets.append(UInt8(truncatingIfNeeded: streamID.rawValue >> 16))
            octets.append(UInt8(truncatingIfNeeded: streamID.rawValue >> 8))
            octets.append(UInt8(truncatingIfNeeded: streamID.rawValue))
        }
    }
}
