/// Names one stream to the engine's user, from before it has an identifier until it is over.
///
/// A slot is used again when its stream has ended; the generation tells the two apart, so that a
/// handle kept too long names nothing instead of somebody else's stream.
package struct StreamHandle: Hashable, Sendable {
    package let slot: Int32
    package let generation: UInt32

    package init(slot: Int32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    // Written out, for other modules to have it in line.
    @inlinable
    package static func == (left: Self, right: Self) -> Bool {
        left.slot == right.slot && left.generation == right.generation
    }
}

/// What the engine keeps of a stream. Small and without references of its own, because there may
/// be a hundred thousand.
struct Stream: Sendable {
    enum Phase: Hashable, Sendable {
        /// The slot has no stream.
        case free
        /// Held back by the peer's limit on streams: it has no identifier and no window yet.
        case waiting
        case open
    }

    var phase = Phase.free
    var id = StreamID.connection
    var generation: UInt32 = 0
    var state = StreamState()
    var sendWindow = FlowControlWindow(initial: 0)
    var receiveWindow = ReceiveWindow(byteCount: 0)
    /// Where its queue of DATA lies; negative when it has none, as most streams do.
    var queue: Int32 = -1
    /// Whether it is in a list, and its neighbours there. Its phase tells which list: the free
    /// ones, those that wait to be opened, or those that have DATA and a window to send it.
    var isLinked = false
    var previous: Int32 = -1
    var next: Int32 = -1
    /// How much of a declared `content-length` has yet to come; negative when none was declared.
    var undeliveredByteCount: Int64 = -1
}
