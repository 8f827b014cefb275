// What proto2 has and proto3 has not.
extension FieldVisitor {
    /// A field with a default of its own: `field.singular(.int32, 1, &port, default: 50051)`. It is
    /// left out when it has that value.
    @inlinable
    public mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value, default initial: K.Value
    ) throws(WireError) {
        try singular(kind, number, &value) { K.isSame($0, initial) }
    }

    /// A field that is written whatever its value is.
    ///
    /// That it is missing is no error when it is read. The decoder cannot tell a message from a
    /// part that is merged into one, and implementations that insist are why proto3 has no
    /// required fields.
    @inlinable
    public mutating func required<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value
    ) throws(WireError) {
        try singular(kind, number, &value) { _ in false }
    }
}
