/// The peer's permission to send `increment` more bytes of DATA (RFC 9113 §6.9).
struct WindowUpdateFrame: Equatable, Sendable {
    static let byteCount = 4

    let streamID: StreamID
    let increment: UInt32
}

extension WindowUpdateFrame {
    init(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
        assert(header.type == .windowUpdate)
        // §6.9: any other length is a connection error, even on a stream.
        guard payload.count == Self.byteCount else {
            throw .connection(.frameSizeError, "WINDOW_UPDATE of \(payload.count) bytes")
        }
        // §6.9: the top bit is reserved. An increment of zero is a stream error. On stream 0, it is
        // a connection error.
        let increment = payload.uint32(at: 0) & 0x7fff_ffff
        guard increment > 0 else {
            throw header.streamID == .connection
                ? .connection(.protocolError, "WINDOW_UPDATE of zero")
                : .stream(header.streamID, .protocolError, "WINDOW_UPDATE of zero")
        }
        self.init(streamID: header.streamID, increment: increment)
    }
}

extension WindowUpdateFrame: WritableFrame {
    func encode(into output: inout [UInt8]) {
        FrameHeader(type: .windowUpdate, streamID: streamID, payloadByteCount: Self.byteCount)
            .encode(into: &output)
        output.appendUInt32(increment)
    }
}
