/// Identifies one stream for the engine's user until the stream ends, even before it has an identifier.
///
/// After a stream has ended, its slot is used again. The new stream has another generation. So an old handle
/// refers to no stream, and not to the new one.
@usableFromInline
package struct StreamHandle: Hashable, Sendable {
    @usableFromInline package let slot: Int32
    @usableFromInline package let generation: UInt32

    package init(slot: Int32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    // Written by hand, because a synthesized operator cannot be inlined into other modules.
    @inlinable
    package static func == (left: Self, right: Self) -> Bool {
        left.slot == right.slot && left.generation == right.generation
    }
}

/// The engine's state of one stream. It is small and holds no references, because a connection can have
/// a hundred thousand streams.
struct Stream: Sendable {
    enum Phase: Equatable, Sendable {
        /// The slot has no stream.
        case free
        /// The stream exceeds the peer's SETTINGS_MAX_CONCURRENT_STREAMS and has no identifier yet.
        case waiting
        case open
    }

    var phase = Phase.free
    var id = StreamID.connection
    var generation: UInt32 = 0
    var state = StreamState()
    var sendWindow = FlowControlWindow(initial: 0)
    var receiveWindow = ReceiveWindow(byteCount: 0)
    /// The index of the stream's queue. Negative if it has none, which is true for most streams.
    var queue: Int32 = -1
    /// Whether the stream is in a list. ``previous`` and ``next`` are its neighbours there. The stream's
    /// phase determines the list: free, waiting or ready streams.
    var isLinked = false
    var previous: Int32 = -1
    var next: Int32 = -1
    /// Bytes of the declared `content-length` that have not arrived. Negative when none was declared.
    var undeliveredByteCount: Int64 = -1
    /// Whether the response has no content because it answers HEAD.
    var hasBodilessResponse = false

    /// Bytes of DATA that the stream's window allows now.
    var sendableByteCount: Int { Int(max(0, sendWindow.available)) }
}
