/// Describes each frame of one direction of a connection in one line, while the bytes arrive.
///
/// It does not decode header blocks, so that no description depends on earlier frames. It accepts any bytes,
/// even invalid ones.
package struct FrameTrace: Sendable, ~Copyable {
    /// Bytes of the client's preface that have not arrived.
    private var prefaceByteCount: Int
    /// The bytes of the header that is arriving.
    private var head: [UInt8] = []
    /// The frame whose payload is arriving.
    private var frame: FrameHeader?
    private var payload: [UInt8] = []
    private var missingByteCount = 0

    /// - Parameter hasPreface: Whether the bytes begin with the client's preface (RFC 9113 §3.4).
    package init(hasPreface: Bool) { prefaceByteCount = hasPreface ? 24 : 0 }
}

extension FrameTrace {
    /// Reads the next bytes. Calls `line` for each frame.
    package mutating func read(_ bytes: Span<UInt8>, _ line: (String) -> Void) {
        var offset = 0
        while offset < bytes.count {
            let available = bytes.count - offset
            if prefaceByteCount > 0 {
                let count = min(prefaceByteCount, available)
                prefaceByteCount -= count
                offset += count
                if prefaceByteCount == 0 { line("client preface") }
            } else if let frame {
                let count = min(missingByteCount, available)
                if frame.hasDetails {
                    payload.append(copying: bytes.extracting(offset..<offset + count))
                }
                missingByteCount -= count
                offset += count
                if missingByteCount == 0 { finish(frame, line) }
            } else {
                head.append(bytes[offset])
                offset += 1
                if head.count == FrameHeader.byteCount { begin(line) }
            }
        }
    }

    private mutating func begin(_ line: (String) -> Void) {
        guard let frame = FrameHeader(decoding: head.contiguous.span, at: 0) else { return }
        head.removeAll(keepingCapacity: true)
        // If the text does not need the payload, the frame is described at once, because its payload may
        // never arrive.
        if !frame.hasDetails { line(frame.text(payload: [])) }
        guard frame.payloadByteCount > 0 else {
            if frame.hasDetails { line(frame.text(payload: [])) }
            return
        }
        self.frame = frame
        missingByteCount = frame.payloadByteCount
    }

    private mutating func finish(_ frame: FrameHeader, _ line: (String) -> Void) {
        if frame.hasDetails { line(frame.text(payload: payload)) }
        self.frame = nil
        payload.removeAll(keepingCapacity: true)
    }
}

// MARK: - Text

extension FrameHeader {
    private static let typeNames = [
        "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY",
        "WINDOW_UPDATE", "CONTINUATION",
    ]

    /// Whether the text depends on the payload.
    fileprivate var hasDetails: Bool {
        guard payloadByteCount <= 1_024 else { return false }
        return switch type {
        case .rstStream, .settings, .ping, .goAway, .windowUpdate: true
        default: false
        }
    }

    /// The frame in one line: `DATA stream 1, 5 bytes, END_STREAM`.
    fileprivate func text(payload: [UInt8]) -> String {
        let name =
            type.rawValue < UInt8(Self.typeNames.count)
            ? Self.typeNames[Int(type.rawValue)] : "frame of type \(type.rawValue)"
        let place = streamID == .connection ? "" : " stream \(streamID.rawValue)"
        let parts = [details(payload) ?? "\(payloadByteCount) bytes"] + flagNames
        return name + place + ", " + parts.joined(separator: ", ")
    }

    private var flagNames: [String] {
        var names: [String] = []
        if type == .data || type == .headers, flags.contains(.endStream) {
            names.append("END_STREAM")
        }
        if [.headers, .continuation, .pushPromise].contains(type), flags.contains(.endHeaders) {
            names.append("END_HEADERS")
        }
        if [.data, .headers, .pushPromise].contains(type), flags.contains(.padded) {
            names.append("PADDED")
        }
        if [.settings, .ping].contains(type), flags.contains(.ack) { names.append("ACK") }
        return names
    }

    /// Nil when the payload does not have the form that the frame type requires.
    private func details(_ payload: [UInt8]) -> String? {
        let contiguous = payload.contiguous
        let bytes = contiguous.span
        switch type {
        case .rstStream where bytes.count == 4:
            return "\(ErrorCode(rawValue: bytes.uint32(at: 0)))"
        case .windowUpdate where bytes.count == 4:
            return "increment \(bytes.uint32(at: 0) & 0x7fff_ffff)"
        case .ping where bytes.count == 8:
            return "0x"
                + String(UInt64(bytes.uint32(at: 0)) << 32 | UInt64(bytes.uint32(at: 4)), radix: 16)
        case .goAway where bytes.count >= 8:
            let text = PeerText.clean(Array(payload[8...]))
            return "last stream \(bytes.uint32(at: 0) & 0x7fff_ffff), "
                + "\(ErrorCode(rawValue: bytes.uint32(at: 4)))"
                + (text.isEmpty ? "" : ", \"\(text)\"")
        case .settings where !payload.isEmpty && bytes.count.isMultiple(of: 6):
            return stride(from: 0, to: bytes.count, by: 6).map { offset in
                let identifier = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
                let name =
                    (1...6).contains(identifier)
                    ? Self.settingNames[identifier - 1] : "setting \(identifier)"
                return "\(name) \(bytes.uint32(at: offset + 2))"
            }.joined(separator: ", ")
        default: return nil
        }
    }

    private static let settingNames = [
        "HEADER_TABLE_SIZE", "ENABLE_PUSH", "MAX_CONCURRENT_STREAMS", "INITIAL_WINDOW_SIZE",
        "MAX_FRAME_SIZE", "MAX_HEADER_LIST_SIZE",
    ]
}
