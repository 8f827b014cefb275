/// The first fragment of a header block (RFC 9113 §6.2).
struct HeadersFrame: Sendable {
    let streamID: StreamID
    let endStream: Bool
    let endHeaders: Bool
    /// The range of the fragment in the payload, without padding and priority.
    let fragment: Range<Int>
}

extension HeadersFrame {
    init(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
        assert(header.type == .headers)
        guard header.streamID != .connection else {
            throw .connection(.protocolError, "HEADERS on stream 0")
        }
        var content = try Padding.content(of: header, payload)
        if header.flags.contains(.priority) {
            // A frame that is shorter than its priority fields damages the header block, which
            // "MUST be treated as a connection error" (§4.2).
            guard content.count >= PriorityFrame.byteCount else {
                throw .connection(.frameSizeError, "HEADERS too short for its priority")
            }
            content = content.lowerBound + PriorityFrame.byteCount..<content.upperBound
        }
        streamID = header.streamID
        endStream = header.flags.contains(.endStream)
        endHeaders = header.flags.contains(.endHeaders)
        fragment = content
    }
}
