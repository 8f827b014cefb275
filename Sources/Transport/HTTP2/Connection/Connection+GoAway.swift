// The end of a connection by GOAWAY (RFC 9113 §6.8).

extension Connection {
    /// Sends GOAWAY. The connection accepts no new streams. Open streams continue until they end.
    package mutating func goAway(_ code: ErrorCode = .noError, debugData: String = "") {
        writeGoAway(after: requests.lastAccepted, code, debugData)
    }

    /// Sends GOAWAY, which reports that `stream` and all streams after it were not processed.
    package mutating func goAway(before stream: StreamHandle) {
        guard let slot = streams.slot(of: stream) else { return }
        writeGoAway(after: streams[slot].id.predecessor, .noError, "")
    }

    /// Sends two GOAWAYs, so that no request is lost that is already on its way. The first excludes no
    /// stream. The second follows after a round trip.
    package mutating func shutDownGracefully(debugData: String = "") {
        guard !lifecycle.hasFailed, lifecycle.own == .open else { return }
        lifecycle.beginShutdown()
        outbox.write(
            GoAwayFrame(
                lastStreamID: .last, code: .noError, debugData: Array(debugData.utf8)))
        writePing(.gracefulShutdown)
    }

    mutating func finishGracefulShutdown() {
        if lifecycle.awaitsShutdownPing { goAway() }
    }

    private mutating func writeGoAway(
        after last: StreamID, _ code: ErrorCode, _ debugData: String
    ) {
        guard !lifecycle.hasFailed else { return }
        outbox.write(
            GoAwayFrame(
                lastStreamID: lifecycle.goAway(after: min(last, requests.lastAccepted)),
                code: code, debugData: Array(debugData.utf8)))
    }

    /// Processes the peer's GOAWAY. The peer has not processed the streams above the last stream that it
    /// names. So these and the waiting streams may be sent on another connection.
    mutating func receiveGoAway(_ frame: GoAwayFrame, now: Instant) throws(HTTP2Error) {
        let isExpected = try lifecycle.receive(frame)
        events.append(.goAway(frame))
        guard configuration.role == .client else { return }
        if !isExpected { try abuse.chargeVisit(of: streams.openCount, now: now) }
        dropWaitingStreams()
        for slot in streams.openSlots where streams[slot].id > frame.lastStreamID {
            events.append(.unprocessed(streams.handle(of: slot)))
            streams.release(slot)
        }
    }

    /// Ends the waiting streams, because they cannot be opened on this connection.
    mutating func dropWaitingStreams() {
        while let slot = streams.firstWaiting {
            events.append(.unsent(streams.handle(of: slot)))
            streams.release(slot)
        }
    }
}
