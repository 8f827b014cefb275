extension Connection {
    /// Processes the bytes from `offset` on, up to the first event. Returns nil when all complete frames have been
    /// processed. Moves `offset` to the first unused byte. Pass the unused bytes again, followed by more bytes.
    ///
    /// The events do not depend on how the bytes are split into calls.
    package mutating func receive(
        _ bytes: Span<UInt8>, at offset: inout Int, now: Instant
    ) -> Event? {
        if offset < bytes.count { bytesArrived(now: now) }
        while true {
            if let event = events.popFirst() { return event }
            if lifecycle.hasFailed {
                // After a connection error, the peer's bytes have no meaning. They are treated as used, so
                // that a caller that drains its socket makes progress.
                offset = bytes.count
                return nil
            }
            do throws(HTTP2Error) {
                if preface != .done {
                    guard try preface.receive(bytes, at: &offset) else { return nil }
                }
                guard let (header, payload) = try reader.next(in: bytes, at: &offset) else {
                    return nil
                }
                if let event = try receive(header, bytes, payload, now: now) { return event }
            } catch {
                answer(error, now: now)
            }
        }
    }

    /// Returns the stream of an incomplete DATA frame, if its content may be read directly into the message.
    /// When the frame is complete, call ``receive(placed:now:)``.
    package func streamToPlace(_ header: FrameHeader) -> StreamHandle? {
        guard header.type == .data, header.flags == .none, preface == .done, !lifecycle.hasFailed,
            headers.isIdle, header.payloadByteCount <= reader.maxPayloadByteCount
        else { return nil }
        return streams.slot(of: header.streamID).map { streams.handle(of: $0) }
    }

    /// Notes that bytes arrived, so that the peer is alive. They may be only a part of a long frame.
    package mutating func bytesArrived(now: Instant) { keepAlive?.received(now: now) }

    /// Processes a complete DATA frame whose content the caller has placed. The range of the returned
    /// event has no meaning.
    package mutating func receive(placed header: FrameHeader, now: Instant) -> Event? {
        assert(header.type == .data && header.flags == .none)
        guard !lifecycle.hasFailed else { return nil }
        do throws(HTTP2Error) {
            try headers.admit(header)
            let frame = DataFrame(
                streamID: header.streamID, endStream: false, content: 0..<header.payloadByteCount,
                flowControlledByteCount: header.payloadByteCount)
            return try receiveData(frame, at: 0, now: now)
        } catch {
            answer(error, now: now)
            return nil
        }
    }

    private mutating func receive(
        _ header: FrameHeader, _ bytes: Span<UInt8>, _ range: Range<Int>, now: Instant
    ) throws(HTTP2Error) -> Event? {
        let isFirst = preface == .awaitingSettings
        if isFirst { try preface.receiveFirstFrame(header) }
        try headers.admit(header)
        let payload = bytes.extracting(range)
        switch header.type {
        case .data:
            return try receiveData(
                DataFrame(header, payload: payload), at: range.lowerBound, now: now)
        case .headers:
            return try receiveHeaders(HeadersFrame(header, payload: payload), payload, now: now)
        case .continuation:
            return try receiveContinuation(ContinuationFrame(header), payload, now: now)
        case .rstStream:
            return try receiveReset(RSTStreamFrame(header, payload: payload), now: now)
        default:
            try receiveControl(header, payload, now: now)
            if isFirst { events.append(.ready) }
            return nil
        }
    }

    /// Processes a frame that returns no event directly.
    private mutating func receiveControl(
        _ header: FrameHeader, _ payload: Span<UInt8>, now: Instant
    ) throws(HTTP2Error) {
        switch header.type {
        case .windowUpdate:
            try receiveWindowUpdate(WindowUpdateFrame(header, payload: payload), now: now)
        case .settings:
            // Charged before the entries are read, because there can be many.
            let entryCount = payload.count / SettingsFrame.Entry.byteCount
            try abuse.chargeSettings(entryCount: entryCount, now: now)
            try receiveSettings(SettingsFrame(header, payload: payload), now: now)
        case .ping:
            try receivePing(PingFrame(header, payload: payload), now: now)
        case .goAway:
            try abuse.charge(now: now)
            try receiveGoAway(GoAwayFrame(header, payload: payload), now: now)
            counts.goAways &+= 1
        case .priority:
            try abuse.charge(now: now)
            try PriorityFrame.check(header, payload: payload)
        case .pushPromise:
            let frame = try PushPromiseFrame(header, payload: payload)
            throw .connection(
                .protocolError, "PUSH_PROMISE of stream \(frame.promisedStreamID): push is disabled"
            )
        default:
            // §4.1: frames of unknown types are discarded.
            try abuse.chargeDiscarded(FrameHeader.byteCount + payload.count, now: now)
        }
    }
}

// MARK: - SETTINGS

extension Connection {
    private mutating func receiveSettings(
        _ frame: SettingsFrame, now: Instant
    ) throws(HTTP2Error) {
        guard !frame.isAck else { return try receiveSettingsAck(now: now) }
        let windowDelta = try settings.receive(frame, as: configuration.role)
        outbox.setMaxPayloadByteCount(settings.peer.maxFrameByteCount)
        for entry in frame.entries where entry.identifier == SettingsFrame.Entry.headerTableSize {
            // §6.5.3: every value, in order. A smaller size evicts entries from the peer's table, even if
            // the same frame increases the size again (RFC 7541 §4.2).
            outbox.setPeerTableByteCount(Int(clamping: entry.value))
        }
        try adjustSendWindows(by: windowDelta, now: now)
        outbox.write(SettingsFrame(isAck: true))
        try outbox.countAnswer()
    }

    private mutating func receiveSettingsAck(now: Instant) throws(HTTP2Error) {
        let change = try settings.receiveAcknowledgement(now: now)
        if let byteCount = change.tableByteCount { headers.setTableByteCount(byteCount) }
        if change.windowDelta != 0 { adjustReceiveWindows(by: change.windowDelta) }
    }
}
