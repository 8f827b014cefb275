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
/// Debug builds also stop for a number from 19000 to 19999, which protobuf reserves, for a property whose initial
/// value is not the field's default, and for closures of a oneof that do not fit each other. Release builds do not
/// look for these: with a wrong initial value, a field that the sender has left out gets that value instead of its
/// default.
///
/// A generic type cannot store a static property. There, declare `static var layout: Layout<Self> { Layout { … } }`.
@safe
public struct Layout<M: Message> {
    @usableFromInline package let table: UnsafePointer<FieldTable>

    /// Makes the layout of `M`. Calls `list` once for each type, at the type's first use.
    public init(_ list: (_ field: FieldList<M>) -> Void) {
        #if SWIFTLET_WATCHED_LOCKS
            // ThreadSanitizer does not support the standard library's lock, and would report each access. Only the
            // layout of a generic type is then made more than once.
            unsafe table = FieldTable.make(list)
        #else
            unsafe table =
                Layouts.table(of: M.self)
                ?? Layouts.keep(FieldTable.make(list), of: M.self)
        #endif
    }
}

// Safe: the table is never changed after it was made, and never freed.
extension Layout: @unchecked Sendable {}

/// The tables of all types. There is one for each type, also if a type's `layout` is a computed property.
private enum Layouts {
    /// A pointer as a number, because the tables do not change and are never freed.
    private static let tables = Mutex<[ObjectIdentifier: UInt]>([:])

    static func table(of type: Any.Type) -> UnsafePointer<FieldTable>? {
        let known = tables.withLock { $0[ObjectIdentifier(type)] } ?? 0
        return unsafe UnsafePointer(bitPattern: known)
    }

    /// Keeps a table, unless another thread has made one since: then that one is returned. Tables are made without the
    /// lock, because the message's own code runs.
    static func keep(
        _ table: UnsafePointer<FieldTable>, of type: Any.Type
    ) -> UnsafePointer<FieldTable> {
        let made = UInt(bitPattern: table)
        let kept = tables.withLock { tables in
            let kept = tables[ObjectIdentifier(type)] ?? made
            tables[ObjectIdentifier(type)] = kept
            return kept
        }
        return unsafe UnsafePointer(bitPattern: kept) ?? table
    }
}
