/// What a stream has yet to send: DATA that found no window or no room, and what comes behind it.
///
/// Small writes are gathered in one buffer, large ones are kept by reference and copied nowhere.
/// Queues are used again by other streams, with their memory.
struct SendQueue: Sendable {
    fileprivate struct Piece: Sendable {
        var octets: [UInt8]
        var start: Int
    }

    /// The request that waits for an identifier.
    struct Head: Sendable {
        var prepared: PreparedHeaders?
        var fields: HeaderList
        /// What to take for them when the stream is opened.
        var lateFields: (@Sendable () -> HeaderList)?
        var endStream: Bool
    }

    var head: Head?
    /// Trailers go behind all DATA, and end the stream.
    var trailers: HeaderList?
    /// Whether the last DATA frame ends the stream.
    var endStream = false
    /// Whether the user waits to hear that the queue has become short.
    var reportsWhenShort = false

    private var pieces = Backlog<Piece>()
    private(set) var byteCount = 0

    /// Writes below this size are copied together; larger ones are not worth a copy.
    static let gatheringByteCount = 4 << 10
}

extension SendQueue {
    var isEmpty: Bool { byteCount == 0 && !endStream && trailers == nil }

    mutating func append(_ octets: [UInt8]) {
        guard !octets.isEmpty else { return }
        byteCount += octets.count
        if octets.count < Self.gatheringByteCount,
            pieces.changeLast({ $0.gather(octets.span) }) == true
        {
            return
        }
        pieces.append(Piece(octets: octets, start: 0))
    }

    /// Moves the first `byteCount` octets to `output`.
    mutating func move(_ byteCount: Int, to output: inout GatherList) {
        precondition(byteCount <= self.byteCount)
        self.byteCount -= byteCount
        var rest = byteCount
        while rest > 0, let isUsedUp = pieces.changeFirst({ $0.move(&rest, to: &output) }) {
            if isUsedUp { _ = pieces.popFirst() }
        }
    }

    mutating func removeAll() {
        head = nil
        trailers = nil
        endStream = false
        reportsWhenShort = false
        pieces.removeAll(keepingAtMost: 16)
        byteCount = 0
    }
}

extension SendQueue.Piece {
    /// Takes a small write in. Returns whether there was room for it.
    mutating func gather(_ more: Span<UInt8>) -> Bool {
        guard octets.count < SendQueue.gatheringByteCount * 4 else { return false }
        octets.append(copying: more)
        return true
    }

    /// Moves up to `rest` octets to `output`. Returns whether none are left here.
    mutating func move(_ rest: inout Int, to output: inout GatherList) -> Bool {
        let count = min(rest, octets.count - start)
        output.append(referencing: octets, start..<start + count)
        rest -= count
        start += count
        return start == octets.count
    }
}
