/// The immediate end of a stream (RFC 9113 §6.4).
struct RSTStreamFrame: Equatable, Sendable {
    static let byteCount = 4

    let streamID: StreamID
    let code: ErrorCode
}

extension RSTStreamFrame {
    init(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
        assert(header.type == .rstStream)
        guard header.streamID != .connection else {
            throw .connection(.protocolError, "RST_STREAM on stream 0")
        }
        guard payload.count == Self.byteCount else {
            throw .connection(.frameSizeError, "RST_STREAM of \(payload.count) bytes")
        }
        streamID = header.streamID
        code = ErrorCode(rawValue: payload.uint32(at: 0))
    }
}

extension RSTStreamFrame: WritableFrame {
    func encode(into output: inout [UInt8]) {
        FrameHeader(type: .rstStream, streamID: streamID, payloadByteCount: Self.byteCount)
            .encode(into: &output)
        output.appendUInt32(code.rawValue)
    }
}
