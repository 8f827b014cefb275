public import SwiftletCore

/// What pickers find for the subchannel of each call. Found without hashing. The subchannels of a channel get higher and
/// higher numbers, so a new one is added at the end.
@usableFromInline package struct SubchannelTable<Value: Sendable>: Sendable {
    /// In the order of the numbers. One list, so that a pick reads one part of the memory.
    @usableFromInline var entries: [(id: UInt64, value: Value)] = []

    package init() {}

    @inlinable package var isEmpty: Bool { entries.isEmpty }

    @inlinable package subscript(subchannel: Subchannel) -> Value? {
        get {
            let place = place(of: subchannel)
            return holds(subchannel, at: place) ? entries[place].value : nil
        }
        set {
            let place = place(of: subchannel)
            switch (newValue, holds(subchannel, at: place)) {
            case (let value?, true): entries[place].value = value
            case (let value?, false): entries.insert((subchannel.id, value), at: place)
            case (nil, true): entries.remove(at: place)
            case (nil, false): break
            }
        }
    }

    @inlinable func place(of subchannel: Subchannel) -> Int {
        let id = subchannel.id
        let count = entries.count
        if count > 0, entries[count - 1].id < id { return count }
        return entries.firstPlace { $0.id >= id }
    }

    @inlinable func holds(_ subchannel: Subchannel, at place: Int) -> Bool {
        place < entries.count && entries[place].id == subchannel.id
    }
}
