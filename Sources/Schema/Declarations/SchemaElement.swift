/// A declaration of a schema: an index into a table of its pool.
package protocol SchemaElement: Hashable, Sendable, CustomStringConvertible {
    var pool: SchemaPool { get }
    var index: Int { get }
    var fullName: String { get }
}

extension SchemaElement {
    public static func == (one: Self, other: Self) -> Bool {
        one.index == other.index && one.pool === other.pool
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(index)
        hasher.combine(ObjectIdentifier(pool))
    }

    /// The full name.
    public var description: String { fullName }

    /// The schema that the declaration belongs to.
    package var schema: Schema { Schema(pool: pool) }
}
