/// The identifier of a stream (RFC 9113 §5.1.1). Odd if the client opened the stream, even if the server
/// opened it. Zero for the connection itself.
///
/// Invariant: `rawValue < 2³¹`. Both initialisers establish it, so it needs no further check.
package struct StreamID: Sendable {
    let rawValue: UInt32

    /// Reads an identifier from the wire. The top bit is reserved and "MUST be ignored when
    /// receiving" (RFC 9113 §4.1).
    init(wire: UInt32) {
        rawValue = wire & 0x7fff_ffff
    }

    private init(unchecked rawValue: UInt32) {
        assert(rawValue <= 0x7fff_ffff)
        self.rawValue = rawValue
    }
}

extension StreamID {
    /// Stream zero, for SETTINGS, PING and GOAWAY.
    static let connection = StreamID(unchecked: 0)

    /// The first stream that a client may open.
    static let firstRequest = StreamID(unchecked: 1)

    /// The largest identifier. The first GOAWAY of a graceful shutdown names it (§6.8).
    static let last = StreamID(unchecked: 0x7fff_ffff)

    /// Whether a client may open this stream.
    var isClientInitiated: Bool { rawValue & 1 == 1 }

    /// The stream that the same side opens after this one. Nil if all identifiers have been used, so that a
    /// new connection is needed (§5.1.1).
    var successor: StreamID? {
        rawValue > 0x7fff_ffff - 2 ? nil : StreamID(unchecked: rawValue + 2)
    }

    /// The stream that the same side opened before this one. For the first one, stream zero.
    var predecessor: StreamID { StreamID(unchecked: rawValue < 2 ? 0 : rawValue - 2) }
}

extension StreamID: Comparable {
    package static func < (left: StreamID, right: StreamID) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension StreamID: CustomStringConvertible {
    package var description: String { String(rawValue) }
}
