/// What the peer may still send on streams that we have reset and that it does not know of yet
/// (RFC 9113 §5.1): it is no error, and must cost honest peers nothing.
///
/// The window that a stream had left bounds its DATA exactly, however small the frames. What
/// needs no window is bounded by number. The account is that of the connection, so that nothing
/// has to be remembered of a stream that is over.
struct LateFrames: Sendable {
    private var octets: Int64 = 0
    private var frames = 0

    private static let framesPerReset = 64
    private static let maxFrames = 1 << 16
    private static let maxOctets: Int64 = 1 << 40
}

extension LateFrames {
    /// A stream was reset on which the peer may send `byteCount` octets of DATA.
    mutating func allow(octets byteCount: Int64) {
        octets = min(octets + max(0, byteCount), Self.maxOctets)
        frames = min(frames + Self.framesPerReset, Self.maxFrames)
    }

    /// Whether a frame on a stream that is over may be one of these.
    mutating func admit(contentByteCount: Int) -> Bool {
        if contentByteCount > 0 {
            guard octets >= contentByteCount else { return false }
            octets -= Int64(contentByteCount)
        } else {
            guard frames > 0 else { return false }
            frames -= 1
        }
        return true
    }
}
