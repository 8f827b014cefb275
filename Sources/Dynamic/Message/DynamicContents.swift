import SwiftletMessages

/// The fields of a message with their values, and its unknown fields. Copies share them.
///
/// Functions that change contents expect that no copy shares them. Call ``makeUnique()`` once before a series of
/// changes.
///
/// Invariant: entries are by ascending number, each number once, and no list or map in them is empty. Among many
/// entries, some may be of fields that were cleared.
///
/// `@unchecked` is safe: a storage is changed only while one value holds it.
struct DynamicContents: @unchecked Sendable {
    private(set) var storage: DynamicStorage

    /// Makes contents without fields, with capacity for `capacity` fields.
    @inline(__always)
    init(pool: SchemaPool, type: Int, capacity: Int = 0) {
        storage = .make(pool: pool, type: Int32(truncatingIfNeeded: type), capacity: capacity)
    }

    @inline(__always)
    init(_ storage: DynamicStorage) { self.storage = storage }

    // MARK: Reading

    @inline(__always)
    var pool: SchemaPool { storage.withHeader { $0.pool } }

    /// The index of the message type in the pool.
    @inline(__always)
    var type: Int { storage.withHeader { Int($0.type) } }

    /// Whether no field is present.
    @inline(__always)
    var isEmpty: Bool { storage.count == storage.clearedCount }

    /// The most fields for which a search or a move of them all costs less than what avoids it.
    ///
    /// Without a limit, each byte from a peer that sets and clears fields in turn would cost as much as the
    /// message has fields.
    private static let maxMovedCount = 64

    /// The unknown fields, as they were encoded.
    var unknown: [UInt8] {
        get { storage.withHeader { $0.unknown } }
        set {
            assertUnique()
            storage.withHeader { $0.unknown = newValue }
        }
    }

    /// Whether there are unknown fields. Reading ``unknown`` instead would cost reference counting.
    @inline(__always)
    var hasUnknown: Bool { storage.withHeader { !$0.unknown.isEmpty } }

