/// The state of a stream (RFC 9113 §5.1), for both roles.
///
/// The RFC has seven states. Five of them combine two independent parts: what this side may still send, and
/// what it may still receive. So this type consists of two small enums. For example, "half-closed (local)" is
/// `send == .ended`. SETTINGS disable push, so the two reserved states cannot be reached and have no case.
package struct StreamState: Sendable {
    enum Send: Equatable, Sendable { case idle, open, ended }
    enum Receive: Equatable, Sendable { case awaitingHeaders, awaitingData, ended }

    private(set) var send = Send.idle
    private(set) var receive = Receive.awaitingHeaders

    init() {}

    var isClosed: Bool { send == .ended && receive == .ended }
}

// MARK: - Sending: an illegal order is the caller's error and returns false

extension StreamState {
    /// Called before the first HEADERS or trailers are sent. Returns false if they may not be sent.
    mutating func sendHeaders(endStream: Bool) -> Bool {
        switch (send, endStream) {
        case (.idle, false): send = .open
        case (.idle, true), (.open, true): send = .ended
        case (.open, false), (.ended, _): return false
        }
        return true
    }

    /// Called before DATA is sent. Returns false if it may not be sent.
    mutating func sendData(endStream: Bool) -> Bool {
        guard send == .open else { return false }
        if endStream { send = .ended }
        return true
    }
}

// MARK: - Receiving: an illegal order is the peer's error and throws

extension StreamState {
    package enum HeadersMeaning: Equatable, Sendable { case interim, initial, trailers }

    /// Applies a complete header block. Returns its meaning. A first block that ends the stream is
    /// `initial`.
    mutating func receiveHeaders(
        on id: StreamID, isInterim: Bool, endStream: Bool
    ) throws(HTTP2Error) -> HeadersMeaning {
        switch (receive, isInterim, endStream) {
        case (.ended, _, _):
            throw .stream(id, .streamClosed, "HEADERS after END_STREAM")
        case (_, true, true):
            // §8.1: a 1xx response that ends the stream is malformed.
            throw .stream(id, .protocolError, "1xx response with END_STREAM")
        case (.awaitingHeaders, true, false):
            return .interim
        case (.awaitingHeaders, false, _):
            receive = endStream ? .ended : .awaitingData
            return .initial
        case (.awaitingData, false, true):
            receive = .ended
            return .trailers
        case (.awaitingData, _, false):
            throw .stream(id, .protocolError, "second header block without END_STREAM")
        }
    }

    mutating func receiveData(on id: StreamID, endStream: Bool) throws(HTTP2Error) {
        switch receive {
        case .awaitingHeaders:
            throw .stream(id, .protocolError, "DATA before HEADERS")
        case .awaitingData:
            if endStream { receive = .ended }
        case .ended:
            throw .stream(id, .streamClosed, "DATA after END_STREAM")
        }
    }
}
