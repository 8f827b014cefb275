/// The announcement of a stream that the server opens (RFC 9113 §6.6).
///
/// SETTINGS disable push, so this frame is always an error. It is read only for the text of the
/// error.
struct PushPromiseFrame: Sendable {
    let promisedStreamID: StreamID
}

extension PushPromiseFrame {
    init(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
        assert(header.type == .pushPromise)
        guard header.streamID != .connection else {
            throw .connection(.protocolError, "PUSH_PROMISE on stream 0")
        }
        let content = try Padding.content(of: header, payload)
        guard content.count >= 4 else {
            throw .connection(.frameSizeError, "PUSH_PROMISE of \(payload.count) bytes")
        }
        promisedStreamID = StreamID(wire: payload.uint32(at: content.lowerBound))
        // §5.1.1: streams that a server opens are even.
        guard promisedStreamID != .connection, !promisedStreamID.isClientInitiated else {
            throw .connection(.protocolError, "PUSH_PROMISE of stream \(promisedStreamID)")
        }
    }
}
