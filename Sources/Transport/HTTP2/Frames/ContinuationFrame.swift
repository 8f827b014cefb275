/// A further fragment of a header block (RFC 9113 §6.10). The whole payload is the fragment.
///
/// ``HeaderBlockAssembler`` checks that the frame continues a block, on the right stream.
package struct ContinuationFrame: Equatable, Sendable {
    package var streamID: StreamID
    package var endHeaders: Bool

    package init(streamID: StreamID, endHeaders: Bool) {
        self.streamID = streamID
        self.endHeaders = endHeaders
    }
}

extension ContinuationFrame {
    package init(_ header: FrameHeader) {
        assert(header.type == .continuation)
        self.init(
            streamID: header.streamID, endHeaders: header.flags.contains(.endHeaders))
    }

    package func encode(_ fragment: Span<UInt8>, into output: inout [UInt8]) {
        FrameHeader(
            type: .continuation, flags: endHeaders ? .endHeaders : [], streamID: streamID,
            payloadByteCount: fragment.count
        ).encode(into: &output)
        output.append(copying: fragment)
    }
}
