/// The frames that a stream sends later: the head of a request that waits for an identifier, DATA
/// that waits for a window or for other streams, and trailers.
///
/// Small writes are copied into one buffer. Large writes are kept by reference and not copied. When
/// a stream closes, another stream reuses its queue with the memory.
struct SendQueue: Sendable {
    fileprivate struct Piece: Sendable {
        var bytes: [UInt8]
        var start: Int
    }

    /// A request that waits for an identifier.
    struct Head: Sendable {
        var prepared: PreparedHeaders?
        var fields: HeaderList
        /// Whether the stream opens only after its fields were replaced.
        var awaitsFields = false
        var endStream: Bool
    }

    var head: Head?
    /// Trailers follow all DATA and end the stream.
    var trailers: HeaderList?
    /// Whether the last DATA frame ends the stream.
    var endStream = false
    /// Whether to report when the queue has become short.
    var reportsWhenShort = false

    private var pieces = Backlog<Piece>()
    private(set) var byteCount = 0

    /// Writes of fewer bytes are copied into one buffer.
    static let gatheringByteCount = 4 << 10

    /// A queue of at most this many bytes is short.
    static let shortByteCount = 16 << 10
}

extension SendQueue {
    var isEmpty: Bool { byteCount == 0 && !endStream && trailers == nil }

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        byteCount += bytes.count
        if bytes.count < Self.gatheringByteCount,
            pieces.changeLast({ $0.gather(bytes.contiguous.span) }) == true
        {
            return
        }
        pieces.append(Piece(bytes: bytes, start: 0))
    }

    /// Moves the first `byteCount` bytes to `output`.
    mutating func move(_ byteCount: Int, to output: inout GatherList) {
        precondition(byteCount <= self.byteCount)
        self.byteCount -= byteCount
        var rest = byteCount
        while rest > 0, let isUsedUp = pieces.changeFirst({ $0.move(&rest, to: &output) }) {
            if isUsedUp { _ = pieces.popFirst() }
        }
    }

    /// Returns whether to report that the queue has become short. Returns true once for each
    /// request of a report.
    mutating func takeShortReport() -> Bool {
        guard reportsWhenShort, byteCount <= Self.shortByteCount else { return false }
        reportsWhenShort = false
        return true
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
    /// Appends a small write. Returns false if the buffer is full.
    mutating func gather(_ more: Span<UInt8>) -> Bool {
        guard bytes.count < SendQueue.gatheringByteCount * 4 else { return false }
        bytes.append(copying: more)
        return true
    }

    /// Moves up to `rest` bytes to `output`. Returns true if no bytes are left here.
    mutating func move(_ rest: inout Int, to output: inout GatherList) -> Bool {
        let count = min(rest, bytes.count - start)
        output.append(referencing: bytes, start..<start + count)
        rest -= count
        start += count
        return start == bytes.count
    }
}
