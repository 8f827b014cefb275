// The end of a connection, by agreement (RFC 9113 §6.8).

extension Connection {
    /// Leaves at once: no new streams, those that are open may end.
    package mutating func leave(_ code: ErrorCode = .noError, debugData: String = "") {
        guard !lifecycle.hasFailed else { return }
        let last = min(lastRequestID, currentLimit)
        lifecycle.own = .leaving(last: last)
        lifecycle.awaitsGracePing = false
        GoAwayFrame(lastStreamID: last, code: code, debugData: Array(debugData.utf8))
            .encode(into: &output.tail)
    }

    /// Leaves without having looked at the stream, nor at those that began after it.
    package mutating func leave(before stream: StreamHandle) {
        guard let slot = streams.slot(of: stream) else { return }
        lifecycle.own = .leaving(last: min(streams[slot].id.predecessor, currentLimit))
        leave()
    }

    /// Leaves in two steps, so that no request that is under way is lost: first a GOAWAY that
    /// shuts nobody out, and after a round trip the one that counts.
    package mutating func leaveGracefully(debugData: String = "") {
        guard !lifecycle.hasFailed, lifecycle.own == .open else { return }
        lifecycle.own = .leaving(last: .last)
        lifecycle.awaitsGracePing = true
        GoAwayFrame(lastStreamID: .last, code: .noError, debugData: Array(debugData.utf8))
            .encode(into: &output.tail)
        writePing(.gracefulLeave)
    }

    mutating func finishGracefulLeave() {
        guard lifecycle.awaitsGracePing else { return }
        leave()
    }

    /// What we have promised; no GOAWAY of ours may name more (§6.8).
    var currentLimit: StreamID {
        switch lifecycle.own {
        case .open: .last
        case .leaving(let last): last
        }
    }

    /// The peer leaves. Streams above its limit were not looked at and may go elsewhere; so may
    /// those that still wait in line here.
    mutating func receiveGoAway(_ frame: GoAwayFrame, now: Instant) throws(HTTP2Error) {
        if case .leaving(let last) = lifecycle.peer, frame.lastStreamID > last {
            // §6.8: "Endpoints MUST NOT increase the value they send."
            throw .connection(.protocolError, "GOAWAY that takes an earlier one back")
        }
        let isExpected = lifecycle.peer.expects(frame)
        lifecycle.peer = .leaving(last: frame.lastStreamID)
        events.append(.goAway(frame))
        guard configuration.role == .client else { return }
        if !isExpected { try payForWalk(now: now) }

        dropWaitingStreams()
        for slot in streams.slots.indices
        where streams[slot].phase == .open && streams[slot].id > frame.lastStreamID {
            events.append(.unprocessed(streams.handle(of: slot)))
            release(slot)
        }
    }

    /// Those in line will not have their turn here.
    mutating func dropWaitingStreams() {
        while let slot = waiting.popFirst(in: &streams.slots) {
            events.append(.unsent(streams.handle(of: slot)))
            release(slot)
        }
    }
}
