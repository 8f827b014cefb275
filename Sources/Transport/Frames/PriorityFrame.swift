/// Advice about the order of streams, deprecated and ignored once checked (RFC 9113 §6.3).
package struct PriorityFrame: Hashable, Sendable {
    package var streamID: StreamID
    package var priority: Priority
}

extension PriorityFrame {
    package init(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
        assert(header.type == .priority)
        guard header.streamID != .connection else {
            throw .connection(.protocolError, "PRIORITY on stream 0")
        }
        guard payload.count == Priority.byteCount else {
            throw .stream(
                header.streamID, .frameSizeError, "PRIORITY of \(payload.count) octets")
        }
        streamID = header.streamID
        priority = Priority(payload, at: 0)
    }
}
