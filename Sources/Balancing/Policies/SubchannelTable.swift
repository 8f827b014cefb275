public import SwiftletCore

/// What pickers find for the subchannel of each call. Found without hashing. The subchannels of a channel get higher and
/// higher numbers, so a new one is added at the end.
@usableFromInline package struct SubchannelTable<Value: Sendable>: Sendable {
    @usableFromInline var ids: [UInt64] = []
    @usableFromInline var values: [Value] = []

    package init() {}

    @inlinable package var isEmpty: Bool { ids.isEmpty }

    @inlinable package subscript(subchannel: Subchannel) -> Value? {
        get {
            let place = place(of: subchannel)
            return holds(subchannel, at: place) ? values[place] : nil
        }
        set {
            let place = place(of: subchannel)
            switch (newValue, holds(subchannel, at: place)) {
            case (let value?, true): values[place] = value
            case (let value?, false):
                ids.insert(subchannel.id, at: place)
                values.insert(value, at: place)
            case (nil, true):
                ids.remove(at: place)
                values.remove(at: place)
            case (nil, false): break
            }
        }
    }

    @inlinable func place(of subchannel: Subchannel) -> Int {
        let id = subchannel.id
        if let last = ids.last, last < id { return ids.count }
        return ids.firstPlace { $0 >= id }
    }

    @inlinable func holds(_ subchannel: Subchannel, at place: Int) -> Bool {
        place < ids.count && ids[place] == subchannel.id
    }
}
