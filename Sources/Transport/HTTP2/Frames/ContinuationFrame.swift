/// A further fragment of a header block (RFC 9113 §6.10). The whole payload is the fragment.
///
/// ``HeaderBlockAssembler`` checks that the frame continues a block, on the right stream.
struct ContinuationFrame: Sendable {
    let streamID: StreamID
    let endHeaders: Bool

    init(streamID: StreamID, endHeaders: Bool) {
        self.streamID = streamID
        self.endHeaders = endHeaders
    }
}

extension ContinuationFrame {
    init(_ header: FrameHeader) {
        assert(header.type == .continuation)
        self.init(
            streamID: header.streamID, endHeaders: header.flags.contains(.endHeaders))
    }

    func encode(_ fragment: Span<UInt8>, into output: inout [UInt8]) {
        FrameHeader(
            type: .continuation, flags: endHeaders ? .endHeaders : .none, streamID: streamID,
            payloadByteCount: fragment.count
        ).encode(into: &output)
        output.append(copying: fragment)
    }
}
