/// Assembles a header block that arrives in HEADERS and CONTINUATION frames (RFC 9113 §6.10).
///
/// Between the first frame of a block and its END_HEADERS, no other frame may arrive on any stream. So one
/// assembler is enough for a connection. Only split blocks are copied.
struct HeaderBlockAssembler: Sendable {
    /// The fields of the HEADERS frame that began the block.
    struct Opening: Sendable {
        var streamID: StreamID
        var endStream: Bool
    }

    private enum State: Sendable {
        case idle
        case open(Opening, emptyCount: Int)
    }

    private var state = State.idle
    /// The fragments so far. They are separate from `state`, so that appending does not copy them.
    private(set) var fragments: [UInt8] = []

    private let maxByteCount: Int
    private let maxEmptyCount: Int

    init(maxByteCount: Int, maxEmptyCount: Int) {
        self.maxByteCount = maxByteCount
        self.maxEmptyCount = maxEmptyCount
    }
}

extension HeaderBlockAssembler {
    /// Whether no header block is incomplete.
    var isIdle: Bool {
        if case .idle = state { true } else { false }
    }

    mutating func begin(_ opening: Opening, _ fragment: Span<UInt8>) throws(HTTP2Error) {
        fragments.removeAll(keepingCapacity: true)
        try append(fragment)
        state = .open(opening, emptyCount: 0)
    }

    private mutating func append(_ fragment: Span<UInt8>) throws(HTTP2Error) {
        guard fragments.count + fragment.count <= maxByteCount else {
            throw .connection(.enhanceYourCalm, "header block of more than \(maxByteCount) bytes")
        }
        fragments.append(copying: fragment)
    }

    /// Throws if a header block is interrupted or missing.
    func admit(_ header: FrameHeader) throws(HTTP2Error) {
        switch state {
        case .idle:
            guard header.type != .continuation else {
                throw .connection(.protocolError, "CONTINUATION without a header block")
            }
        case .open(let opening, _):
            guard header.type == .continuation, header.streamID == opening.streamID else {
                throw .connection(
                    .protocolError,
                    "frame of type \(header.type.rawValue) on stream \(header.streamID) "
                        + "inside the header block of stream \(opening.streamID)")
            }
        }
    }

    /// Appends a CONTINUATION that was admitted. Returns the opening if the block is complete. Its bytes are
    /// then ``fragments``.
    mutating func `continue`(
        _ frame: ContinuationFrame, _ fragment: Span<UInt8>
    ) throws(HTTP2Error) -> Opening? {
        guard case .open(let opening, let count) = state else {
            throw .connection(.protocolError, "CONTINUATION without a header block")
        }
        let emptyCount = count + (fragment.isEmpty ? 1 : 0)
        guard emptyCount <= maxEmptyCount else {
            throw .connection(
                .enhanceYourCalm, "header block with more than \(maxEmptyCount) empty CONTINUATIONs"
            )
        }
        try append(fragment)
        guard frame.endHeaders else {
            state = .open(opening, emptyCount: emptyCount)
            return nil
        }
        state = .idle
        return opening
    }
}
