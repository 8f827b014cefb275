/// The announcement that a connection accepts no new streams, or is closed (RFC 9113 §6.8).
package struct GoAwayFrame: Equatable, Sendable {
    /// The last stream that the sender has processed or may still process.
    let lastStreamID: StreamID
    package let code: ErrorCode
    /// Text for diagnosis. Longer text is cut off at ``Limits/goAwayDebugByteCount``.
    package let debugData: [UInt8]

    init(lastStreamID: StreamID, code: ErrorCode, debugData: [UInt8] = []) {
        self.lastStreamID = lastStreamID
        self.code = code
        self.debugData = debugData
    }
}

extension GoAwayFrame {
    init(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
        assert(header.type == .goAway)
        guard header.streamID == .connection else {
            throw .connection(.protocolError, "GOAWAY on stream \(header.streamID)")
        }
        guard payload.count >= 8 else {
            throw .connection(.frameSizeError, "GOAWAY of \(payload.count) bytes")
        }
        lastStreamID = StreamID(wire: payload.uint32(at: 0))
        code = ErrorCode(rawValue: payload.uint32(at: 4))
        debugData = [UInt8](
            copying: payload.extracting(8..<min(payload.count, 8 + Limits.goAwayDebugByteCount)))
    }
}

extension GoAwayFrame: CustomStringConvertible {
    /// The code and the beginning of the debug data, for logs.
    package var description: String {
        debugData.isEmpty ? "GOAWAY \(code)" : "GOAWAY \(code) \"\(PeerText.clean(debugData))\""
    }
}

extension GoAwayFrame: WritableFrame {
    func encode(into output: inout [UInt8]) {
        let debugData = debugData.prefix(Limits.goAwayDebugByteCount)
        FrameHeader(type: .goAway, payloadByteCount: 8 + debugData.count).encode(into: &output)
        output.appendUInt32(lastStreamID.rawValue)
        output.appendUInt32(code.rawValue)
        output.append(contentsOf: debugData)
    }
}
