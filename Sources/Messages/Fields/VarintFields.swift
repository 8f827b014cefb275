// Fields of integers and `bool` as varints: without presence, with presence, and repeated.
extension FieldVisitor {
    /// `int32`, omitted when it is 0.
    @inlinable
    @inline(__always)
    public mutating func int32(_ number: UInt32, _ value: inout Int32) throws(WireError) {
        try singular(Int32Kind(), number, &value)
    }

    /// `optional int32`: nil when it is absent; encoded when it is 0.
    @inlinable
    @inline(__always)
    public mutating func int32(_ number: UInt32, _ value: inout Int32?) throws(WireError) {
        try optional(Int32Kind(), number, &value)
    }

    /// `repeated int32`, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func int32(
        _ number: UInt32, _ values: inout [Int32], packed: Bool = true
    ) throws(WireError) { try packable(Int32Kind(), number, &values, isPacked: packed) }

    /// `int64`, omitted when it is 0.
    @inlinable
    @inline(__always)
    public mutating func int64(_ number: UInt32, _ value: inout Int64) throws(WireError) {
        try singular(Int64Kind(), number, &value)
    }

    /// `optional int64`: nil when it is absent; encoded when it is 0.
    @inlinable
    @inline(__always)
    public mutating func int64(_ number: UInt32, _ value: inout Int64?) throws(WireError) {
        try optional(Int64Kind(), number, &value)
    }

    /// `repeated int64`, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func int64(
        _ number: UInt32, _ values: inout [Int64], packed: Bool = true
    ) throws(WireError) { try packable(Int64Kind(), number, &values, isPacked: packed) }

    /// `uint32`, omitted when it is 0.
    @inlinable
    @inline(__always)
    public mutating func uint32(_ number: UInt32, _ value: inout UInt32) throws(WireError) {
        try singular(UInt32Kind(), number, &value)
    }

    /// `optional uint32`: nil when it is absent; encoded when it is 0.
    @inlinable
    @inline(__always)
    public mutating func uint32(_ number: UInt32, _ value: inout UInt32?) throws(WireError) {
        try optional(UInt32Kind(), number, &value)
    }

    /// `repeated uint32`, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func uint32(
        _ number: UInt32, _ values: inout [UInt32], packed: Bool = true
    ) throws(WireError) { try packable(UInt32Kind(), number, &values, isPacked: packed) }

    /// `uint64`, omitted when it is 0.
    @inlinable
    @inline(__always)
    public mutating func uint64(_ number: UInt32, _ value: inout UInt64) throws(WireError) {
        try singular(UInt64Kind(), number, &value)
    }

    /// `optional uint64`: nil when it is absent; encoded when it is 0.
    @inlinable
    @inline(__always)
    public mutating func uint64(_ number: UInt32, _ value: inout UInt64?) throws(WireError) {
        try optional(UInt64Kind(), number, &value)
    }

    /// `repeated uint64`, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func uint64(
        _ number: UInt32, _ values: inout [UInt64], packed: Bool = true
    ) throws(WireError) { try packable(UInt64Kind(), number, &values, isPacked: packed) }

    /// `sint32`, omitted when it is 0.
    @inlinable
    @inline(__always)
    public mutating func sint32(_ number: UInt32, _ value: inout Int32) throws(WireError) {
        try singular(SInt32Kind(), number, &value)
    }

    /// `optional sint32`: nil when it is absent; encoded when it is 0.
    @inlinable
    @inline(__always)
    public mutating func sint32(_ number: UInt32, _ value: inout Int32?) throws(WireError) {
        try optional(SInt32Kind(), number, &value)
    }

    /// `repeated sint32`, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func sint32(
        _ number: UInt32, _ values: inout [Int32], packed: Bool = true
    ) throws(WireError) { try packable(SInt32Kind(), number, &values, isPacked: packed) }

    /// `sint64`, omitted when it is 0.
    @inlinable
    @inline(__always)
    public mutating func sint64(_ number: UInt32, _ value: inout Int64) throws(WireError) {
        try singular(SInt64Kind(), number, &value)
    }

    /// `optional sint64`: nil when it is absent; encoded when it is 0.
    @inlinable
    @inline(__always)
    public mutating func sint64(_ number: UInt32, _ value: inout Int64?) throws(WireError) {
        try optional(SInt64Kind(), number, &value)
    }

    /// `repeated sint64`, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func sint64(
        _ number: UInt32, _ values: inout [Int64], packed: Bool = true
    ) throws(WireError) { try packable(SInt64Kind(), number, &values, isPacked: packed) }

    /// `bool`, omitted when it is false.
    @inlinable
    @inline(__always)
    public mutating func bool(_ number: UInt32, _ value: inout Bool) throws(WireError) {
        try singular(BoolKind(), number, &value)
    }

    /// `optional bool`: nil when it is absent; encoded when it is false.
    @inlinable
    @inline(__always)
    public mutating func bool(_ number: UInt32, _ value: inout Bool?) throws(WireError) {
        try optional(BoolKind(), number, &value)
    }

    /// `repeated bool`, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func bool(
        _ number: UInt32, _ values: inout [Bool], packed: Bool = true
    ) throws(WireError) { try packable(BoolKind(), number, &values, isPacked: packed) }
}
