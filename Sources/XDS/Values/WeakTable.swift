import Synchronization

/// Objects of the process by a key, as long as something else uses them.
struct WeakTable<Key: Hashable & Sendable, Object: AnyObject & Sendable>: ~Copyable, Sendable {
    private struct Entry: Sendable {
        weak var object: Object?
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// The object of a key; a new one if there is none.
    func object<Failure: Error>(
        for key: Key, make: () throws(Failure) -> Object
    ) throws(Failure) -> Object {
        if let object = entries.withLock({ $0[key]?.object }) { return object }
        let made = try make()
        // Any of the objects may have its last reference here. They are released outside the lock.
        let (object, _) = entries.withLock { entries in
            let living = entries.compactMapValues(\.object)
            let object = living[key] ?? made
            entries = entries.filter { living[$0.key] != nil }
            entries[key] = Entry(object: object)
            return (object, living)
        }
        return object
    }

    /// All objects that still exist.
    var objects: [Object] { entries.withLock { $0.values.compactMap(\.object) } }
}
