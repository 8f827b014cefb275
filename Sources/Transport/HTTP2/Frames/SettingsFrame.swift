/// The settings of an endpoint (RFC 9113 §6.5), or their acknowledgement.
struct SettingsFrame: Equatable, Sendable {
    /// One setting. A struct, because "an endpoint that receives a SETTINGS frame with any unknown
    /// or unsupported identifier MUST ignore that setting" (§6.5.2).
    struct Entry: Equatable, Sendable {
        static let byteCount = 6

        let identifier: UInt16
        let value: UInt32
    }

    let isAck: Bool
    var entries: [Entry]

    init(isAck: Bool = false, _ entries: [Entry] = []) {
        self.isAck = isAck
        self.entries = entries
    }
}

// MARK: - Registered parameters (RFC 9113 §6.5.2)

extension SettingsFrame.Entry {
    static let headerTableSize: UInt16 = 0x1
    static let enablePush: UInt16 = 0x2
    static let maxConcurrentStreams: UInt16 = 0x3
    static let initialWindowSize: UInt16 = 0x4
    static let maxFrameSize: UInt16 = 0x5
    static let maxHeaderListSize: UInt16 = 0x6
}

extension SettingsFrame {
    init(
        _ header: FrameHeader, payload: Span<UInt8>
    ) throws(HTTP2Error) {
        assert(header.type == .settings)
        guard header.streamID == .connection else {
            throw .connection(.protocolError, "SETTINGS on stream \(header.streamID)")
        }
        isAck = header.flags.contains(.ack)
        entries = []
        guard !isAck else {
            guard payload.isEmpty else {
                throw .connection(.frameSizeError, "SETTINGS acknowledgement with a payload")
            }
            return
        }
        guard payload.count % Entry.byteCount == 0 else {
            throw .connection(.frameSizeError, "SETTINGS of \(payload.count) bytes")
        }
        entries.reserveCapacity(payload.count / Entry.byteCount)
        for offset in stride(from: 0, to: payload.count, by: Entry.byteCount) {
            entries.append(
                Entry(
                    identifier: payload.uint16(at: offset),
                    value: payload.uint32(at: offset + 2)))
        }
    }
}

extension SettingsFrame: WritableFrame {
    func encode(into output: inout [UInt8]) {
        FrameHeader(
            type: .settings, flags: isAck ? .ack : .none,
            payloadByteCount: entries.count * Entry.byteCount
        ).encode(into: &output)
        for entry in entries {
            output.appendUInt16(entry.identifier)
            output.appendUInt32(entry.value)
        }
    }
}
