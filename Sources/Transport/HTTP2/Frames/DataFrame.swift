/// A part of a message's body (RFC 9113 §6.1).
struct DataFrame: Sendable {
    let streamID: StreamID
    let endStream: Bool
    /// The range of the content in the payload, without padding.
    let content: Range<Int>
    /// The bytes that the frame subtracts from both windows: content, padding and the pad length.
    let flowControlledByteCount: Int
}

extension DataFrame {
    init(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
        assert(header.type == .data)
        guard header.streamID != .connection else {
            throw .connection(.protocolError, "DATA on stream 0")
        }
        content = try Padding.content(of: header, payload)
        streamID = header.streamID
        endStream = header.flags.contains(.endStream)
        flowControlledByteCount = payload.count
    }

    /// The header of a frame without padding. The content follows it.
    static func header(
        on stream: StreamID, byteCount: Int, endStream: Bool
    ) -> FrameHeader {
        FrameHeader(
            type: .data, flags: endStream ? .endStream : .none, streamID: stream,
            payloadByteCount: byteCount)
    }
}
