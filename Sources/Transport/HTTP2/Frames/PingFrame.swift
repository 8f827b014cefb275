/// A PING (RFC 9113 §6.7). Its answer contains the same eight bytes.
struct PingFrame: Equatable, Sendable {
    static let byteCount = 8

    let isAck: Bool
    let opaque: UInt64
}

extension PingFrame {
    init(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
        assert(header.type == .ping)
        guard header.streamID == .connection else {
            throw .connection(.protocolError, "PING on stream \(header.streamID)")
        }
        guard payload.count == Self.byteCount else {
            throw .connection(.frameSizeError, "PING of \(payload.count) bytes")
        }
        isAck = header.flags.contains(.ack)
        opaque = UInt64(payload.uint32(at: 0)) << 32 | UInt64(payload.uint32(at: 4))
    }
}

extension PingFrame: WritableFrame {
    func encode(into output: inout [UInt8]) {
        FrameHeader(type: .ping, flags: isAck ? .ack : .none, payloadByteCount: Self.byteCount)
            .encode(into: &output)
        output.appendUInt32(UInt32(truncatingIfNeeded: opaque >> 32))
        output.appendUInt32(UInt32(truncatingIfNeeded: opaque))
    }
}
