// The WINDOW_UPDATEs of the peer, and those of this side.

extension Connection {
    mutating func receiveWindowUpdate(
        _ frame: WindowUpdateFrame, now: Instant
    ) throws(HTTP2Error) {
        try abuse.chargeWindowUpdate(now: now)
        guard frame.streamID != .connection else { return try flow.grow(by: frame.increment) }
        guard let slot = try liveSlot(of: frame.streamID, "WINDOW_UPDATE") else { return }
        do throws(FlowControlWindow.Overflow) {
            try streams[slot].sendWindow.grow(by: frame.increment)
        } catch {
            throw .stream(frame.streamID, .flowControlError, "stream window above 2³¹−1")
        }
        streams.makeReadyIfPossible(slot)
    }

    /// Reports that the reader has consumed `byteCount` bytes of the stream's DATA, so that the peer may send
    /// as many more. Has no effect on a stream that has ended.
    package mutating func consumed(_ handle: StreamHandle, by byteCount: Int, now: Instant) {
        consumed(handle, Consumption(byteCount: byteCount), now: now)
    }

    /// Does the same as ``consumed(_:by:now:)``, for a reader that knows how many more bytes it waits for.
    package mutating func consumed(
        _ handle: StreamHandle, _ consumption: Consumption, now: Instant
    ) {
        guard let slot = streams.slot(of: handle) else { return }
        var consumption = consumption
        consumption.byteCount = min(
            consumption.byteCount, Int(streams[slot].receiveWindow.held))
        consume(consumption, of: slot, now: now)
    }

    mutating func consume(_ consumption: Consumption, of slot: Int, now: Instant) {
        let limit = flow.streamConsumed(consumption.byteCount)
        let increment = streams[slot].receiveWindow.consume(
            consumption.byteCount, leaving: consumption.unreadByteCount, growingTo: limit,
            awaiting: flow.grant(awaited: consumption.awaitedByteCount),
            isLast: consumption.isLast)
        guard writeStreamUpdate(increment, of: slot) else { return }
        let measurement = flow.streamUpdated(now: now)
        if measurement.measuresDelay { writePing(.bandwidth) }
        writeConnectionUpdate(measurement.increment)
        writeConnectionUpdate(flow.enlarge(forStream: streams[slot].receiveWindow.target))
    }

    /// Returns false if no update was sent, because a peer that has sent END_STREAM needs no window.
    private mutating func writeStreamUpdate(_ increment: UInt32?, of slot: Int) -> Bool {
        guard let increment, streams[slot].state.receive != .ended else { return false }
        outbox.write(WindowUpdateFrame(streamID: streams[slot].id, increment: increment))
        return true
    }

    mutating func writeConnectionUpdate(_ increment: UInt32?) {
        guard let increment, !lifecycle.hasFailed else { return }
        outbox.write(WindowUpdateFrame(streamID: .connection, increment: increment))
    }
}

// MARK: - SETTINGS_INITIAL_WINDOW_SIZE (§6.9.2)

extension Connection {
    /// Applies the peer's change of the window of every stream that this side sends on.
    mutating func adjustSendWindows(by delta: Int64, now: Instant) throws(HTTP2Error) {
        guard delta != 0 else { return }
        try abuse.chargeVisit(of: streams.openCount, now: now)
        for slot in streams.openSlots {
            do throws(FlowControlWindow.Overflow) {
                try streams.adjustSendWindow(of: slot, by: delta)
            } catch {
                throw .connection(
                    .flowControlError, "SETTINGS_INITIAL_WINDOW_SIZE overflows a stream's window")
            }
        }
    }

    /// Changes the receive window of every stream, after the peer has acknowledged our setting.
    mutating func adjustReceiveWindows(by delta: Int32) {
        for slot in streams.openSlots {
            let increment = streams[slot].receiveWindow.adjust(by: delta)
            _ = writeStreamUpdate(increment, of: slot)
        }
    }

    /// Announces `byteCount` as SETTINGS_INITIAL_WINDOW_SIZE, and stops measuring the path. When the peer has
    /// acknowledged it, the windows of open streams also change by the difference.
    package mutating func setStreamWindow(to byteCount: Int, now: Instant) {
        guard !lifecycle.hasFailed else { return }
        flow.stopMeasuring()
        var changed = settings.newest
        changed.initialWindowByteCount = Int32(clamping: max(0, byteCount))
        outbox.write(settings.announce(changed, now: now))
    }
}
