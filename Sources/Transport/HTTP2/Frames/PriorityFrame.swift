/// The order of streams (RFC 9113 §6.3), which is deprecated. Only the frame is checked, and its fields are ignored.
enum PriorityFrame {
    /// The size of the fields, which may also be in HEADERS.
    static let byteCount = 5

    static func check(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
        assert(header.type == .priority)
        guard header.streamID != .connection else {
            throw .connection(.protocolError, "PRIORITY on stream 0")
        }
        guard payload.count == byteCount else {
            throw .stream(
                header.streamID, .frameSizeError, "PRIORITY of \(payload.count) bytes")
        }
    }
}
