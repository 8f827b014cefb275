// proto2's own fields.
extension FieldVisitor {
    /// A field with its own default: `field.singular(.int32, 1, &port, default: 50051)`. It is omitted
    /// when it has that value.
    @inlinable
    public mutating func singular<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value, default defaultValue: K.Value
    ) throws(WireError) {
        try singular(kind, number, &value) { K.isSame($0, defaultValue) }
    }

    /// A field that is always encoded.
    ///
    /// A required field that is missing is not an error when it is decoded: the decoder cannot
    /// distinguish a message from a part that is merged into one.
    @inlinable
    @inline(__always)
    public mutating func required<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value
    ) throws(WireError) {
        try singular(kind, number, &value) { _ in false }
    }
}
