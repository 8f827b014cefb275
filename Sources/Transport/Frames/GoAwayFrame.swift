/// The announcement that a connection takes no new streams, or is over (RFC 9113 §6.8).
package struct GoAwayFrame: Hashable, Sendable {
    /// The last stream that its sender has acted on or may yet act on.
    package var lastStreamID: StreamID
    package var code: ErrorCode
    /// What the sender had to add, for people to read.
    package var debugData: [UInt8]

    package init(lastStreamID: StreamID, code: ErrorCode, debugData: [UInt8] = []) {
        self.lastStreamID = lastStreamID
        self.code = code
        self.debugData = debugData
    }
}

extension GoAwayFrame {
    /// Longer debug data is cut off: it ends up in error messages.
    static let maxDebugByteCount = 1024

    package init(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
        assert(header.type == .goAway)
        guard header.streamID == .connection else {
            throw .connection(.protocolError, "GOAWAY on stream \(header.streamID)")
        }
        guard payload.count >= 8 else {
            throw .connection(.frameSizeError, "GOAWAY of \(payload.count) octets")
        }
        lastStreamID = StreamID(wire: payload.uint32(at: 0))
        code = ErrorCode(rawValue: payload.uint32(at: 4))
        debugData = [UInt8](
            copying: payload.extracting(8..<min(payload.count, 8 + Self.maxDebugByteCount)))
    }

    package func encode(into output: inout [UInt8]) {
        let debugData = debugData.prefix(Self.maxDebugByteCount)
        FrameHeader(type: .goAway, payloadByteCount: 8 + debugData.count).encode(into: &output)
        output.appendUInt32(lastStreamID.rawValue)
        output.appendUInt32(code.rawValue)
        output.append(contentsOf: debugData)
    }
}

extension GoAwayFrame: CustomStringConvertible {
    /// The code, and the beginning of what the sender had to add: for logs, and so on one line.
    package var description: String {
        guard !debugData.isEmpty else { return "GOAWAY \(code)" }
        let words = String(decoding: debugData.prefix(256), as: UTF8.self).map { letter in
            letter.isNewline || letter.asciiValue.map { $0 < 0x20 || $0 == 0x7f } ?? false
                ? " " : letter
        }
        return "GOAWAY \(code) \"\(String(words))\""
    }
}
