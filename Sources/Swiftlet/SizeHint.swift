import Synchronization

/// The size of the last message of a codec, as an estimate for the next message. If a message is
/// encoded into enough capacity, it is visited once and not copied.
@usableFromInline
final class SizeHint: Sendable {
    private let byteCount = Atomic<Int>(0)

    /// The largest estimate, so that a small message after a large one does not get more memory
    /// than this.
    private static let maxByteCount = 4096
    /// The bytes that an encoder needs beyond the message.
    private static let margin = 32

    @usableFromInline
    init() {}

    /// The capacity to reserve, in bytes; 0 if there is no estimate.
    @usableFromInline var capacity: Int { byteCount.load(ordering: .relaxed) }

    @usableFromInline
    func note(_ newByteCount: Int) {
        let capacity = newByteCount + Self.margin
        let estimate = capacity <= Self.maxByteCount ? capacity : 0
        // Written only if it changes, so that threads with equal messages share the cache line.
        guard byteCount.load(ordering: .relaxed) != estimate else { return }
        byteCount.store(estimate, ordering: .relaxed)
    }
}
