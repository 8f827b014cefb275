extension Connection {
    /// Takes in octets from `offset` on, up to the first event; nil when all whole frames have
    /// been taken in. `offset` moves behind what was used: pass what is left again, with more
    /// behind it.
    ///
    /// Any way of cutting the same octets into calls gives the same events.
    package mutating func receive(
        _ octets: Span<UInt8>, at offset: inout Int, now: Instant
    ) -> Event? {
        if offset < octets.count { octetsArrived(now: now) }
        while true {
            if let event = events.popFirst() { return event }
            if lifecycle.hasFailed {
                // After a connection error the peer's octets mean nothing. They count as used,
                // so that a caller who drains its socket makes progress.
                offset = octets.count
                return nil
            }
            do throws(HTTP2Error) {
                if preface == .awaitingMagic {
                    try receiveMagic(octets, at: &offset)
                    if preface == .awaitingMagic { return nil }
                }
                if preface == .awaitingSettings { try recognise(octets, at: offset) }
                guard let (header, payload) = try reader.next(in: octets, at: &offset) else {
                    return nil
                }
                if let event = try receive(header, octets, payload, now: now) { return event }
            } catch {
                answer(error, now: now)
            }
        }
    }

    /// The stream of a DATA frame that has begun to arrive, if its content may be read to where it
    /// belongs. The frame is announced with ``receive(placed:now:)`` when it is whole.
    package func streamToPlace(_ header: FrameHeader) -> StreamHandle? {
        guard header.type == .data, header.flags.isEmpty, preface == .done, !lifecycle.hasFailed,
            assembler.isIdle, header.payloadByteCount <= reader.maxPayloadByteCount
        else { return nil }
        return streams.slot(of: header.streamID).map { streams.handle(of: $0) }
    }

    /// Notes that the peer lives: something came, be it a part of a frame that will take a while.
    package mutating func octetsArrived(now: Instant) { keepAlive?.received(now: now) }

    /// Takes in a DATA frame whose content did not pass through here. The range of an event that it
    /// gives means nothing.
    package mutating func receive(placed header: FrameHeader, now: Instant) -> Event? {
        assert(header.type == .data && header.flags.isEmpty)
        guard !lifecycle.hasFailed else { return nil }
        do throws(HTTP2Error) {
            try assembler.admit(header)
            let frame = DataFrame(
                streamID: header.streamID, endStream: false, content: 0..<header.payloadByteCount,
                flowControlledByteCount: header.payloadByteCount)
            return try receiveData(frame, at: 0, now: now)
        } catch {
            answer(error, now: now)
            return nil
        }
    }

    /// Says in plain words what a peer is that does not begin with SETTINGS, before its octets
    /// are read as the header of some enormous frame.
    private func recognise(_ octets: Span<UInt8>, at offset: Int) throws(HTTP2Error) {
        guard let header = FrameHeader(decoding: octets, at: offset) else { return }
        guard header.type != .settings || header.streamID != .connection else { return }
        let isHTTP1 = octets[offset] == UInt8(ascii: "H") && octets[offset + 1] == UInt8(ascii: "T")
        throw .connection(
            .protocolError,
            isHTTP1 ? "the peer answers in HTTP/1" : "the peer does not speak HTTP/2")
    }

    private mutating func receive(
        _ header: FrameHeader, _ octets: Span<UInt8>, _ range: Range<Int>, now: Instant
    ) throws(HTTP2Error) -> Event? {
        let isFirst = preface == .awaitingSettings
        if isFirst { try receiveFirstFrame(header) }
        try assembler.admit(header)
        let payload = octets.extracting(range)
        switch header.type {
        case .data:
            return try receiveData(
                DataFrame(header, payload: payload), at: range.lowerBound, now: now)
        case .headers:
            return try receiveHeaders(HeadersFrame(header, payload: payload), payload, now: now)
        case .continuation:
            return try receiveContinuation(header, payload, now: now)
        case .windowUpdate:
            try receiveWindowUpdate(WindowUpdateFrame(header, payload: payload), now: now)
        case .rstStream:
            return try receiveReset(RSTStreamFrame(header, payload: payload), now: now)
        case .settings:
            try receiveSettings(
                SettingsFrame(
                    header, payload: payload,
                    maxEntryCount: configuration.limits.settingsEntryCount), now: now)
            if isFirst { events.append(.ready) }
        case .ping:
            try receivePing(PingFrame(header, payload: payload), now: now)
        case .goAway:
            try spendGlitch(now: now)
            try receiveGoAway(GoAwayFrame(header, payload: payload), now: now)
            goAwayCount &+= 1
        case .priority:
            try spendGlitch(now: now)
            let frame = try PriorityFrame(header, payload: payload)
            // RFC 7540 §5.3.1: a stream cannot depend on itself.
            guard frame.priority.dependency != frame.streamID else {
                throw .stream(frame.streamID, .protocolError, "a stream that depends on itself")
            }
        case .pushPromise:
            let frame = try PushPromiseFrame(header, payload: payload)
            throw .connection(
                .protocolError, "PUSH_PROMISE of stream \(frame.promisedStreamID): push is refused")
        default:
            try spendGlitch(now: now)  // §4.1: frames of unknown types are discarded.
        }
        return nil
    }

    /// Pays for a frame that has us look at every stream there ever were at once.
    mutating func payForWalk(now: Instant) throws(HTTP2Error) {
        for _ in 0..<streams.slots.count / 1_000 { try spendGlitch(now: now) }
    }

    mutating func spendGlitch(now: Instant) throws(HTTP2Error) {
        guard glitches.spend(now: now) else {
            throw .connection(.enhanceYourCalm, "too many frames without content")
        }
    }
}

