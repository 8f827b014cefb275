import Synchronization

/// Objects of the process by a key, as long as something else uses them.
struct WeakTable<Key: Hashable & Sendable, Object: AnyObject & Sendable>: ~Copyable, Sendable {
    struct Entry: Sendable {
        weak var object: Object?
    }

    struct State {
        static var minCountLimit: Int { 32 }

        var entries: [Key: Entry] = [:]
        /// From so many entries on, those whose objects are gone are removed. It is twice the number of the others, so that
        /// a new object costs a few steps, however many there are.
        var countLimit = minCountLimit
    }

    private let state = Mutex(State())

    /// The object of a key; a new one if there is none.
    func object<Failure: Error>(
        for key: Key, make: () throws(Failure) -> Object
    ) throws(Failure) -> Object {
        if let object = state.withLock({ $0.entries[key]?.object }) { return object }
        let made = try make()
        // Any of the objects may have its last reference here. They are released outside the lock.
        let (object, _) = state.withLock { state in
            if let object = state.entries[key]?.object { return (object, [:]) }
            let living = state.entries.count < state.countLimit ? [:] : state.sweep()
            state.entries[key] = Entry(object: made)
            return (made, living)
        }
        return object
    }

    /// All objects that still exist.
    var objects: [Object] { state.withLock { $0.entries.values.compactMap(\.object) } }
}

extension WeakTable.State {
    /// Removes the entries whose objects are gone. Returns the others.
    fileprivate mutating func sweep() -> [Key: Object] {
        let living = entries.compactMapValues(\.object)
        entries = entries.filter { living[$0.key] != nil }
        countLimit = max(2 * living.count, Self.minCountLimit)
        return living
    }
}
