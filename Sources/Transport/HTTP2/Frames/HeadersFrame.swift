/// The first fragment of a header block (RFC 9113 §6.2).
struct HeadersFrame: Sendable {
    let streamID: StreamID
    let endStream: Bool
    let endHeaders: Bool
    /// The range of the fragment in the payload, without padding and priority.
    let fragment: Range<Int>
    var priority: Priority?
}

/// The deprecated priority fields (RFC 9113 §5.3.2), which are checked and ignored.
struct Priority: Equatable, Sendable {
    static let byteCount = 5

    let dependency: StreamID
    let isExclusive: Bool
    /// From 1 to 256.
    let weight: Int

    init(_ bytes: Span<UInt8>, at offset: Int) {
        let word = bytes.uint32(at: offset)
        dependency = StreamID(wire: word)
        isExclusive = word >> 31 == 1
        weight = Int(bytes[offset + 4]) + 1
    }

    func encode(into output: inout [UInt8]) {
        output.appendUInt32(dependency.rawValue | (isExclusive ? 1 << 31 : 0))
        output.append(UInt8(truncatingIfNeeded: weight - 1))
    }
}

extension HeadersFrame {
    init(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
        assert(header.type == .headers)
        guard header.streamID != .connection else {
            throw .connection(.protocolError, "HEADERS on stream 0")
        }
        var content = try Padding.content(of: header, payload)
        if header.flags.contains(.priority) {
            // A frame that is shorter than its priority fields damages the header block, which
            // "MUST be treated as a connection error" (§4.2).
            guard content.count >= Priority.byteCount else {
                throw .connection(.frameSizeError, "HEADERS too short for its priority")
            }
            priority = Priority(payload, at: content.lowerBound)
            content = content.lowerBound + Priority.byteCount..<content.upperBound
        }
        streamID = header.streamID
        endStream = header.flags.contains(.endStream)
        endHeaders = header.flags.contains(.endHeaders)
        fragment = content
    }
}
