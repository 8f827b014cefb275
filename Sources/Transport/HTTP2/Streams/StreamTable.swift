/// All streams of a connection, with their queues and the order in which they send. The slots of ended
/// streams are used again.
///
/// A stream in use is in one of three phases of sending. It waits to be opened. Or it is ready: open, with
/// queued DATA and a window. Or it has nothing that it could send now. The waiting streams are in one list,
/// and the ready streams in another.
struct StreamTable: Sendable, ~Copyable {
    private var slots: [Stream] = []
    private var free = StreamList()
    private var waiting = StreamList()
    private var ready = StreamList()
    private var index = StreamIndex()
    private var queues = SendQueuePool()

    /// Streams in use, including waiting ones.
    private(set) var count = 0
    /// The most streams that were open at once.
    private(set) var mostOpenCount = 0
    /// The generation of the next stream. The slots do not store it, because slots can be freed and allocated
    /// again.
    private var nextGeneration: UInt32 = 0
}

// MARK: - Finding

extension StreamTable {
    subscript(slot: Int) -> Stream {
        get { slots[slot] }
        _modify { yield &slots[slot] }
    }

    func slot(of id: StreamID) -> Int? { index[id] }

    /// Slots in memory, in use or not.
    var slotCount: Int { slots.count }

    /// Queues in memory, in use or not.
    var queueCount: Int { queues.count }

    /// Streams that have an identifier.
    var openCount: Int { index.count }

    /// The slots of open streams, in no order.
    var openSlots: [Int] { index.allSlots }

    /// The slot that `handle` names. Nil when its stream has ended.
    func slot(of handle: StreamHandle) -> Int? {
        let slot = Int(handle.slot)
        guard slots.indices.contains(slot), slots[slot].generation == handle.generation,
            slots[slot].phase != .free
        else { return nil }
        return slot
    }

    func handle(of slot: Int) -> StreamHandle {
        StreamHandle(slot: Int32(slot), generation: slots[slot].generation)
    }
}

// MARK: - Beginning and ending

extension StreamTable {
    /// Returns a slot in phase `waiting`, which is in no list yet.
    mutating func allocate() -> Int {
        let slot: Int
        if let reused = free.popFirst(in: &slots) {
            slot = reused
        } else {
            slots.append(Stream())
            slot = slots.count - 1
        }
        slots[slot].phase = .waiting
        slots[slot].generation = nextGeneration
        nextGeneration &+= 1
        count += 1
        return slot
    }

    /// Gives a waiting stream its identifier.
    mutating func open(_ slot: Int, as id: StreamID) {
        slots[slot].id = id
        slots[slot].phase = .open
        index.insert(id, slot: slot)
        mostOpenCount = max(mostOpenCount, index.count)
    }

    /// Frees the stream's slot and its queue, and drops what is queued.
    mutating func release(_ slot: Int) {
        if slots[slot].phase == .waiting {
            waiting.remove(slot, in: &slots)
        } else {
            ready.remove(slot, in: &slots)
            index.remove(slots[slot].id)
        }
        queues.release(&slots[slot])
        slots[slot] = Stream()
        count -= 1
        if count == 0, slots.count > Limits.keptSlotCount {
            slots = []
            free = StreamList()
        } else {
            free.append(slot, in: &slots)
        }
    }
}

// MARK: - Waiting streams

extension StreamTable {
    var waitingCount: Int { waiting.count }
    var hasWaiting: Bool { !waiting.isEmpty }

    /// The stream that opens next.
    var firstWaiting: Int? { waiting.firstSlot }

    mutating func appendWaiting(_ slot: Int) { waiting.append(slot, in: &slots) }

    /// Removes the stream that opens next from the list.
    mutating func popWaiting() -> Int? { waiting.popFirst(in: &slots) }
}

// MARK: - Ready streams

extension StreamTable {
    var hasReady: Bool { !ready.isEmpty }

    /// Removes and returns the stream whose turn it is to send DATA.
    mutating func popReady() -> Int? { ready.popFirst(in: &slots) }

    /// Moves the stream to the end of the ready streams if it has queued DATA and may send it.
    mutating func makeReadyIfPossible(_ slot: Int) {
        let queue = Int(slots[slot].queue)
        guard slots[slot].phase == .open, !slots[slot].isLinked, queue >= 0,
            queues[queue].byteCount > 0, slots[slot].sendWindow.available > 0
        else { return }
        ready.append(slot, in: &slots)
    }

    /// Changes the stream's send window. Afterwards the stream is in the ready list only if it can send.
    mutating func adjustSendWindow(
        of slot: Int, by delta: Int64
    ) throws(FlowControlWindow.Overflow) {
        try slots[slot].sendWindow.adjust(by: delta)
        if slots[slot].sendWindow.available > 0 {
            makeReadyIfPossible(slot)
        } else {
            ready.remove(slot, in: &slots)
        }
    }
}

// MARK: - Queues

extension StreamTable {
    /// Whether the stream has something queued, such as DATA or trailers.
    func hasQueue(_ slot: Int) -> Bool { slots[slot].queue >= 0 }

    /// The queue of a stream that has one.
    subscript(queueOf slot: Int) -> SendQueue {
        get { queues[Int(slots[slot].queue)] }
        _modify { yield &queues[Int(slots[slot].queue)] }
    }

    /// Assigns a queue to the stream if it has none.
    mutating func obtainQueue(of slot: Int) { _ = queues.obtain(for: &slots[slot]) }

    /// Removes the queue from the stream, and drops its contents.
    mutating func releaseQueue(of slot: Int) { queues.release(&slots[slot]) }
}
