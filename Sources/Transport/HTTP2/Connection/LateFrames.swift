/// Counts the frames that the peer may still send on streams that this side has reset, until it has received
/// the reset (RFC 9113 §5.1). Such frames are no errors, and are not charged.
///
/// DATA is limited by the bytes that the windows of these streams still allowed, however small the frames
/// are. Frames without content are limited by their number. The whole connection has one account, so that a
/// closed stream needs no memory.
struct LateFrames: Sendable {
    private var byteCount: Int64 = 0
    private var frameCount = 0
}

extension LateFrames {
    /// Adds a stream that was reset. The peer may still send `added` bytes of DATA on it.
    mutating func allow(byteCount added: Int64) {
        byteCount = min(byteCount + max(0, added), Limits.lateByteCount)
        let addedFrames =
            frameCount < Limits.generousLateFrameCount
            ? Limits.lateFramesPerReset : Limits.fewLateFramesPerReset
        frameCount = min(frameCount + addedFrames, Limits.lateFrameCount)
    }

    /// Counts a frame on a closed stream. Returns true if the peer may still send it.
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
