// Windows: those that the peer moves, and those that we give back.

extension Connection {
    /// The user has read `byteCount` octets of the stream's DATA, which makes room for as many.
    /// For a stream that is over there is nothing to do: its octets were given back at its end.
    package mutating func consumed(_ handle: StreamHandle, by byteCount: Int, now: Instant) {
        guard let slot = streams.slot(of: handle) else { return }
        consume(min(byteCount, Int(streams[slot].receiveWindow.held)), of: slot, now: now)
    }

    mutating func consume(_ byteCount: Int, of slot: Int, now: Instant) {
        let increment = streams[slot].receiveWindow.consume(byteCount)
        forgetUnread(byteCount)
        if writeStreamUpdate(increment, of: slot) { measureBandwidth(now: now) }
    }

    /// False when there is nothing to say: who has said END_STREAM needs no window any more.
    private mutating func writeStreamUpdate(_ increment: UInt32?, of slot: Int) -> Bool {
        guard let increment, streams[slot].state.receive != .ended else { return false }
        WindowUpdateFrame(streamID: streams[slot].id, increment: increment)
            .encode(into: &output.tail)
        return true
    }

    /// Octets that lay unread are so no more, whether they were read or dropped.
    mutating func forgetUnread(_ byteCount: Int) {
        unreadByteCount -= byteCount
        let released = min(byteCount, withheldByteCount)
        guard released > 0 else { return }
        withheldByteCount -= released
        writeConnectionUpdate(receiveWindow.consume(released))
    }

    mutating func giveBackConnectionWindow(_ byteCount: Int, now: Instant) {
        guard let increment = receiveWindow.consume(byteCount) else { return }
        writeConnectionUpdate(increment)
        measureBandwidth(now: now)
    }

    mutating func growConnectionWindow(to byteCount: Int) {
        let growth = Int32(clamping: byteCount - Int(receiveWindow.target))
        writeConnectionUpdate(receiveWindow.enlarge(by: growth))
    }

    private mutating func writeConnectionUpdate(_ increment: UInt32?) {
        guard let increment, !lifecycle.hasFailed else { return }
        WindowUpdateFrame(streamID: .connection, increment: increment)
            .encode(into: &output.tail)
    }
}

// MARK: - SETTINGS_INITIAL_WINDOW_SIZE (§6.9.2)

extension Connection {
    /// The peer has changed the window of every stream that we send on.
    mutating func adjustSendWindows(now: Instant, by delta: Int64) throws(HTTP2Error) {
        guard delta != 0 else { return }
        try payForWalk(now: now)
        for slot in streams.slots.indices where streams[slot].phase == .open {
            do throws(FlowControlWindow.Overflow) {
                try streams[slot].sendWindow.adjust(by: delta)
            } catch {
                throw .connection(
                    .flowControlError, "SETTINGS_INITIAL_WINDOW_SIZE overflows a stream's window")
            }
            if streams[slot].sendWindow.available > 0 {
                makeReadyIfPossible(slot)
            } else {
                ready.remove(slot, in: &streams.slots)
            }
        }
    }

    mutating func adjustReceiveWindows(by delta: Int32) {
        for slot in streams.slots.indices where streams[slot].phase == .open {
            let increment = streams[slot].receiveWindow.adjust(by: delta)
            _ = writeStreamUpdate(increment, of: slot)
        }
    }
}

// MARK: - Bandwidth × delay

extension Connection {
    /// The windows of streams follow by SETTINGS, that of the connection by an update, and is
    /// twice as large so that one stream cannot hold it all.
    private mutating func measureBandwidth(now: Instant) {
        guard let advice = bandwidth?.windowUpdated(now: now) else { return }
        if advice.measuresDelay { writePing(.bandwidth) }
        guard let byteCount = advice.windowByteCount else { return }
        announceStreamWindow(of: byteCount, now: now)
        growConnectionWindow(to: min(byteCount * 2, Int(Int32.max)))
    }

    /// Gives streams this window from now on, whatever the path could bear.
    package mutating func setStreamWindow(to byteCount: Int, now: Instant) {
        guard !lifecycle.hasFailed else { return }
        bandwidth = nil
        announceStreamWindow(of: max(0, byteCount), now: now)
    }

    private mutating func announceStreamWindow(of byteCount: Int, now: Instant) {
        var settings = unacknowledgedSettings.last ?? acknowledgedSettings
        let old = settings
        settings.initialWindowByteCount = Int32(clamping: byteCount)
        SettingsFrame(settings.entries(changedFrom: old)).encode(into: &output.tail)
        unacknowledgedSettings.append(settings)
        if settingsDeadline == nil { settingsDeadline = now + configuration.settingsTimeout }
    }
}
