/// What a stream has yet to send: DATA that found no window or no room, and what comes behind it.
///
/// Small writes are gathered in one buffer, large ones are kept by reference and copied nowhere.
/// Queues are used again by other streams, with their memory.
struct SendQueue: Sendable {
    private struct Piece: Sendable {
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

    private var pieces: [Piece] = []
    private var firstIndex = 0
    private(set) var byteCount = 0

    /// Writes below this size are copied together; larger ones are not worth a copy.
    static let gatheringByteCount = 4 << 10
}

extension SendQueue {
    var isEmpty: Bool { byteCount == 0 && !endStream && trailers == nil }

    mutating func append(_ octets: [UInt8]) {
        guard !octets.isEmpty else { return }
        byteCount += octets.count
        if octets.count < Self.gatheringByteCount, firstIndex < pieces.count,
            pieces[pieces.count - 1].octets.count < Self.gatheringByteCount * 4
        {
            pieces[pieces.count - 1].octets.append(copying: octets.span)
        } else {
            pieces.append(Piece(octets: octets, start: 0))
        }
    }

    /// Moves the first `byteCount` octets to `output`.
    mutating func move(_ byteCount: Int, to output: inout GatherList) {
        precondition(byteCount <= self.byteCount)
        self.byteCount -= byteCount
        var rest = byteCount
        while rest > 0 {
            let piece = pieces[firstIndex]
            let count = min(rest, piece.octets.count - piece.start)
            output.append(referencing: piece.octets, piece.start..<piece.start + count)
            rest -= count
            if piece.start + count == piece.octets.count {
                pieces[firstIndex] = Piece(octets: [], start: 0)
                firstIndex += 1
            } else {
                pieces[firstIndex].start += count
            }
        }
        if firstIndex == pieces.count {
            pieces.removeAll(keepingCapacity: true)
            firstIndex = 0
        } else if firstIndex >= 64, firstIndex * 2 >= pieces.count {
            pieces.removeFirst(firstIndex)
            firstIndex = 0
        }
    }

    mutating func removeAll() {
        head = nil
        trailers = nil
        endStream = false
        reportsWhenShort = false
        pieces.removeAll(keepingCapacity: pieces.count <= 16)
        firstIndex = 0
        byteCount = 0
    }
}
