/// A field that is present, or the place of a field that was cleared.
struct DynamicEntry: Sendable, Equatable {
    var value: DynamicValue
    let number: UInt32
    /// The index of the field in the pool; -1 if the field was cleared.
    let field: Int

    var isPresent: Bool { field >= 0 }
}

/// The fields of a message with their values, and its unknown fields. Copies share them.
///
/// Functions that change contents expect that no copy shares them. Call ``makeUnique()`` once before a series of
/// changes.
///
/// Invariant: each number has one entry, the last entry has the highest number, and no list or map in them is empty.
/// Entries are by ascending number, unless there are many and they arrived far out of order. Among many entries,
/// some may be of fields that were cleared.
///
/// `@unchecked` is safe: a storage is changed only while one value holds it.
struct DynamicContents: @unchecked Sendable {
    /// Accesses are not checked at run time: a check would cost more than all other work for a field. Safe: only the
    /// value that holds the storage alone changes it.
    final class Storage {
        let pool: SchemaPool
        let type: Int
        @safe @exclusivity(unchecked) fileprivate(set) var entries: [DynamicEntry] = []
        /// The places of the entries by their numbers; nil while entries are by ascending number.
        @safe @exclusivity(unchecked) fileprivate var places: [UInt32: Int]?
        /// How many of the entries are of fields that were cleared.
        @safe @exclusivity(unchecked) fileprivate var clearedCount = 0
        @safe @exclusivity(unchecked) fileprivate var unknown: [UInt8] = []
        /// The member of each oneof that was set last; nil while the message has few fields.
        ///
        /// Without it, setting a member means a search for the other members among all fields of the message. A
        /// peer that sends members in turn would make each of its bytes cost that search. A member may be absent,
        /// because fields can be cleared.
        fileprivate var oneofMembers: [Int32: UInt32]?

        fileprivate init(_ pool: SchemaPool, _ type: Int) {
            self.pool = pool
            self.type = type
        }
    }

    private(set) var storage: Storage

    /// Makes contents without fields.
    init(pool: SchemaPool, type: Int) { storage = Storage(pool, type) }

    init(_ storage: Storage) { self.storage = storage }

    // MARK: Reading

    var pool: SchemaPool { storage.pool }

    /// The index of the message type in the pool.
    var type: Int { storage.type }

    var hasUnknown: Bool { !storage.unknown.isEmpty }

    /// Whether no field is present.
    var isEmpty: Bool { storage.entries.count == storage.clearedCount }

    /// All entries by ascending number.
    var entries: [DynamicEntry] {
        storage.places == nil
            ? storage.entries : storage.entries.sorted { $0.number < $1.number }
    }

    /// The entries of the fields that are present, by ascending number.
    var present: LazyFilterSequence<[DynamicEntry]> { entries.lazy.filter(\.isPresent) }

    /// The entry that is present and meets a condition, which at most one does.
    func onlyPresent(where isFound: (DynamicEntry) -> Bool) -> DynamicEntry? {
        storage.entries.first { $0.isPresent && isFound($0) }
    }

    /// The most fields for which a search or a move of them all costs less than what avoids it.
    ///
    /// Without a limit, each byte from a peer that sets and clears fields in turn would cost as much as the
    /// message has fields.
    private static let maxMovedCount = 64

    /// The unknown fields, as they were encoded.
    var unknown: [UInt8] {
        get { storage.unknown }
        set { storage.unknown = newValue }
    }

    /// The index of the entry with that number. If there is none, the index at which it would be inserted.
    /// If the field is absent, its entry must be stored with `insert`.
    @inline(__always)
    func position(of number: UInt32) -> (index: Int, isPresent: Bool) {
        let count = storage.entries.count
        // Senders write fields in the order of their numbers, so most fields are inserted at the end.
        if count == 0 || storage.entries[count &- 1].number < number { return (count, false) }
        return search(number)
    }

