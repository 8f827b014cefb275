/// What walks along the list of a message's fields: a sizer, a writer, a decoder, a describer.
///
/// A message calls the functions named after the types of the `.proto` language: `field.int32(1,
/// &id)`. The property's type says the rest: `Int32` is a proto3 field, left out when it is zero;
/// `Int32?` has presence; `[Int32]` is repeated.
///
/// The requirements below are what the walkers implement, once for all types.
public protocol FieldVisitor {
    /// A field without presence, which is left out when `isLeftOut` says so of its value.
    mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value, isLeftOut: (K.Value) -> Bool
    ) throws(WireError)

    /// A field that is there or not.
    mutating func optional<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value?
    ) throws(WireError)

    /// A field that is there or not, in a box of its own.
    mutating func indirect<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout Indirect<K.Value>
    ) throws(WireError)

    /// A tag for each value.
    mutating func repeated<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value]
    ) throws(WireError)

    /// Many values behind one tag, or a tag for each; both are read, whichever is written.
    mutating func packable<K: PackableKind>(
        _ kind: K, _ number: UInt32, _ values: inout [K.Value], isPacked: Bool
    ) throws(WireError)

    /// A map: `field.map(8, &counters, .string, .int64)`.
    ///
    /// Keys are equal when Swift says so: two strings that differ only in how their accents are
    /// composed are one key. Of a peer that sends both, the last entry is kept, with its spelling.
    mutating func map<Key: MapKeyKind, Element: FieldKind>(
        _ number: UInt32, _ values: inout [Key.Value: Element.Value], _ key: Key, _ value: Element
    ) throws(WireError)

    /// One field of a `oneof`, which is an optional enum in Swift. Each of its fields is listed
    /// with how its value goes into the enum and comes out again:
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
    /// A field without presence, which is left out when it has its type's first value.
    @inlinable
    @inline(__always)
    public mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value
    ) throws(WireError) {
        try singular(kind, number, &value) { K.isInitial($0) }
    }
}
