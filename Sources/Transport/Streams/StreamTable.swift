/// All streams of a connection, in slots that are used again.
struct StreamTable: Sendable {
    var slots: [Stream] = []
    private var free = StreamList()
    private var index = StreamIndex()

    /// Streams that are not free, waiting ones included.
    private(set) var count = 0
}

// MARK: - Finding

extension StreamTable {
    subscript(slot: Int) -> Stream {
        get { slots[slot] }
        _modify { yield &slots[slot] }
    }

    func slot(of id: StreamID) -> Int? { index[id] }

    /// The slot that `handle` names, or nil when its stream is over.
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

// MARK: - Coming and going

extension StreamTable {
    /// A slot in phase `waiting`.
    mutating func allocate() -> Int {
        let slot: Int
        if let reused = free.popFirst(in: &slots) {
            slot = reused
        } else {
            slots.append(Stream())
            slot = slots.count - 1
        }
        slots[slot].phase = .waiting
        count += 1
        return slot
    }

    /// Gives a waiting stream its identifier.
    mutating func open(_ slot: Int, as id: StreamID) {
        slots[slot].id = id
        slots[slot].phase = .open
        index.insert(id, slot: slot)
    }

    mutating func release(_ slot: Int) {
        assert(!slots[slot].isLinked && slots[slot].queue < 0)
        if slots[slot].phase == .open { index.remove(slots[slot].id) }
        let generation = slots[slot].generation &+ 1
        slots[slot] = Stream()
        slots[slot].generation = generation
        free.append(slot, in: &slots)
        count -= 1
    }
}
