// How streams end, and what they leave behind.

extension Connection {
    /// How many frames the peer may have under way for a stream when we reset it.
    static let lateFramesPerReset = 64
    private static let maxLateFrames = 1 << 20

    /// Resets a stream from our side.
    mutating func writeReset(of slot: Int, _ code: ErrorCode) {
        if streams[slot].phase == .open {
            RSTStreamFrame(streamID: streams[slot].id, code: code).encode(into: &output.tail)
            lateFrameAllowance = min(
                lateFrameAllowance + Self.lateFramesPerReset, Self.maxLateFrames)
        }
        release(slot)
    }

    /// Ends the stream when both halves have ended and nothing is queued.
    mutating func releaseIfClosed(_ slot: Int) {
        guard streams[slot].state.isClosed, streams[slot].queue < 0 else { return }
        release(slot)
    }

    /// Frees everything that the stream holds, and lets the next one in that waits.
    mutating func release(_ slot: Int) {
        let phase = streams[slot].phase
        if phase == .waiting {
            waiting.remove(slot, in: &streams.slots)
        } else {
            ready.remove(slot, in: &streams.slots)
        }
        queues.release(&streams[slot])
        let unread = Int(streams[slot].receiveWindow.held)
        if unread > 0 { forgetUnread(unread) }
        streams.release(slot)
        guard phase == .open else { return }
        requestCount -= 1
        glitches.earn(2)
        if !waiting.isEmpty { openWaitingStreams() }
    }
}
