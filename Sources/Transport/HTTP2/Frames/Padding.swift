/// The padding of DATA, HEADERS and PUSH_PROMISE (RFC 9113 §6.1): one byte with the number of
/// ignored bytes at the end of the frame.
enum Padding {
    /// The range of `payload` without its padding.
    static func content(
        of header: FrameHeader, _ payload: Span<UInt8>
    ) throws(HTTP2Error) -> Range<Int> {
        guard header.flags.contains(.padded) else { return 0..<payload.count }
        guard payload.count >= 1 else {
            throw .connection(.frameSizeError, "padded frame without its pad length")
        }
        let padByteCount = Int(payload[0])
        guard padByteCount < payload.count else {
            throw .connection(
                .protocolError,
                "padding of \(padByteCount) bytes in a frame of \(payload.count)")
        }
        return 1..<payload.count - padByteCount
    }
}
