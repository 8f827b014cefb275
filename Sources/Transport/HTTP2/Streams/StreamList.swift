/// A first-in, first-out list of streams, linked through the streams themselves. It needs no memory,
/// and removes a stream from the middle in constant time. A stream is in at most one list.
struct StreamList: Sendable {
    private var first: Int32 = -1
    private var last: Int32 = -1
    private(set) var count = 0

    var isEmpty: Bool { first < 0 }
    var firstSlot: Int? { first < 0 ? nil : Int(first) }
}

extension StreamList {
    mutating func append(_ slot: Int, in slots: inout [Stream]) {
        assert(!slots[slot].isLinked)
        slots[slot].isLinked = true
        slots[slot].previous = last
        slots[slot].next = -1
        if last >= 0 { slots[Int(last)].next = Int32(slot) } else { first = Int32(slot) }
        last = Int32(slot)
        count += 1
    }

    mutating func popFirst(in slots: inout [Stream]) -> Int? {
        guard first >= 0 else { return nil }
        let slot = Int(first)
        remove(slot, in: &slots)
        return slot
    }

    /// Removes a stream. Has no effect if it is in no list.
    mutating func remove(_ slot: Int, in slots: inout [Stream]) {
        guard slots[slot].isLinked else { return }
        slots[slot].isLinked = false
        let previous = slots[slot].previous
        let next = slots[slot].next
        if previous >= 0 { slots[Int(previous)].next = next } else { first = next }
        if next >= 0 { slots[Int(next)].previous = previous } else { last = previous }
        slots[slot].previous = -1
        slots[slot].next = -1
        count -= 1
    }
}
