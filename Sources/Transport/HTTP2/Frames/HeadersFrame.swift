/// The first fragment of a header block (RFC 9113 §6.2).
package struct HeadersFrame: Equatable, Sendable {
    package var streamID: StreamID
    package var endStream: Bool
    package var endHeaders: Bool
    /// The range of the fragment in the payload, without padding and priority.
    package var fragment: Range<Int>
    package var priority: Priority?
}

/// The deprecated priority fields (RFC 9113 §5.3.2), which are checked and ignored.
package struct Priority: Equatable, Sendable {
    package static let byteCount = 5

    package var dependency: StreamID
    package var isExclusive: Bool
    /// From 1 to 256.
    package var weight: Int

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
    package init(_ header: FrameHeader, payload: Span<UInt8>) throws(HTTP2Error) {
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
