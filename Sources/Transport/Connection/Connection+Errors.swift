extension Connection {
    /// The one place that turns the peer's errors into frames, and so the one place that decides
    /// what else dies with them.
    mutating func answer(_ error: HTTP2Error, now: Instant) {
        guard !lifecycle.hasFailed else { return }
        switch error {
        case .stream(let id, let code, let message):
            // §5.1: on an idle stream nothing but PRIORITY and HEADERS may be sent, so there is
            // no RST_STREAM that could answer.
            guard !isIdle(id) else { return fail(code, message) }
            // Each error costs us a frame and the peer next to nothing.
            guard glitches.spend(now: now) else {
                return fail(.enhanceYourCalm, "too many errors on streams; the last: \(message)")
            }
            if let slot = streams.slot(of: id) {
                events.append(.streamFailed(streams.handle(of: slot), error))
                writeReset(of: slot, code)
            } else {
                RSTStreamFrame(streamID: id, code: code).encode(into: &output.tail)
            }
            do throws(HTTP2Error) {
                try countUnreadAnswer()
            } catch {
                fail(error.code, error.message)
            }

        case .connection(let code, let message):
            fail(code, message)
        }
    }

    private mutating func fail(_ code: ErrorCode, _ message: String) {
        // §5.4.1: the last stream that may have been acted on, so that the peer knows which
        // requests are safe to send again.
        GoAwayFrame(
            lastStreamID: min(lastRequestID, currentLimit), code: code,
            debugData: Array(message.utf8)
        ).encode(into: &output.tail)
        lifecycle.hasFailed = true
        events.append(.failed(.connection(code, message)))
    }

    /// Counts a frame that the peer made us write: an acknowledgement, or the reset of a stream.
    mutating func countUnreadAnswer() throws(HTTP2Error) {
        pendingAckCount += 1
        guard pendingAckCount <= configuration.limits.pendingAckCount else {
            throw .connection(
                .enhanceYourCalm, "\(pendingAckCount) answers that the peer does not read")
        }
    }
}
