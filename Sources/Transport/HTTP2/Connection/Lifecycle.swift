/// How a connection ends (RFC 9113 §6.8): the GOAWAYs of both sides, and whether it has failed.
struct Lifecycle: Sendable {
    /// What one side has announced.
    enum Side: Hashable, Sendable {
        case open
        /// GOAWAY: no new streams; streams up to `last` are or may be processed.
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

    /// The last stream that this side has announced; no later GOAWAY may name a higher one (§6.8).
    var announcedLast: StreamID {
        switch own {
        case .open: .last
        case .goingAway(let last): last
        }
    }

    /// This side sends a GOAWAY that names `last` or, if lower, what it has announced before. Returns
    /// the stream that the frame names.
    mutating func goAway(after last: StreamID) -> StreamID {
        let last = min(last, announcedLast)
        own = .goingAway(last: last)
        awaitsShutdownPing = false
        return last
    }

    /// This side sends the first GOAWAY of a graceful shutdown, which excludes no stream, and a PING.
    mutating func beginShutdown() {
        own = .goingAway(last: .last)
        awaitsShutdownPing = true
    }

    /// The peer sent a GOAWAY. Returns whether it is the first one, or the second one of a graceful
    /// shutdown. Throws when it names a higher stream than an earlier one.
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
