// Fields of strings and bytes: without presence, with presence, and repeated.
extension FieldVisitor {
    /// `string`, omitted when it is empty.
    @inlinable
    @inline(__always)
    public mutating func string(_ number: UInt32, _ value: inout String) throws(WireError) {
        try singular(StringKind(), number, &value)
    }

    /// `optional string`: nil when it is absent; encoded when it is empty.
    @inlinable
    @inline(__always)
    public mutating func string(_ number: UInt32, _ value: inout String?) throws(WireError) {
        try optional(StringKind(), number, &value)
    }

    /// `repeated string`.
    @inlinable
    @inline(__always)
    public mutating func string(_ number: UInt32, _ values: inout [String]) throws(WireError) {
        try repeated(StringKind(), number, &values)
    }

    /// `bytes`, omitted when it is empty.
    @inlinable
    @inline(__always)
    public mutating func bytes(_ number: UInt32, _ value: inout [UInt8]) throws(WireError) {
        try singular(BytesKind(), number, &value)
    }

    /// `optional bytes`: nil when it is absent; encoded when it is empty.
    @inlinable
    @inline(__always)
    public mutating func bytes(_ number: UInt32, _ value: inout [UInt8]?) throws(WireError) {
        try optional(BytesKind(), number, &value)
    }

    /// `repeated bytes`.
    @inlinable
    @inline(__always)
    public mutating func bytes(_ number: UInt32, _ values: inout [[UInt8]]) throws(WireError) {
        try repeated(BytesKind(), number, &values)
    }
}
