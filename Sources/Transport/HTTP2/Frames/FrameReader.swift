/// Splits bytes into frames. Keeps no bytes of its own.
///
/// A payload is returned as a range: the caller has the buffer, and `bytes.extracting(payload)` is
/// checked and copies nothing.
struct FrameReader: Sendable {
    /// Our SETTINGS_MAX_FRAME_SIZE: the most bytes in the payload of one frame.
    var maxPayloadByteCount = 16_384

    init() {}

    /// Returns the next complete frame at `offset`, and moves `offset` to the byte after it.
    /// Returns nil if more bytes are needed.
    func next(
        in bytes: Span<UInt8>, at offset: inout Int
    ) throws(HTTP2Error) -> (header: FrameHeader, payload: Range<Int>)? {
        guard let header = FrameHeader(decoding: bytes, at: offset) else { return nil }
        // §4.2: the frame is refused by its header alone. Otherwise the peer would determine how
        // much memory is used.
        guard header.payloadByteCount <= maxPayloadByteCount else {
            throw .connection(
                .frameSizeError,
                "frame of \(header.payloadByteCount) bytes, above \(maxPayloadByteCount)")
        }
        let start = offset + FrameHeader.byteCount
        let end = start + header.payloadByteCount
        guard end <= bytes.count else { return nil }

        offset = end
        return (header, start..<end)
    }
}
