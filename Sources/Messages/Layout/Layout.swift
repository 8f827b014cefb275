import Synchronization

/// The list of a message's fields: for each field its number, its type in the `.proto` language, and where the
/// struct stores it.
///
/// ```swift
/// static let layout = Layout<Self> { field in
///     field.string(1, \.name)
///     field.uint64(2, \.id)
/// }
/// ```
///
/// List the fields in the order of their numbers. Senders write them in that order. Any other order is decoded as
/// well, but more slowly.
///
/// A list with a mistake stops the program when the type is used for the first time, and names the field: a number
/// that is not from 1 to 536870911 or is listed twice, or a property that the struct does not store (a computed,
/// observed, lazy or wrapped one). For an `@Indirect` property, list its storage: `\._next`.
///
/// A generic type cannot store a static property. There, declare `static var layout: Layout<Self> { Layout { … } }`.
@safe
public struct Layout<M: Message> {
    @usableFromInline let table: UnsafePointer<FieldTable>

    /// Makes the layout of `M`. Calls `list` once for each type, at the type's first use.
    public init(_ list: (_ field: FieldList<M>) -> Void) {
        #if SWIFTLET_WATCHED_LOCKS
            // ThreadSanitizer does not support the standard library's lock, and would report each access. Only the
            // layout of a generic type is then made more than once.
            unsafe table = FieldTable.make(list)
        #else
            unsafe table = Layouts.table(for: M.self) { unsafe FieldTable.make(list) }
        #endif
    }
}

// Safe: the table is never changed after it was made, and never freed.
extension Layout: @unchecked Sendable {}

/// The tables of all types. There is one for each type, also if a type's `layout` is a computed property.
private enum Layouts {
    /// A pointer as a number, because the tables do not change and are never freed.
    private static let tables = Mutex<[ObjectIdentifier: UInt]>([:])

    static func table<M: Message>(
        for type: M.Type, _ make: () -> UnsafePointer<FieldTable>
    ) -> UnsafePointer<FieldTable> {
        let key = ObjectIdentifier(type)
        if let known = tables.withLock({ $0[key] }),
            let table = unsafe UnsafePointer<FieldTable>(bitPattern: known)
        {
            return unsafe table
        }
        // Without the lock, because the message's own code runs. Two threads may both make a table; the first
        // one is used.
        let made = unsafe UInt(bitPattern: make())
        let kept = tables.withLock { tables in
            let kept = tables[key] ?? made
            tables[key] = kept
            return kept
        }
        guard let table = unsafe UnsafePointer<FieldTable>(bitPattern: kept) else {
            ProgramError.stop("no layout for \(type)")
        }
        return unsafe table
    }
}
