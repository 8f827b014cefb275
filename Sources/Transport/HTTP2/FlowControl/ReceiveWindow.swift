/// The receiving side of flow control (RFC 9113 §6.9): how many bytes the peer may still send on a stream or
/// on the connection, and when to send a WINDOW_UPDATE.
///
/// The window of a stream applies back-pressure. A WINDOW_UPDATE returns only bytes that the reader has
/// consumed, and bytes of a message that the reader waits for. The window grows only by such bytes, and only
/// while the reader has left little unread: for a reader that is slower than the peer, a larger window would
/// only hold more unread bytes. A stream that was never read receives at most its first window. The window of
/// the connection is returned as bytes arrive, so the reader of one stream cannot stop another stream.
///
/// Updates are few and large: one for each half of the target that has been consumed.
struct ReceiveWindow: Sendable {
    /// The number of bytes that the peer may send. Negative only if the setting was lowered while data was on
    /// its way.
    private(set) var available: Int32
    /// Bytes received and not yet consumed.
    private(set) var held: Int32 = 0
    /// Bytes consumed, but not yet returned with a WINDOW_UPDATE.
    private var owed: Int32 = 0
    /// The size that the window has when nothing is held and nothing is owed.
    private(set) var target: Int32
    /// Whether the reader has had little left to read since the last update.
    private var readerKeepsUp = false

    init(byteCount: Int32) {
        precondition(byteCount >= 0)
        available = byteCount
        target = byteCount
    }
}

extension ReceiveWindow {
    /// Counts bytes that arrived. Returns false when the peer sent more than the window allowed.
    mutating func receive(_ byteCount: Int) -> Bool {
        guard byteCount <= Int(max(0, available)) else { return false }
        available -= Int32(byteCount)
        held += Int32(byteCount)
        return true
    }

    /// Counts bytes as consumed. Returns the increment to announce, or nil if no update is due yet.
    ///
    /// - Parameters:
    ///   - unread: The number of received bytes that the reader could have consumed and has not.
    ///   - limit: The size up to which the window may grow. The window grows by no more than the bytes
    ///     consumed since the last update. So its size never exceeds its first size plus all consumed bytes.
    ///   - awaited: The number of bytes that the reader waits for, because they belong to one message. If the
    ///     window is smaller, it grows to hold them, even above the limit, because the reader consumes them.
    ///   - isLast: Whether nothing follows the awaited bytes.
    mutating func consume(
        _ byteCount: Int, leaving unread: Int = 0, growingTo limit: Int32 = 0,
        awaiting awaited: Int32 = 0, isLast: Bool = false
    ) -> UInt32? {
        precondition(
            byteCount >= 0 && byteCount <= Int(held), "more bytes were consumed than received")
        held -= Int32(byteCount)
        owed += Int32(byteCount)
        if unread <= Int(target / 4) { readerKeepsUp = true }
        if awaited > 0, available < awaited {
            let lacking = Int(awaited) - Int(available) - Int(owed)
            let growth = Int32(min(max(0, lacking), Int(Int32.max - max(target, owed))))
            target += growth
            owed += growth
            return takeOwed()
        }
        if isLast, awaited > 0 { return nil }
        guard owed >= max(1, target / 2) else { return nil }
        if target < limit, readerKeepsUp {
            let growth = min(limit - target, owed)
            target += growth
            owed += growth
        }
        return takeOwed()
    }

    /// Grows the window to `byteCount` bytes. Returns the increment to announce, or nil if the window is
    /// already as large.
    mutating func enlarge(to byteCount: Int32) -> UInt32? {
        guard byteCount > target else { return nil }
        owed += byteCount - target
        target = byteCount
        return takeOwed()
    }

    /// Applies a change of our SETTINGS_INITIAL_WINDOW_SIZE that the peer has acknowledged. It
    /// changes the window without an update on the wire (§6.9.2).
    ///
    /// Returns the increment to announce if the bytes to return are at least half of the new target. Without
    /// this update, a sender with an empty window would wait without end: no more DATA arrives, so no
    /// consumption causes an update.
    mutating func adjust(by delta: Int32) -> UInt32? {
        available = Int32(clamping: Int(available) + Int(delta))
        target = max(0, Int32(clamping: Int(target) + Int(delta)))
        return owed >= max(1, target / 2) ? takeOwed() : nil
    }

    private mutating func takeOwed() -> UInt32? {
        guard owed > 0 else { return nil }
        defer { (owed, readerKeepsUp) = (0, false) }
        available += owed
        return UInt32(owed)
    }
}
