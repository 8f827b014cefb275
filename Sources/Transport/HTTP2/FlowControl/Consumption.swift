/// The bytes that a stream's reader has consumed, and the bytes that it waits for.
package struct Consumption: Equatable, Sendable {
    /// Bytes of DATA that the reader has consumed.
    package var byteCount: Int
    /// The reader waits for a message. This is the number of its bytes that have not arrived. The stream's
    /// window grows to hold them, so that the peer sends the message without waiting for updates.
    let awaitedByteCount: Int
    /// Whether nothing follows the awaited bytes. Then no more is returned than the window lacks to hold them.
    let isLast: Bool
    /// Bytes that the reader could have consumed and has not. While they are many, the reader is slower than
    /// the peer, so the stream's window does not grow.
    let unreadByteCount: Int

    package init(
        byteCount: Int = 0, awaitedByteCount: Int = 0, isLast: Bool = false,
        unreadByteCount: Int = 0
    ) {
        self.byteCount = byteCount
        self.awaitedByteCount = awaitedByteCount
        self.isLast = isLast
        self.unreadByteCount = unreadByteCount
    }

    package var isEmpty: Bool { byteCount == 0 }
}
