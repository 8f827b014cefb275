import SwiftletTransport

/// How messages are framed in the bodies of a request and its response, and where the status is
/// sent.
package enum BodyFraming: Sendable {
    /// gRPC: each message has a prefix of five bytes, and the trailers contain the status.
    case lengthPrefixed
    /// Plain HTTP: the body is one message without a prefix, and the status is the HTTP status.
    case wholeBody
}

extension BodyFraming {
    /// The number of bytes before each message.
    var prefixByteCount: Int { self == .lengthPrefixed ? MessagePrefix.byteCount : 0 }
}

// MARK: - Requests

extension BodyFraming {
    /// Whether the request has a `grpc-timeout`.
    var sendsTimeout: Bool { self == .lengthPrefixed }

    /// Whether the HEADERS frame ends a request without messages. gRPC ends the request with an
    /// empty DATA frame (PROTOCOL-HTTP2, "Requests"), because servers written in Go and Java ignore
    /// END_STREAM on HEADERS.
    var endsEmptyRequestWithHeaders: Bool { self == .wholeBody }

    /// Returns a message in the form in which it is sent. Throws RESOURCE_EXHAUSTED if the message
    /// is larger than `maxByteCount`.
    func frame(
        _ message: consuming EncodedMessage, _ compression: CompressionAlgorithm,
        maxByteCount: Int?
    ) throws(RPCError) -> EncodedMessage {
        switch self {
        case .lengthPrefixed:
            return try MessagePrefix.frame(message, compression, maxByteCount: maxByteCount)
        case .wholeBody:
            try MessagePrefix.check(
                message.byteCount - MessagePrefix.byteCount, maxByteCount: maxByteCount)
            return message.withoutPrefix()
        }
    }
}

// MARK: - Responses

extension BodyFraming {
    /// The meaning of the response's headers. Throws if no messages may be read from it.
    func responseHead(_ list: HeaderList) throws(RPCError) -> ResponseHead.Initial {
        switch self {
        case .lengthPrefixed: try ResponseHead.initial(list)
        case .wholeBody: PlainExchange.initial(list)
        }
    }

    /// Whether a header block contains the status of the call.
    func isStatus(_ meaning: StreamState.HeadersMeaning, endStream: Bool) -> Bool {
        self == .lengthPrefixed && (meaning == .trailers || endStream)
    }

    /// The end of a response whose last frame is not a header block with a status.
    func endWithoutStatus(httpStatus: Int?) -> ResponseEnd {
        switch self {
        case .lengthPrefixed: ResponseHead.trailers(HeaderList(), httpStatus: httpStatus)
        case .wholeBody: ResponseEnd(error: nil)
        }
    }
}
