// How streams end, and what they leave behind.

extension Connection {
    /// Resets a stream from our side.
    mutating func writeReset(of slot: Int, _ code: ErrorCode) {
        if streams[slot].phase == .open, !lifecycle.hasFailed {
            RSTStreamFrame(streamID: streams[slot].id, code: code).encode(into: &output.tail)
            let isEnded = streams[slot].state.receive == .ended
            allowLateFrames(octets: isEnded ? 0 : streams[slot].receiveWindow.available)
        }
        release(slot)
    }

    /// The peer may send `byteCount` octets, by what it is known to know, on a stream that is over
    /// for us.
    mutating func allowLateFrames(octets byteCount: Int32) {
        // It may have read SETTINGS already that it has not acknowledged yet.
        let newest = unacknowledgedSettings.last ?? acknowledgedSettings
        let growth =
            Int64(newest.initialWindowByteCount)
            - Int64(acknowledgedSettings.initialWindowByteCount)
        late.allow(octets: Int64(byteCount) + max(0, growth))
    }

    /// Ends the stream when both halves have ended and nothing is queued. A server whose response is
    /// complete needs no more of the request, and says so (RFC 9113 §8.1): a client that waits for
    /// room to send it would wait for ever.
    mutating func releaseIfClosed(_ slot: Int) {
        guard streams[slot].state.send == .ended, streams[slot].queue < 0 else { return }
        guard streams[slot].state.isClosed else {
            if configuration.role == .server { writeReset(of: slot, .noError) }
            return
        }
        // Only what was carried to its end has been of use.
        glitches.earn(2)
        release(slot)
    }

    /// Frees everything that the stream holds. The next one that waits is let in when output is
    /// taken: one that ends together with this one, because they had one deadline, leaves no trace.
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
        if phase == .open { requestCount -= 1 }
    }
}
