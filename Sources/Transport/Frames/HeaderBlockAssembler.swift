/// Puts a header block together that arrives in HEADERS and CONTINUATION frames (RFC 9113 §6.10).
///
/// Between the first frame of a block and its END_HEADERS no other frame may come, on any stream,
/// so one assembler serves a connection. Only blocks that are split are copied here.
struct HeaderBlockAssembler: Sendable {
    /// What is known of a block from its HEADERS frame.
    struct Opening: Hashable, Sendable {
        var streamID: StreamID
        var endStream: Bool
        /// §5.3.1 of RFC 7540: an error of the stream, but the block has to be decoded first, or
        /// the tables get out of step.
        var dependsOnItself = false
    }

    private enum State: Sendable {
        case idle
        case open(Opening, continuationCount: Int)
    }

    private var state = State.idle
    /// The fragments so far. Beside the state and not in it, so that appending copies nothing.
    private(set) var fragments: [UInt8] = []

    /// Bounds the CONTINUATION flood: a block of endless frames never ends.
    let maxContinuationCount: Int

    init(maxContinuationCount: Int) {
        self.maxContinuationCount = maxContinuationCount
    }
}

extension HeaderBlockAssembler {
    /// Whether no block has begun that has not ended.
    var isIdle: Bool {
        if case .idle = state { true } else { false }
    }

    mutating func begin(_ opening: Opening, _ fragment: Span<UInt8>) {
        fragments.removeAll(keepingCapacity: true)
        fragments.append(copying: fragment)
        state = .open(opening, continuationCount: 0)
    }

    /// Checks, for every frame, that it may come now.
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

    /// Takes a CONTINUATION that was admitted. Returns the opening when the block is whole; its
    /// octets are then ``fragments``.
    mutating func `continue`(
        _ header: FrameHeader, _ fragment: Span<UInt8>
    ) throws(HTTP2Error) -> Opening? {
        guard case .open(let opening, let count) = state else {
            throw .connection(.protocolError, "CONTINUATION without a header block")
        }
        guard count < maxContinuationCount else {
            throw .connection(
                .enhanceYourCalm, "header block in more than \(maxContinuationCount) CONTINUATIONs")
        }
        fragments.append(copying: fragment)
        guard header.flags.contains(.endHeaders) else {
            state = .open(opening, continuationCount: count + 1)
            return nil
        }
        state = .idle
        return opening
    }
}
