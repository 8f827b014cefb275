/// A priority queue of deadlines. Time is an argument.
///
/// Inserting and cancelling cost O(log n). Timers are entries of two arrays, whose memory is
/// reused. Timers with the same deadline fire in the order of insertion.
///
/// The type and all of its members are usable from inline, so that the compiler specializes it for
/// its payload. An unspecialized heap is several times slower.
@usableFromInline
package struct TimerHeap<Payload>: ~Copyable {
    /// Identifies a timer. The handle of a timer that has fired or was cancelled has no effect.
    @usableFromInline
    package struct Handle: Sendable {
        @usableFromInline let slot: Int
        @usableFromInline let generation: UInt32

        @inlinable
        init(slot: Int, generation: UInt32) {
            self.slot = slot
            self.generation = generation
        }
    }

    @usableFromInline struct Entry: Sendable {
        @usableFromInline var deadline: MonotonicInstant
        @usableFromInline var order: UInt64
        @usableFromInline var slot: Int

        @inlinable
        init(deadline: MonotonicInstant, order: UInt64, slot: Int) {
            self.deadline = deadline
            self.order = order
            self.slot = slot
        }

        @inlinable
        func precedes(_ other: Entry) -> Bool {
            deadline != other.deadline ? deadline < other.deadline : order < other.order
        }
    }

    @usableFromInline struct Slot {
        @usableFromInline var payload: Payload?
        /// Increases when the slot is used for another timer, so that old handles have no effect.
        @usableFromInline var generation: UInt32 = 0
        /// The timer's position in the heap, or the next free slot.
        @usableFromInline var link: Int

        @inlinable
        init(payload: Payload?, link: Int) {
            self.payload = payload
            self.link = link
        }
    }

    /// Four children per node: half the levels of a binary heap, and children share cache lines.
    @inlinable static var arity: Int { 4 }

    @usableFromInline var heap: [Entry] = []
    @usableFromInline var slots: [Slot] = []
    @usableFromInline var firstFree = -1
    @usableFromInline var nextOrder: UInt64 = 0

    @inlinable
    package init() {}
}

extension TimerHeap: Sendable where Payload: Sendable {}
extension TimerHeap.Slot: Sendable where Payload: Sendable {}

extension TimerHeap {
    @inlinable package var count: Int { heap.count }

    /// The deadline of the next timer.
    @inlinable package var earliest: MonotonicInstant? { heap.first?.deadline }

    @inlinable
    package mutating func insert(
        _ payload: Payload, at deadline: MonotonicInstant
    ) -> Handle {
        let slot = takeSlot(payload)
        heap.append(Entry(deadline: deadline, order: nextOrder, slot: slot))
        nextOrder &+= 1
        moveUp(heap.count - 1)
        return Handle(slot: slot, generation: slots[slot].generation)
    }

    /// Cancels the timer. Returns nil if it has fired or was cancelled before.
    @inlinable
    @discardableResult
    package mutating func cancel(_ handle: Handle) -> Payload? {
        guard slots.indices.contains(handle.slot),
            slots[handle.slot].generation == handle.generation,
            slots[handle.slot].payload != nil
        else { return nil }
        return remove(at: slots[handle.slot].link)
    }

    /// Removes the earliest timer that is due at `now`, and returns its payload. Call it until it
    /// returns nil.
    @inlinable
    package mutating func popExpired(now: MonotonicInstant) -> Payload? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        return remove(at: 0)
    }
}

// MARK: - Slots

extension TimerHeap {
    @inlinable
    mutating func takeSlot(_ payload: Payload) -> Int {
        guard firstFree >= 0 else {
            slots.append(Slot(payload: payload, link: 0))
            return slots.count - 1
        }
        let slot = firstFree
        firstFree = slots[slot].link
        slots[slot].payload = payload
        return slot
    }

    @inlinable
    mutating func giveBack(_ slot: Int) -> Payload? {
        let payload = slots[slot].payload.take()
        slots[slot].generation &+= 1
        slots[slot].link = firstFree
        firstFree = slot
        return payload
    }
}

// MARK: - The heap

extension TimerHeap {
    @inlinable
    mutating func remove(at position: Int) -> Payload? {
        let slot = heap[position].slot
        let last = heap.removeLast()
        if position < heap.count {
            heap[position] = last
            moveDown(position)
            moveUp(slots[last.slot].link)
        }
        return giveBack(slot)
    }

    @inlinable
    mutating func moveUp(_ start: Int) {
        var position = start
        let entry = heap[position]
        while position > 0 {
            let parent = (position - 1) / Self.arity
            guard entry.precedes(heap[parent]) else { break }
            put(heap[parent], at: position)
            position = parent
        }
        put(entry, at: position)
    }

    @inlinable
    mutating func moveDown(_ start: Int) {
        var position = start
        let entry = heap[position]
        while true {
            let firstChild = position * Self.arity + 1
            guard firstChild < heap.count else { break }
            var least = firstChild
            for child in firstChild..<min(firstChild + Self.arity, heap.count)
            where heap[child].precedes(heap[least]) {
                least = child
            }
            guard heap[least].precedes(entry) else { break }
            put(heap[least], at: position)
            position = least
        }
        put(entry, at: position)
    }

    @inlinable
    mutating func put(_ entry: Entry, at position: Int) {
        heap[position] = entry
        slots[entry.slot].link = position
    }
}
