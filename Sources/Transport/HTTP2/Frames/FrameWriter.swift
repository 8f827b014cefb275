/// A frame whose payload this module writes as a whole.
protocol WritableFrame {
    /// Appends the header and the payload.
    func encode(into output: inout [UInt8])
}

/// Writes header blocks as frames that the peer accepts. Keeps no bytes of its own.
///
/// A block is encoded in place, after the header of its first frame. When the block is complete, its length
/// is filled in. So a block that fits one frame is not copied.
struct FrameWriter: Sendable {
    /// The peer's SETTINGS_MAX_FRAME_SIZE: the most bytes in the payload of one frame.
    var maxPayloadByteCount = 16_384

    init() {}

    /// Appends the header of a HEADERS frame. The caller appends the header block, and then calls
    /// ``endHeaders(_:at:in:)`` with the position that the output had before.
    func beginHeaders(
        on stream: StreamID, endStream: Bool, in output: inout [UInt8]
    ) -> FrameHeader {
        let header = FrameHeader(
            type: .headers, flags: endStream ? .endStream : .none, streamID: stream,
            payloadByteCount: 0)
        header.encode(into: &output)
        return header
    }

    /// Completes the header block that begins at `start`. Uses one HEADERS frame. If the block is longer than
    /// the limit of a frame, adds CONTINUATION frames.
    func endHeaders(_ header: FrameHeader, at start: Int, in output: inout [UInt8]) {
        var header = header
        let blockStart = start + FrameHeader.byteCount
        let byteCount = output.count - blockStart
        guard byteCount > maxPayloadByteCount else {
            header.payloadByteCount = byteCount
            header.flags.insert(.endHeaders)
            return header.replaceLengthAndFlags(at: start, in: &output)
        }
        header.payloadByteCount = maxPayloadByteCount
        header.replaceLengthAndFlags(at: start, in: &output)
        let rest = Array(output[(blockStart + maxPayloadByteCount)...])
        output.removeSubrange((blockStart + maxPayloadByteCount)...)
        writeContinuations(of: rest, on: header.streamID, to: &output)
    }

    private func writeContinuations(
        of block: [UInt8], on stream: StreamID, to output: inout [UInt8]
    ) {
        for offset in stride(from: 0, to: block.count, by: maxPayloadByteCount) {
            let end = min(offset + maxPayloadByteCount, block.count)
            ContinuationFrame(streamID: stream, endHeaders: end == block.count)
                .encode(block[offset..<end].span, into: &output)
        }
    }
}
