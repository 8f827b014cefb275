extension Connection {
    /// Answers an error of the peer with frames and events. Only this function decides what ends because of
    /// an error.
    mutating func answer(_ error: HTTP2Error, now: Instant) {
        guard !lifecycle.hasFailed else { return }
        do throws(HTTP2Error) {
            switch error {
            case .connection: throw error
            case .stream(let id, let code, let message):
                // §5.1: on an idle stream, only PRIORITY and HEADERS may be sent. So RST_STREAM is not a
                // possible answer, and the connection ends.
                guard !requests.isIdle(id) else { throw .connection(code, message) }
                try abuse.chargeStreamError(message, now: now)
                fail(id, code, error)
                try outbox.countAnswer()
            }
        } catch {
            fail(error)
        }
    }

    private mutating func fail(_ id: StreamID, _ code: ErrorCode, _ error: HTTP2Error) {
        if let slot = streams.slot(of: id) {
            events.append(.streamFailed(streams.handle(of: slot), error))
            writeReset(of: slot, code)
        } else {
            outbox.write(RSTStreamFrame(streamID: id, code: code))
        }
    }

    /// Ends the connection.
    private mutating func fail(_ error: HTTP2Error) {
        // §5.4.1: GOAWAY names the last stream that may have been processed, so that the peer knows which
        // requests are safe to send again.
        outbox.write(
            GoAwayFrame(
                lastStreamID: min(requests.lastAccepted, lifecycle.announcedLast),
                code: error.code, debugData: Array(error.message.utf8)))
        lifecycle.fail()
        events.append(.failed(.connection(error.code, error.message)))
    }
}
