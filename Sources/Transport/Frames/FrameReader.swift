/// Cuts a run of octets into frames. Keeps no octets of its own.
///
/// A payload is returned as a range and not as a view: the caller still holds the buffer, and
/// `octets.extracting(payload)` is checked and copies nothing.
package struct FrameReader: Sendable {
    /// Our SETTINGS_MAX_FRAME_SIZE: the most that the peer may put into one frame.
    package var maxPayloadByteCount = 16_384

    package init() {}

    /// The next whole frame at `offset`, which moves behind it; nil when more has to arrive.
    package func next(
        in octets: Span<UInt8>, at offset: inout Int
    ) throws(HTTP2Error) -> (header: FrameHeader, payload: Range<Int>)? {
        guard let header = FrameHeader(decoding: octets, at: offset) else { return nil }
        // §4.2: refuse by the header alone. Had we waited for the payload, the peer would decide
        // how much memory we spend.
        guard header.payloadByteCount <= maxPayloadByteCount else {
            throw .connection(
                .frameSizeError,
                "frame of \(header.payloadByteCount) octets, above \(maxPayloadByteCount)")
        }
        let start = offset + FrameHeader.byteCount
        let end = start + header.payloadByteCount
        guard end <= octets.count else { return nil }

        offset = end
        return (header, start..<end)
    }
}
