/// The end of a connection (RFC 9113 §6.8): the GOAWAYs of both sides, and whether the connection has failed.
struct Lifecycle: Sendable {
    /// The announcement of one side.
    enum Side: Equatable, Sendable {
        case open
        /// GOAWAY: no new streams. Streams up to `last` were processed or may be processed.
        case goingAway(last: StreamID)

        /// Whether a GOAWAY is the first one, or the second one of a graceful shutdown.
        func expects(_ frame: GoAwayFrame) -> Bool {
            switch self {
            case .open: true
            case .goingAway(let last): last == .last && frame.lastStreamID != .last
            }
        }
    }

    private(set) var peer = Side.open
    private(set) var own = Side.open
    /// Whether this side has begun a graceful shutdown, and sends the second GOAWAY when its PING is answered.
    private(set) var awaitsShutdownPing = false
    private(set) var hasFailed = false
}

extension Lifecycle {
    var isDraining: Bool { peer != .open || own != .open || hasFailed }

    /// The last stream that this side has announced. No later GOAWAY may name a higher one (§6.8).
    var announcedLast: StreamID {
        switch own {
        case .open: .last
        case .goingAway(let last): last
        }
    }

    /// Notes that this side sends a GOAWAY. The frame names `last`, or the stream that was announced before
    /// if that is lower. Returns the stream that the frame names.
    mutating func goAway(after last: StreamID) -> StreamID {
        let last = min(last, announcedLast)
        own = .goingAway(last: last)
        awaitsShutdownPing = false
        return last
    }

    /// Notes that this side begins a graceful shutdown: it sends a GOAWAY that excludes no stream, and a
    /// PING.
    mutating func beginShutdown() {
        own = .goingAway(last: .last)
        awaitsShutdownPing = true
    }

    /// Notes a GOAWAY of the peer. Returns whether it is the first one, or the second one of a graceful
    /// shutdown. Throws if it names a higher stream than an earlier one.
    mutating func receive(_ frame: GoAwayFrame) throws(HTTP2Error) -> Bool {
        if case .goingAway(let last) = peer, frame.lastStreamID > last {
            // §6.8: "Endpoints MUST NOT increase the value they send."
            throw .connection(.protocolError, "GOAWAY of a higher stream than an earlier GOAWAY")
        }
        defer { peer = .goingAway(last: frame.lastStreamID) }
        return peer.expects(frame)
    }

    mutating func fail() { hasFailed = true }
}
