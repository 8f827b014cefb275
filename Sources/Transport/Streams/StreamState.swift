/// Where a stream stands (RFC 9113 §5.1), for both roles.
///
/// The RFC draws seven boxes. Six of them are the product of two independent halves — what we may
/// still send, and what we may still receive — so this is a product of two small enums.
/// "Half-closed (local)" is `send == .ended`. Push is refused in our SETTINGS, so the two reserved
/// states cannot be reached and are not written.
package struct StreamState: Hashable, Sendable {
    package enum Send: Hashable, Sendable { case idle, open, ended }
    package enum Receive: Hashable, Sendable { case awaitingHeaders, awaitingData, ended }

    package private(set) var send = Send.idle
    package private(set) var receive = Receive.awaitingHeaders

    package init() {}

    package var isClosed: Bool { send == .ended && receive == .ended }
}

// MARK: - What we send: illegal order is the caller's bug, who is told

extension StreamState {
    /// HEADERS are about to be sent: the first, or trailers. False when they may not.
    package mutating func sendHeaders(endStream: Bool) -> Bool {
        switch (send, endStream) {
        case (.idle, false): send = .open
        case (.idle, true), (.open, true): send = .ended
        case (.open, false), (.ended, _): return false
        }
        return true
    }

    /// DATA is about to be sent. False when it may not.
    package mutating func sendData(endStream: Bool) -> Bool {
        guard send == .open else { return false }
        if endStream { send = .ended }
        return true
    }
}

// MARK: - What we receive: illegal order is the peer's error, so it throws

extension StreamState {
    package enum HeadersMeaning: Hashable, Sendable { case interim, initial, trailers }

    /// Takes a whole header block and says what it means. A first block that ends the stream is
    /// `initial`: gRPC reads it as headers and status at once ("Trailers-Only").
    package mutating func receiveHeaders(
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

    package mutating func receiveData(on id: StreamID, endStream: Bool) throws(HTTP2Error) {
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
