// Fields that only proto2 has.
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
    /// Decoding does not fail when a required field is missing. The decoder cannot distinguish a whole
    /// message from a part that is merged into a message.
    @inlinable
    @inline(__always)
    public mutating func required<K: FieldKind>(
        _ kind: K, _ number: UInt32, _ value: inout K.Value
    ) throws(WireError) {
        try singular(kind, number, &value) { _ in false }
    }
}
