/// A piece of a message's body (RFC 9113 §6.1).
package struct DataFrame: Hashable, Sendable {
    package var streamID: StreamID
    package var endStream: Bool
    /// Where the content lies in the payload, without its padding.
    package var content: Range<Int>
    /// What the frame costs both windows: padding and the pad length included.
    package var flowControlledByteCount: Int
}

extension DataFrame {
    package init(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
        assert(header.type == .data)
        guard header.streamID != .connection else {
            throw .connection(.protocolError, "DATA on stream 0")
        }
        content = try Padding.content(of: header, payload)
        streamID = header.streamID
        endStream = header.flags.contains(.endStream)
        flowControlledByteCount = payload.count
    }
}