// MARK: - Frames of the connection

extension Connection {
    private mutating func receiveSettings(
        _ frame: SettingsFrame, now: Instant
    ) throws(HTTP2Error) {
        try spendGlitch(now: now)
        guard !frame.isAck else { return try receiveSettingsAck(now: now) }

        let old = peerSettings
        try peerSettings.apply(frame.entries)
        for entry in frame.entries {
            switch entry.identifier {
            case SettingsFrame.Entry.enablePush:
                // §6.5.2: a client treats any value a server sends for it other than 0 as an
                // error, also 1, which is what holds by default.
                guard configuration.role == .server || entry.value == 0 else {
                    throw .connection(.protocolError, "SETTINGS_ENABLE_PUSH from a server")
                }
            case SettingsFrame.Entry.headerTableSize:
                // §6.5.3: in order. A size that was in force for a moment has evicted entries
                // from the peer's table (RFC 7541 §4.2).
                encoder.setPeerMaxTableByteCount(Int(clamping: entry.value))
            default:
                break
            }
        }
        try adjustSendWindows(
            now: now,
            by: Int64(peerSettings.initialWindowByteCount) - Int64(old.initialWindowByteCount))
        SettingsFrame(isAck: true).encode(into: &output.tail)
        try countUnreadAnswer()
    }

    private mutating func receiveSettingsAck(now: Instant) throws(HTTP2Error) {
        guard !unacknowledgedSettings.isEmpty else {
            throw .connection(.protocolError, "acknowledgement of SETTINGS that were not sent")
        }
        // What we asked for holds from here on: the peer has applied it (§6.5.3).
        let settings = unacknowledgedSettings.removeFirst()
        let windowDelta =
            settings.initialWindowByteCount - acknowledgedSettings.initialWindowByteCount
        if settings.headerTableByteCount != acknowledgedSettings.headerTableByteCount {
            decoder.setMaxTableByteCount(Int(settings.headerTableByteCount))
        }
        acknowledgedSettings = settings
        settingsDeadline =
            unacknowledgedSettings.isEmpty ? nil : now + configuration.settingsTimeout
        if windowDelta != 0 { adjustReceiveWindows(by: windowDelta) }
    }

    private mutating func receivePing(_ frame: PingFrame, now: Instant) throws(HTTP2Error) {
        try spendGlitch(now: now)
        guard frame.isAck else {
            // §6.7: the answer carries the same octets.
            PingFrame(isAck: true, opaque: frame.opaque).encode(into: &output.tail)
            pingCount &+= 1
            return try countUnreadAnswer()
        }
        receivePingAnswer(frame.opaque, now: now)
    }

    private mutating func receiveWindowUpdate(
        _ frame: WindowUpdateFrame, now: Instant
    ) throws(HTTP2Error) {
        // What was sent pays for its windows' return, be it long after.
        if owedUpdateCount > 0 { owedUpdateCount -= 1 } else { try spendGlitch(now: now) }
        if frame.streamID == .connection {
            do throws(FlowControlWindow.Overflow) {
                try sendWindow.grow(by: frame.increment)
            } catch {
                throw .connection(.flowControlError, "connection window above 2³¹−1")
            }
            return
        }
        guard let slot = try liveSlot(of: frame.streamID, "WINDOW_UPDATE") else { return }
        do throws(FlowControlWindow.Overflow) {
            try streams[slot].sendWindow.grow(by: frame.increment)
        } catch {
            throw .stream(frame.streamID, .flowControlError, "stream window above 2³¹−1")
        }
        makeReadyIfPossible(slot)
    }

    /// The slot of the stream that a frame names; nil when the stream is over, which is not an
    /// error for the frames that may cross its end on the wire (§5.1).
    func liveSlot(of id: StreamID, _ frame: String) throws(HTTP2Error) -> Int? {
        if let slot = streams.slot(of: id) { return slot }
        guard !isIdle(id) else {
            throw .connection(.protocolError, "\(frame) on idle stream \(id)")
        }
        return nil
    }

    /// Whether nobody has opened the stream yet. A server of ours opens none, and so does a peer
    /// whose push is refused.
    func isIdle(_ id: StreamID) -> Bool {
        guard id.isClientInitiated else { return true }
        switch configuration.role {
        case .client: return nextRequestID.map { id >= $0 } ?? false
        case .server: return id > lastRequestID
        }
    }
}