    /// Calls `body` with the entries, without a copy. Those of cleared fields are included.
    @inline(__always)
    func withEntries<Result, Failure: Error>(
        _ body: (Span<DynamicEntry>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withEntries(body)
    }

    /// Calls `body` with each entry, from the last to the first. Does not retain the entries. Those of cleared
    /// fields are included.
    @inline(__always)
    func lendBackward(_ body: (borrowing Lent<DynamicEntry>) -> Void) { storage.lendBackward(body) }

    /// The index of the entry with that number. If there is none, the index at which it would be inserted.
    /// If the field is absent, its entry must be stored with `insert`.
    @inline(__always)
    func position(of number: UInt32) -> (index: Int, isPresent: Bool) {
        let count = storage.count
        // Senders write fields in the order of their numbers, so most fields are inserted at the end.
        guard count > 0 else { return (0, false) }
        let last = storage.number(at: count - 1)
        guard last >= number else { return (count, false) }
        return last == number
            ? (count - 1, storage.isPresent(at: count - 1)) : search(number, count)
    }

    private func search(_ number: UInt32, _ count: Int) -> (index: Int, isPresent: Bool) {
        var low = 0
        var high = count - 1
        while low < high {
            let middle = (low + high) / 2
            if storage.number(at: middle) < number { low = middle + 1 } else { high = middle }
        }
        return (low, storage.number(at: low) == number && storage.isPresent(at: low))
    }

    func value(_ number: UInt32) -> DynamicValue? {
        let (index, isPresent) = position(of: number)
        return isPresent ? storage.withValue(at: index) { $0 } : nil
    }

    // MARK: Writing

    /// Copies the storage if another value shares it.
    @inline(__always)
    mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.copy(capacity: storage.count) }
    }

    @inline(__always)
    private mutating func assertUnique() { assert(isKnownUniquelyReferenced(&storage)) }

    /// Reserves memory for `capacity` fields.
    @inline(__always)
    mutating func reserve(_ capacity: Int) {
        if storage.withHeader({ $0.capacity }) < capacity { grow(capacity) }
    }

    @inline(never)
    private mutating func grow(_ capacity: Int) {
        assertUnique()
        storage = storage.moved(capacity: capacity)
    }

    /// Adds a field that is absent. `index` is the position of its number.
    @inline(__always)
    mutating func insert(
        _ value: consuming DynamicValue, number: UInt32, field: Int, at index: Int
    ) {
        assertUnique()
        let count = storage.count
        if index < count, storage.number(at: index) == number {
            return storage.replace(
                at: index,
                with: DynamicEntry(
                    value: value, number: number, field: Int32(truncatingIfNeeded: field)))
        }
        if count == storage.withHeader({ Int($0.capacity) }) { grow(max(4, 2 * count)) }
        storage.insert(
            DynamicEntry(
                value: value, number: number, field: Int32(truncatingIfNeeded: field)), at: index)
    }

    /// Stores a value that has been checked. The other fields of its oneof must be absent.
    @inline(__always)
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
    @inline(__always)
    mutating func update<Failure: Error>(
        _ number: UInt32, field: Int, initial: @autoclosure () -> DynamicValue,
        _ body: (inout DynamicValue) throws(Failure) -> Void
    ) throws(Failure) {
        assertUnique()
        let (index, isPresent) = position(of: number)
        if !isPresent { insert(initial(), number: number, field: field, at: index) }
        try storage.withValue(at: index, body)
    }

    /// Moves a value out, so that it has one owner and changes in place. The caller must return it with
    /// `put`.
    mutating func take(at index: Int) -> DynamicValue {
        assertUnique()
        var value = DynamicValue.bool(false)
        storage.withValue(at: index) { swap(&value, &$0) }
        return value
    }

    /// Replaces a value.
    mutating func put(_ value: consuming DynamicValue, at index: Int) {
        assertUnique()
        // The old value is destroyed outside the storage, after the new value is stored.
        var value = value
        storage.withValue(at: index) { swap(&value, &$0) }
    }

    mutating func clear(_ number: UInt32) {
        assertUnique()
        let (index, isPresent) = position(of: number)
        if isPresent { remove(at: index, number) }
    }

    private mutating func remove(at index: Int, _ number: UInt32) {
        guard storage.count > Self.maxMovedCount else { return storage.remove(at: index) }
        storage.replace(
            at: index, with: DynamicEntry(value: .bool(false), number: number, field: -1))
    }

    /// Prepares for a new value of the field `number` of a oneof: clears the other fields of the oneof.
    mutating func clear(oneof: Int32, but number: UInt32, layouts: [FieldLayout]) {
        assertUnique()
        if storage.withHeader({ $0.oneofMembers == nil }) {
            guard storage.count > Self.maxMovedCount else {
                return search(oneof: oneof, but: number, layouts: layouts)
            }
            let members = withEntries { OneofMembers($0, layouts) }
            storage.withHeader { $0.oneofMembers = members }
        }
        let other = storage.withHeader { $0.oneofMembers?.set(number, in: oneof) }
        if let other { clear(other) }
    }

    private mutating func search(oneof: Int32, but number: UInt32, layouts: [FieldLayout]) {
        var index = storage.count
        while index > 0 {
            index -= 1
            let entry = withEntries { (number: $0[index].number, field: Int($0[index].field)) }
            if entry.field >= 0, entry.number != number, layouts[entry.field].oneof == oneof {
                remove(at: index, entry.number)
            }
        }
    }

    @inline(__always)
    mutating func appendUnknown(_ bytes: UnsafeBufferPointer<UInt8>) {
        assertUnique()
        storage.withHeader { unsafe $0.unknown.append(contentsOf: bytes) }
    }
}

extension DynamicContents: Equatable {
    static func == (one: DynamicContents, other: DynamicContents) -> Bool {
        if one.storage === other.storage { return true }
        guard one.pool === other.pool, one.type == other.type else { return false }
        return one.withEntries { left in other.withEntries { areEqual(left, $0) } }
            && one.unknown == other.unknown
    }

    /// Whether the present fields are equal.
    private static func areEqual(_ left: Span<DynamicEntry>, _ right: Span<DynamicEntry>) -> Bool {
        var other = 0
        for index in left.indices where left[index].isPresent {
            while other < right.count, !right[other].isPresent { other += 1 }
            guard other < right.count, left[index] == right[other] else { return false }
            other += 1
        }
        while other < right.count, !right[other].isPresent { other += 1 }
        return other == right.count
    }
}
