/// The order of streams (RFC 9113 §6.3), which is deprecated. It is checked and ignored.
struct PriorityFrame: Equatable, Sendable {
    let streamID: StreamID
    let priority: Priority
}

extension PriorityFrame {
    init(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
        assert(header.type == .priority)
        guard header.streamID != .connection else {
            throw .connection(.protocolError, "PRIORITY on stream 0")
        }
        guard payload.count == Priority.byteCount else {
            throw .stream(
                header.streamID, .frameSizeError, "PRIORITY of \(payload.count) bytes")
        }
        streamID = header.streamID
        priority = Priority(payload, at: 0)
    }
}

extension PriorityFrame: WritableFrame {
    func encode(into output: inout [UInt8]) {
        FrameHeader(type: .priority, streamID: streamID, payloadByteCount: Priority.byteCount)
            .encode(into: &output)
        priority.encode(into: &output)
    }
}
