/// Finds the slot of a stream by its identifier. It is an open-addressing table with linear
/// probing.
///
/// It is written by hand because every frame uses it. Identifiers need no hash function beyond one
/// multiplication, and removal leaves no tombstones.
struct StreamIndex: Sendable {
    /// The identifiers. Zero marks a free entry: stream zero is the connection and has no slot.
    private var keys: [UInt32]
    private var slots: [Int32]
    private(set) var count = 0

    init() {
        keys = Array(repeating: 0, count: 16)
        slots = Array(repeating: 0, count: 16)
    }
}

extension StreamIndex {
    subscript(id: StreamID) -> Int? {
        var position = home(of: id.rawValue)
        while keys[position] != 0 {
            if keys[position] == id.rawValue { return Int(slots[position]) }
            position = (position + 1) & (keys.count - 1)
        }
        return nil
    }

    mutating func insert(_ id: StreamID, slot: Int) {
        assert(id != .connection && self[id] == nil)
        if count * 2 >= keys.count { resize(to: keys.count * 2) }
        place(id.rawValue, Int32(slot))
        count += 1
    }

    mutating func remove(_ id: StreamID) {
        let mask = keys.count - 1
        var hole = home(of: id.rawValue)
        while keys[hole] != id.rawValue {
            guard keys[hole] != 0 else { return }
            hole = (hole + 1) & mask
        }
        count -= 1
        // Moves later entries into the hole if a search would stop at the hole and not find them.
        var next = (hole + 1) & mask
        while keys[next] != 0 {
            let distance = (next &- home(of: keys[next])) & mask
            if distance >= (next &- hole) & mask {
                keys[hole] = keys[next]
                slots[hole] = slots[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        keys[hole] = 0
        if keys.count > Limits.keptIndexCapacity, count * 8 < keys.count {
            resize(to: keys.count / 2)
        }
    }

    /// The slots of all streams, in no order.
    var allSlots: [Int] { keys.indices.lazy.filter { keys[$0] != 0 }.map { Int(slots[$0]) } }

    private func home(of key: UInt32) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9e37_79b1) >> 4) & (keys.count - 1)
    }

    private mutating func place(_ key: UInt32, _ slot: Int32) {
        var position = home(of: key)
        while keys[position] != 0 { position = (position + 1) & (keys.count - 1) }
        keys[position] = key
        slots[position] = slot
    }

    private mutating func resize(to capacity: Int) {
        let oldKeys = keys
        let oldSlots = slots
        keys = Array(repeating: 0, count: capacity)
        slots = Array(repeating: 0, count: capacity)
        for position in oldKeys.indices where oldKeys[position] != 0 {
            place(oldKeys[position], oldSlots[position])
        }
    }
}
