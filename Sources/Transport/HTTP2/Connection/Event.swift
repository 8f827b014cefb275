extension Connection {
    /// The events that the engine's user must handle.
    ///
    /// An event contains no payload: DATA is a range of the bytes that were passed in, and header fields
    /// are in ``Connection/receivedHeaders`` until the next call.
    package enum Event: Equatable, Sendable {
        /// The peer's first SETTINGS have arrived, so the peer supports HTTP/2.
        case ready
        /// A header block: a request (which opens the stream), a response, or trailers.
        case headers(StreamHandle, StreamState.HeadersMeaning, endStream: Bool)
        /// A part of the body. The bytes count against the stream's window until they are reported to
        /// ``Connection/consumed(_:by:now:)``.
        case data(StreamHandle, Range<Int>, endStream: Bool)
        /// The peer reset the stream, which ended it.
        case reset(StreamHandle, ErrorCode)
        /// The peer broke a rule on the stream, and the stream was reset. On a server, this is the
        /// first event of the stream if its first headers broke the rule.
        case streamFailed(StreamHandle, HTTP2Error)
        /// The peer has not processed the stream, and will not process it. The stream has ended. The request
        /// may be sent again on another connection.
        case unprocessed(StreamHandle)
        /// The stream waited to be opened, but the connection opens no more streams. The stream has ended,
        /// and none of its bytes were sent.
        case unsent(StreamHandle)
        /// An answer to ``Connection/ping(_:)``.
        case pingAnswered(UInt64)
        /// The peer accepts no new streams.
        case goAway(GoAwayFrame)
        /// The error has ended the connection. This is always the last event.
        case failed(HTTP2Error)
    }
}
