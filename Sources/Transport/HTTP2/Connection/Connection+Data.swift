// DATA and resets that arrive.

extension Connection {
    mutating func receiveData(
        _ frame: DataFrame, at start: Int, now: Instant
    ) throws(HTTP2Error) -> Event? {
        let byteCount = frame.flowControlledByteCount
        let contentByteCount = frame.content.count
        counts.dataFrames &+= 1
        counts.paddingBytes &+= byteCount - contentByteCount
        // §6.9: DATA counts against the connection's window even if its stream has ended.
        writeConnectionUpdate(try flow.receive(byteCount))
        guard let slot = streams.slot(of: frame.streamID) else {
            guard !requests.isIdle(frame.streamID) else {
                throw .connection(.protocolError, "DATA on idle stream \(frame.streamID)")
            }
            try receiveOnClosedStream(frame.streamID, contentByteCount: contentByteCount)
            return nil
        }
        try admitData(frame, on: slot)
        try abuse.receiveData(
            contentByteCount: contentByteCount, endStream: frame.endStream, now: now)
        let padding = byteCount - contentByteCount
        if padding > 0 {
            // The reader consumes no padding, so padding does not make the window grow.
            let unread = Int(streams[slot].receiveWindow.target)
            consume(
                Consumption(byteCount: padding, unreadByteCount: unread), of: slot, now: now)
        }

        let handle = streams.handle(of: slot)
        let content = start + frame.content.lowerBound..<start + frame.content.upperBound
        if frame.endStream { releaseIfClosed(slot) }
        guard contentByteCount > 0 || frame.endStream else { return nil }
        return .data(handle, content, endStream: frame.endStream)
    }

    private mutating func admitData(_ frame: DataFrame, on slot: Int) throws(HTTP2Error) {
        try streams[slot].state.receiveData(on: frame.streamID, endStream: frame.endStream)
        if streams[slot].undeliveredByteCount >= 0 {
            streams[slot].undeliveredByteCount -= Int64(frame.content.count)
            guard streams[slot].undeliveredByteCount >= 0 else {
                throw .stream(frame.streamID, .protocolError, "more DATA than content-length says")
            }
            if frame.endStream { try checkContentLength(of: slot) }
        }
        // This check is the last one, because it also subtracts the bytes from the stream's window.
        guard streams[slot].receiveWindow.receive(frame.flowControlledByteCount) else {
            throw .stream(frame.streamID, .flowControlError, "DATA beyond the stream's window")
        }
    }

    mutating func receiveReset(
        _ frame: RSTStreamFrame, now: Instant
    ) throws(HTTP2Error) -> Event? {
        guard let slot = try liveSlot(of: frame.streamID, "RST_STREAM") else {
            // This side may have ended the stream already. Then the peer's reset crosses that end.
            if !abuse.admitLateFrame() { try abuse.charge(now: now) }
            return nil
        }
        // On a server, the client opened the stream. Opening streams and resetting them at once is an attack.
        // Only a completed stream earns credit, so the attack exhausts its budget.
        if configuration.role == .server { try abuse.charge(now: now) }
        let handle = streams.handle(of: slot)
        counts.resets &+= 1
        streams.release(slot)
        return .reset(handle, frame.code)
    }
}
