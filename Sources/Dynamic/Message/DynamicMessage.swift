/// A message whose type is known only at run time.
///
/// ```swift
/// var request = DynamicMessage(try schema.requiredMessage("helloworld.HelloRequest"))
/// try request.set("name", "world")
/// let bytes = try request.encoded()
/// ```
///
/// A message is a value. Copies share their contents until one of them changes.
///
/// Messages are equal when they are of one type, the same fields are present with equal values, and
/// the unknown fields have the same bytes.
public struct DynamicMessage: Sendable {
    private(set) var storage: DynamicStorage

    /// Makes an empty message.
    public init(_ schema: MessageSchema) {
        storage = DynamicStorage(pool: schema.pool, type: schema.index)
    }

    init(pool: SchemaPool, type: Int) { storage = DynamicStorage(pool: pool, type: type) }

    /// The type.
    public var schema: MessageSchema { MessageSchema(pool: storage.pool, index: storage.type) }

    /// Fields that were received and that the schema does not know, as they were encoded.
    public var unknownFields: [UInt8] {
        get { storage.unknown }
        set { mutate { $0.unknown = newValue } }
    }

    /// Whether no field is present and there are no unknown fields.
    public var isEmpty: Bool { storage.entries.isEmpty && storage.unknown.isEmpty }

    /// The fields that are present with their values, by ascending number.
    public var presentFields: [(field: FieldSchema, value: DynamicValue)] {
        storage.entries.map { entry in
            (FieldSchema(pool: storage.pool, index: Int(entry.field)), entry.value)
        }
    }

    /// Changes the storage, which is copied first if another message shares it.
    @inline(__always)
    mutating func mutate<Result, Failure: Error>(
        _ body: (DynamicStorage) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
        return try body(storage)
    }
}

extension DynamicMessage: Equatable {
    public static func == (one: DynamicMessage, other: DynamicMessage) -> Bool {
        if one.storage === other.storage { return true }
        return one.storage.pool === other.storage.pool && one.storage.type == other.storage.type
            && one.storage.entries == other.storage.entries
            && one.storage.unknown == other.storage.unknown
    }
}

/// The contents of a message, shared by its copies.
///
/// `@unchecked` is safe: ``DynamicMessage`` changes a storage only while it holds the one reference.
final class DynamicStorage: @unchecked Sendable {
    /// A field that is present.
    struct Entry: Sendable, Equatable {
        let number: UInt32
        /// The index of the field in the pool.
        let field: Int32
        var value: DynamicValue
    }

    let pool: SchemaPool
    /// The index of the message in the pool.
    let type: Int
    /// By ascending number, each number once.
    private(set) var entries: [Entry] = []
    var unknown: [UInt8] = []

    init(pool: SchemaPool, type: Int) {
        self.pool = pool
        self.type = type
    }

    func copy() -> DynamicStorage {
        let copy = DynamicStorage(pool: pool, type: type)
        copy.entries = entries
        copy.unknown = unknown
        return copy
    }

    // MARK: Fields

    /// The index of the entry with that number, or of the one that would follow it.
    @inline(__always)
    func position(of number: UInt32) -> (index: Int, isPresent: Bool) {
        let count = entries.count
        // Senders write fields by ascending number, so most are new and last.
        guard count > 0, entries[count - 1].number >= number else { return (count, false) }
        if entries[count - 1].number == number { return (count - 1, true) }
        var low = 0
        var high = count - 1
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return (low, entries[low].number == number)
    }

    @inline(__always)
    func has(_ number: UInt32) -> Bool { position(of: number).isPresent }

    func value(_ number: UInt32) -> DynamicValue? {
        let (index, isPresent) = position(of: number)
        return isPresent ? entries[index].value : nil
    }

    /// Stores a value that has been checked. The other fields of its oneof are cleared.
    func store(_ value: DynamicValue, number: UInt32, field: Int, oneof: Int32) {
        if oneof >= 0 { clear(oneof: oneof, but: number) }
        let (index, isPresent) = position(of: number)
        if isPresent {
            entries[index].value = value
        } else {
            insert(Entry(number: number, field: Int32(field), value: value), at: index)
        }
    }

    /// Appends where it can, which is several times cheaper than an insertion.
    @inline(__always)
    private func insert(_ entry: Entry, at index: Int) {
        if index == entries.count {
            entries.append(entry)
        } else {
            entries.insert(entry, at: index)
        }
    }

    /// Changes the value of a field in place. `initial` is its value if it is absent.
    @inline(__always)
    func update<Failure: Error>(
        _ number: UInt32, field: Int, initial: @autoclosure () -> DynamicValue,
        _ body: (inout DynamicValue) throws(Failure) -> Void
    ) throws(Failure) {
        let (index, isPresent) = position(of: number)
        if !isPresent {
            insert(Entry(number: number, field: Int32(field), value: initial()), at: index)
        }
        try body(&entries[index].value)
    }

    func clear(_ number: UInt32) {
        let (index, isPresent) = position(of: number)
        if isPresent { entries.remove(at: index) }
    }

    /// Clears a list or a map that has no element.
    func clearIfEmpty(_ number: UInt32) {
        let (index, isPresent) = position(of: number)
        guard isPresent else { return }
        switch entries[index].value {
        case .list(let values) where values.isEmpty: entries.remove(at: index)
        case .map(let values) where values.isEmpty: entries.remove(at: index)
        default: break
        }
    }

    /// Clears the fields of a oneof, all but one.
    func clear(oneof: Int32, but number: UInt32) {
        guard !entries.isEmpty else { return }
        entries.removeAll { $0.number != number && pool.layouts[Int($0.field)].oneof == oneof }
    }
}