    private func search(_ number: UInt32) -> (index: Int, isPresent: Bool) {
        if let places = storage.places {
            guard let index = places[number] else { return (storage.entries.count - 1, false) }
            return (index, storage.entries[index].isPresent)
        }
        var low = 0
        var high = storage.entries.count - 1
        while low < high {
            let middle = (low + high) / 2
            if storage.entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        let isSame = storage.entries[low].number == number
        return (low, isSame && storage.entries[low].isPresent)
    }

    func value(_ number: UInt32) -> DynamicValue? {
        let (index, isPresent) = position(of: number)
        return isPresent ? storage.entries[index].value : nil
    }

    // MARK: Writing

    /// Copies the storage if another value shares it.
    mutating func makeUnique() {
        guard !isKnownUniquelyReferenced(&storage) else { return }
        let copy = Storage(pool, type)
        copy.entries = storage.entries
        copy.places = storage.places
        copy.clearedCount = storage.clearedCount
        copy.unknown = storage.unknown
        storage = copy
    }

    /// Reserves memory for `capacity` fields.
    mutating func reserve(_ capacity: Int) { storage.entries.reserveCapacity(capacity) }

    /// Adds a field that is absent. `index` is the position of its number.
    mutating func insert(
        _ value: consuming DynamicValue, number: UInt32, field: Int, at index: Int
    ) {
        assert(isKnownUniquelyReferenced(&storage))
        let entry = DynamicEntry(value: value, number: number, field: field)
        if index == storage.entries.count {
            storage.places?[number] = index
            storage.entries.append(entry)
        } else if storage.entries[index].number == number {
            storage.entries[index] = entry
            storage.clearedCount -= 1
        } else if storage.places == nil, storage.entries.count - index <= Self.maxMovedCount {
            storage.entries.insert(entry, at: index)
        } else {
            insertBeforeLast(entry)
        }
    }

    /// Adds an entry and moves only the last one.
    private mutating func insertBeforeLast(_ entry: DynamicEntry) {
        if storage.places == nil {
            let numbers = storage.entries.indices.map { (storage.entries[$0].number, $0) }
            storage.places = Dictionary(uniqueKeysWithValues: numbers)
        }
        let index = storage.entries.count - 1
        storage.entries.append(storage.entries[index])
        storage.entries[index] = entry
        storage.places?[entry.number] = index
        storage.places?[storage.entries[index + 1].number] = index + 1
    }

    /// Stores a value that has been checked. The other fields of its oneof must be absent.
    mutating func store(_ value: consuming DynamicValue, number: UInt32, field: Int) {
        let (index, isPresent) = position(of: number)
        if isPresent {
            put(value, at: index)
        } else {
            insert(value, number: number, field: field, at: index)
        }
    }

    /// Changes the value of a field in place. If the field is absent, `initial` is its value before the
    /// change.
    mutating func update<Failure: Error>(
        _ number: UInt32, field: Int, initial: @autoclosure () -> DynamicValue,
        _ body: (inout DynamicValue) throws(Failure) -> Void
    ) throws(Failure) {
        let (index, isPresent) = position(of: number)
        if !isPresent { insert(initial(), number: number, field: field, at: index) }
        var value = take(at: index)
        defer { put(value, at: index) }
        try body(&value)
    }

    /// Moves a value out, so that it has one owner and changes in place. The caller must return it with
    /// `put`.
    mutating func take(at index: Int) -> DynamicValue {
        assert(isKnownUniquelyReferenced(&storage))
        var value = DynamicValue.bool(false)
        swap(&value, &storage.entries[index].value)
        return value
    }

    /// Replaces a value.
    mutating func put(_ value: consuming DynamicValue, at index: Int) {
        assert(isKnownUniquelyReferenced(&storage))
        storage.entries[index].value = value
    }

    mutating func clear(_ number: UInt32) {
        let (index, isPresent) = position(of: number)
        if isPresent { remove(at: index) }
    }

    private mutating func remove(at index: Int) {
        assert(isKnownUniquelyReferenced(&storage))
        guard storage.entries.count > Self.maxMovedCount else {
            storage.entries.remove(at: index)
            return
        }
        storage.entries[index] = DynamicEntry(
            value: .bool(false), number: storage.entries[index].number, field: -1)
        storage.clearedCount += 1
    }

    /// Prepares for a new value of the field `number` of a oneof: clears the other field that is set.
    mutating func clear(oneof: Int32, but number: UInt32, layouts: [FieldLayout]) {
        let other: UInt32?
        if storage.oneofMembers == nil, storage.entries.count <= Self.maxMovedCount {
            other = onlyPresent { layouts[$0.field].oneof == oneof }?.number
        } else {
            if storage.oneofMembers == nil {
                let members = present.lazy.map { (layouts[$0.field].oneof, $0.number) }
                storage.oneofMembers = Dictionary(members.filter { $0.0 >= 0 }) { $1 }
            }
            other = storage.oneofMembers?.updateValue(number, forKey: oneof)
        }
        if let other, other != number { clear(other) }
    }

    mutating func appendUnknown(_ bytes: UnsafeBufferPointer<UInt8>) {
        assert(isKnownUniquelyReferenced(&storage))
        unsafe storage.unknown.append(contentsOf: bytes)
    }
}

extension DynamicContents: Equatable {
    static func == (one: DynamicContents, other: DynamicContents) -> Bool {
        if one.storage === other.storage { return true }
        return one.pool === other.pool && one.type == other.type
            && one.present.elementsEqual(other.present) && one.unknown == other.unknown
    }
}
