// The end of streams.

extension Connection {
    /// Ends the stream at once in both directions, with RST_STREAM. Has no effect on a stream that has ended.
    package mutating func reset(_ handle: StreamHandle, _ code: ErrorCode) {
        guard let slot = streams.slot(of: handle) else { return }
        writeReset(of: slot, code)
    }

    mutating func writeReset(of slot: Int, _ code: ErrorCode) {
        if streams[slot].phase == .open, !lifecycle.hasFailed {
            outbox.write(RSTStreamFrame(streamID: streams[slot].id, code: code))
            let hasEnded = streams[slot].state.receive == .ended
            allowLateFrames(
                byteCount: hasEnded ? 0 : streams[slot].receiveWindow.available)
        }
        // The next waiting stream opens only when output is taken. So a waiting stream that ends at the same
        // time, for example at the same deadline, is never sent.
        streams.release(slot)
    }

    /// Allows DATA on a stream that this side has closed: `byteCount` bytes, which the acknowledged settings
    /// permit, and the bytes that newer settings permit in addition.
    mutating func allowLateFrames(byteCount: Int32) {
        abuse.allowLateFrames(
            byteCount: Int64(byteCount) + settings.unacknowledgedWindowGrowth)
    }

    /// Ends the stream if both directions have ended and nothing is queued. A server that has sent its
    /// response needs no more of the request. It sends RST_STREAM with NO_ERROR (RFC 9113 §8.1), because a
    /// client that waits for a window would wait without end.
    mutating func releaseIfClosed(_ slot: Int) {
        guard streams[slot].state.send == .ended, !streams.hasQueue(slot) else { return }
        guard streams[slot].state.isClosed else {
            if configuration.role == .server { writeReset(of: slot, .noError) }
            return
        }
        abuse.completedStream()
        streams.release(slot)
    }
}
