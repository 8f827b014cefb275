/// The settings of an endpoint (RFC 9113 §6.5), or their acknowledgement.
package struct SettingsFrame: Equatable, Sendable {
    /// One setting. A struct, because "an endpoint that receives a SETTINGS frame with any unknown
    /// or unsupported identifier MUST ignore that setting" (§6.5.2).
    package struct Entry: Equatable, Sendable {
        package static let byteCount = 6

        package var identifier: UInt16
        package var value: UInt32
    }

    package var isAck: Bool
    package var entries: [Entry]

    package init(isAck: Bool = false, _ entries: [Entry] = []) {
        self.isAck = isAck
        self.entries = entries
    }
}

// MARK: - Registered parameters (RFC 9113 §6.5.2)

extension SettingsFrame.Entry {
    package static let headerTableSize: UInt16 = 0x1
    package static let enablePush: UInt16 = 0x2
    package static let maxConcurrentStreams: UInt16 = 0x3
    package static let initialWindowSize: UInt16 = 0x4
    package static let maxFrameSize: UInt16 = 0x5
    package static let maxHeaderListSize: UInt16 = 0x6
}

extension SettingsFrame {
    package init(
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
    package func encode(into output: inout [UInt8]) {
        FrameHeader(
            type: .settings, flags: isAck ? .ack : [],
            payloadByteCount: entries.count * Entry.byteCount
        ).encode(into: &output)
        for entry in entries {
            output.appendUInt16(entry.identifier)
            output.appendUInt32(entry.value)
        }
    }
}
