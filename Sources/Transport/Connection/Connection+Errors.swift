extension Connection {
    /// The one place that turns the peer's errors into frames, and so the one place that decides
    /// what else dies with them.
    mutating func answer(_ error: HTTP2Error) {
        guard !lifecycle.hasFailed else { return }
        switch error {
        case .stream(let id, let code, _):
            guard let slot = streams.slot(of: id) else {
                RSTStreamFrame(streamID: id, code: code).encode(into: &output.tail)
                return
            }
            events.append(.streamFailed(streams.handle(of: slot), error))
            writeReset(of: slot, code)

        case .connection(let code, let message):
            // §5.4.1: the last stream that may have been acted on, so that the peer knows which
            // requests are safe to send again.
            GoAwayFrame(
                lastStreamID: lastRequestID, code: code, debugData: Array(message.utf8)
            ).encode(into: &output.tail)
            lifecycle.hasFailed = true
            events.append(.failed(error))
        }
    }
}
