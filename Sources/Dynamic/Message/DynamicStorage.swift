import SwiftletMessages

/// A field that is present, or the place of a field that was cleared.
struct DynamicEntry: Sendable, Equatable {
    var value: DynamicValue
    let number: UInt32
    /// The index of the field in the pool; -1 if the field was cleared.
    let field: Int32

    @inline(__always)
    var isPresent: Bool { field >= 0 }
}

/// The properties of a message besides its entries.
struct DynamicHeader {
    let pool: SchemaPool
    /// The unknown fields, as they were encoded.
    var unknown: [UInt8] = []
    /// The members of oneofs that were set last; nil while the message has few fields.
    var oneofMembers: OneofMembers?
    /// The index of the message type in the pool.
    let type: Int32
    var count: Int32 = 0
    let capacity: Int32
    /// How many of the entries are of fields that were cleared.
    var clearedCount: Int32 = 0
}

/// A header and entries in one allocation. Only this code reads and writes entries through pointers.
///
/// Invariant: `0 ≤ count ≤ capacity`, the memory has room for `capacity` entries, and the first `count` are
/// initialized. Each function checks its index against one of the two.
final class DynamicStorage: ManagedBuffer<DynamicHeader, DynamicEntry> {
    @inline(__always)
    static func make(pool: SchemaPool, type: Int32, capacity: Int) -> DynamicStorage {
        let buffer = create(minimumCapacity: capacity) { _ in
            DynamicHeader(pool: pool, type: type, capacity: Int32(capacity))
        }
        // Safe: `create` makes an instance of the class that it is called on.
        return unsafe unsafeDowncast(buffer, to: DynamicStorage.self)
    }

    deinit {
        unsafe withUnsafeMutablePointers { header, entries in
            for index in unsafe 0..<Int(header.pointee.count) {
                unsafe (entries + index).deinitialize(count: 1)
            }
        }
    }

    // MARK: The header

    /// Uses a pointer. With a pointer, Swift does not check exclusive access at run time. That check would
    /// cost more than all other work for a field.
    @inline(__always)
    func withHeader<Result>(_ body: (inout DynamicHeader) -> Result) -> Result {
        unsafe withUnsafeMutablePointerToHeader { unsafe body(&$0.pointee) }
    }

    @inline(__always)
    var count: Int { withHeader { Int($0.count) } }

    @inline(__always)
    var clearedCount: Int { withHeader { Int($0.clearedCount) } }

    // MARK: Entries

    @inline(__always)
    func number(at index: Int) -> UInt32 {
        precondition(index >= 0 && index < count)
        return unsafe withUnsafeMutablePointerToElements { unsafe $0[index].number }
    }

    @inline(__always)
    func isPresent(at index: Int) -> Bool {
        precondition(index >= 0 && index < count)
        return unsafe withUnsafeMutablePointerToElements { unsafe $0[index].isPresent }
    }

    /// Changes the value of the entry at `index` in place.
    @inline(__always)
    func withValue<Result, Failure: Error>(
        at index: Int, _ body: (inout DynamicValue) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(index >= 0 && index < count)
        let entries = unsafe withUnsafeMutablePointerToElements { unsafe $0 }
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(&entries[index].value)
    }

    @inline(__always)
    func withEntries<Result, Failure: Error>(
        _ body: (Span<DynamicEntry>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let entries = unsafe withUnsafeMutablePointerToElements { unsafe $0 }
        let buffer = unsafe UnsafeBufferPointer(start: entries, count: count)
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(buffer.span)
    }

    /// Calls `body` with each entry, from the last to the first. Does not retain the entries.
    @inline(__always)
    func lendBackward(_ body: (borrowing Lent<DynamicEntry>) -> Void) {
        let entries = unsafe withUnsafeMutablePointerToElements { unsafe $0 }
        let buffer = unsafe UnsafeBufferPointer(start: entries, count: count)
        defer { withExtendedLifetime(self) {} }
        unsafe buffer.lendBackward(body)
    }

    /// Inserts an entry at `index`. The storage must have capacity for it.
    @inline(__always)
    func insert(_ entry: consuming DynamicEntry, at index: Int) {
        let count = self.count
        precondition(index >= 0 && index <= count && count < withHeader { Int($0.capacity) })
        let entry = entry
        unsafe withUnsafeMutablePointers { header, entries in
            if index < count {
                unsafe (entries + index + 1).moveInitialize(
                    from: entries + index, count: count - index)
            }
            unsafe (entries + index).initialize(to: entry)
            unsafe header.pointee.count = Int32(truncatingIfNeeded: count + 1)
        }
    }

    /// Replaces the entry at `index`, which must have the same number.
    func replace(at index: Int, with entry: consuming DynamicEntry) {
        precondition(index >= 0 && index < count)
        var entry = entry
        unsafe withUnsafeMutablePointers { header, entries in
            unsafe swap(&entries[index], &entry)
            let change: Int32 =
                unsafe (entry.isPresent ? 1 : 0) - (entries[index].isPresent ? 1 : 0)
            unsafe header.pointee.clearedCount += change
        }
        // The old value is destroyed here, after the new one is stored.
    }

    func remove(at index: Int) {
        let count = self.count
        precondition(index >= 0 && index < count)
        unsafe withUnsafeMutablePointers { header, entries in
            let removed = unsafe (entries + index).move()
            unsafe (entries + index).moveInitialize(
                from: entries + index + 1, count: count - index - 1)
            unsafe header.pointee.count = Int32(truncatingIfNeeded: count - 1)
            // Destroyed only after the invariant holds again.
            _ = consume removed
        }
    }

    // MARK: Other storages

    /// Makes a storage with copies of the entries and the given capacity, which must be the count or more.
    func copy(capacity: Int) -> DynamicStorage {
        let new = withHeader { Self.make(pool: $0.pool, type: $0.type, capacity: capacity) }
        let count = self.count
        precondition(capacity >= count)
        new.withHeader { $0.unknown = withHeader { $0.unknown } }
        unsafe withUnsafeMutablePointerToElements { entries in
            unsafe new.withUnsafeMutablePointers { header, copies in
                unsafe copies.initialize(from: entries, count: count)
                unsafe header.pointee.count = Int32(truncatingIfNeeded: count)
            }
        }
        new.withHeader { $0.clearedCount = withHeader { $0.clearedCount } }
        return new
    }

    /// Moves the entries and the unknown fields to a new storage with the given capacity, which must be the
    /// count or more. This storage is empty afterwards.
    @inline(__always)
    func moved(capacity: Int) -> DynamicStorage {
        let new = withHeader { Self.make(pool: $0.pool, type: $0.type, capacity: capacity) }
        let count = self.count
        precondition(capacity >= count)
        unsafe withUnsafeMutablePointers { header, entries in
            unsafe new.withUnsafeMutablePointers { newHeader, newEntries in
                unsafe newEntries.moveInitialize(from: entries, count: count)
                unsafe newHeader.pointee.count = Int32(truncatingIfNeeded: count)
                unsafe newHeader.pointee.clearedCount = header.pointee.clearedCount
                unsafe header.pointee.count = 0
                unsafe header.pointee.clearedCount = 0
                if unsafe !header.pointee.unknown.isEmpty {
                    unsafe swap(&header.pointee.unknown, &newHeader.pointee.unknown)
                }
            }
        }
        return new
    }
}
