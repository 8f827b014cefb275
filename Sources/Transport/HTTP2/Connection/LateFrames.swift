/// Counts the frames that the peer may still send on streams that this side has reset, before the peer knows of the
/// reset (RFC 9113 §5.1). Such frames are no errors and cost a correct peer nothing.
///
/// DATA is bounded by the bytes that the windows of these streams still allowed, however small the frames are. Frames
/// without content are bounded by their number. One account serves the whole connection, so that a closed stream needs
/// no memory.
struct LateFrames: Sendable {
    private var byteCount: Int64 = 0
    private var frameCount = 0
}

extension LateFrames {
    /// A stream was reset on which the peer may send `added` bytes of DATA.
    mutating func allow(byteCount added: Int64) {
        byteCount = min(byteCount + max(0, added), Limits.lateByteCount)
        let addedFrames =
            frameCount < Limits.generousLateFrameCount
            ? Limits.lateFramesPerReset : Limits.fewLateFramesPerReset
        frameCount = min(frameCount + addedFrames, Limits.lateFrameCount)
    }

    /// Whether a frame on a closed stream is within what the peer may still send.
    mutating func admit(contentByteCount: Int) -> Bool {
        if contentByteCount > 0 {
            guard byteCount >= contentByteCount else { return false }
            byteCount -= Int64(contentByteCount)
        } else {
            guard frameCount > 0 else { return false }
            frameCount -= 1
        }
        return true
    }
}
