extension Connection {
    /// What happened that the engine's user has to act on.
    ///
    /// An event holds no payload: DATA is named as a range of the octets that were passed in, and
    /// header fields lie in ``Connection/receivedHeaders`` until the next call.
    package enum Event: Hashable, Sendable {
        /// The peer's first SETTINGS have arrived: the connection is what it claims to be.
        case ready
        /// A header block: a request (which opens the stream), a response, or trailers.
        case headers(StreamHandle, StreamState.HeadersMeaning, endStream: Bool)
        /// A piece of the body. The octets count against the stream's window until they are
        /// handed to ``Connection/consumed(_:by:now:)``.
        case data(StreamHandle, Range<Int>, endStream: Bool)
        /// The peer reset the stream. It is over.
        case reset(StreamHandle, ErrorCode)
        /// The peer broke a rule on this stream, and it was reset. It is over. A server has not
        /// heard of the stream when it was opened by the headers that broke the rule.
        case streamFailed(StreamHandle, HTTP2Error)
        /// The peer has not seen the stream and never will: the request may be sent again on
        /// another connection. It is over.
        case unprocessed(StreamHandle)
        /// The stream never left: it waited for its turn on a connection that takes no more. It is
        /// over.
        case unsent(StreamHandle)
        /// An answer to ``Connection/ping(_:)``.
        case pingAnswered(UInt64)
        /// The peer takes no new streams.
        case goAway(GoAwayFrame)
        /// The connection is over and the error is why. Always the last event.
        case failed(HTTP2Error)
    }
}
