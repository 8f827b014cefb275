/// Visits the fields in a message's list, for example to encode, decode or describe them.
///
/// A message calls the functions named after the types of the `.proto` language: `field.int32(1, &id)`. The
/// property's type determines the presence: `Int32` is a proto3 field, which is omitted when it is zero.
/// `Int32?` is a field with presence. `[Int32]` is a repeated field.
///
/// Each visitor implements the requirements below once for all types.
public protocol FieldVisitor {
    /// A field without presence, which is omitted when `isOmitted` returns true for its value.
    mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value, isOmitted: (K.Value) -> Bool
    ) throws(WireError)

    /// A field that is always encoded.
    mutating func required<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value
    ) throws(WireError)

    /// A field with presence: nil when it is absent.
    mutating func optional<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value?
    ) throws(WireError)

    /// A field with presence, in a box.
    mutating func indirect<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout Indirect<K.Value>
    ) throws(WireError)

    /// A repeated field with a tag for each value.
    mutating func repeated<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) throws(WireError)

    /// A repeated field. Its values follow one tag, or each value has its own tag. Both forms are decoded.
    mutating func packable<K: PackableKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value], isPacked: Bool
    ) throws(WireError)

    /// A map: `field.map(8, &counters, .string, .int64)`.
    ///
    /// Keys are compared by Swift's equality: two strings that differ only in how their accents are
    /// composed are one key. If a peer sends both, the last entry is kept, with its spelling.
    mutating func map<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ values: inout [Key.Value: Element.Value], _ key: Key, _ value: Element
    ) throws(WireError)

    /// One field of a `oneof`, which is an optional enum in Swift. Each field is listed with two closures.
    /// The first one makes the enum from the field's value, and the second one returns the value of the enum:
    ///
    /// ```swift
    /// enum Value: Equatable, Sendable { case text(String), number(Double) }
    /// var value: Value?
    ///
    /// try field.oneof(4, &value, .string, Value.text) { if case .text(let it) = $0 { it } else { nil } }
    /// ```
    mutating func oneof<K: FieldKind, Choice>(
        _ number: UInt32, _ choice: inout Choice?, _ kind: K,
        _ wrap: (K.Value) -> Choice, _ unwrap: (Choice) -> K.Value?
    ) throws(WireError)
}

extension FieldVisitor {
    /// A field without presence, which is omitted when it has its type's default value.
    @inlinable
    @inline(__always)
    public mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value
    ) throws(WireError) {
        try singular(kind, number, &value) { K.isInitial($0) }
    }
}
