// Fields of fixed-width numbers: without presence, with presence, and repeated.
extension FieldVisitor {
    /// `fixed32`, omitted when it is 0.
    @inlinable
    @inline(__always)
    public mutating func fixed32(_ number: UInt32, _ value: inout UInt32) throws(WireError) {
        try singular(Fixed32Kind(), number, &value)
    }

    /// `optional fixed32`: nil when it is absent; encoded when it is 0.
    @inlinable
    @inline(__always)
    public mutating func fixed32(_ number: UInt32, _ value: inout UInt32?) throws(WireError) {
        try optional(Fixed32Kind(), number, &value)
    }

    /// `repeated fixed32`, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func fixed32(
        _ number: UInt32, _ values: inout [UInt32], packed: Bool = true
    ) throws(WireError) { try packable(Fixed32Kind(), number, &values, isPacked: packed) }

    /// `fixed64`, omitted when it is 0.
    @inlinable
    @inline(__always)
    public mutating func fixed64(_ number: UInt32, _ value: inout UInt64) throws(WireError) {
        try singular(Fixed64Kind(), number, &value)
    }

    /// `optional fixed64`: nil when it is absent; encoded when it is 0.
    @inlinable
    @inline(__always)
    public mutating func fixed64(_ number: UInt32, _ value: inout UInt64?) throws(WireError) {
        try optional(Fixed64Kind(), number, &value)
    }

    /// `repeated fixed64`, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func fixed64(
        _ number: UInt32, _ values: inout [UInt64], packed: Bool = true
    ) throws(WireError) { try packable(Fixed64Kind(), number, &values, isPacked: packed) }

    /// `sfixed32`, omitted when it is 0.
    @inlinable
    @inline(__always)
    public mutating func sfixed32(_ number: UInt32, _ value: inout Int32) throws(WireError) {
        try singular(SFixed32Kind(), number, &value)
    }

    /// `optional sfixed32`: nil when it is absent; encoded when it is 0.
    @inlinable
    @inline(__always)
    public mutating func sfixed32(_ number: UInt32, _ value: inout Int32?) throws(WireError) {
        try optional(SFixed32Kind(), number, &value)
    }

    /// `repeated sfixed32`, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func sfixed32(
        _ number: UInt32, _ values: inout [Int32], packed: Bool = true
    ) throws(WireError) { try packable(SFixed32Kind(), number, &values, isPacked: packed) }

    /// `sfixed64`, omitted when it is 0.
    @inlinable
    @inline(__always)
    public mutating func sfixed64(_ number: UInt32, _ value: inout Int64) throws(WireError) {
        try singular(SFixed64Kind(), number, &value)
    }

    /// `optional sfixed64`: nil when it is absent; encoded when it is 0.
    @inlinable
    @inline(__always)
    public mutating func sfixed64(_ number: UInt32, _ value: inout Int64?) throws(WireError) {
        try optional(SFixed64Kind(), number, &value)
    }

    /// `repeated sfixed64`, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func sfixed64(
        _ number: UInt32, _ values: inout [Int64], packed: Bool = true
    ) throws(WireError) { try packable(SFixed64Kind(), number, &values, isPacked: packed) }

    /// `float`, omitted when it is 0; minus zero is encoded.
    @inlinable
    @inline(__always)
    public mutating func float(_ number: UInt32, _ value: inout Float) throws(WireError) {
        try singular(FloatKind(), number, &value)
    }

    /// `optional float`: nil when it is absent; encoded when it is 0.
    @inlinable
    @inline(__always)
    public mutating func float(_ number: UInt32, _ value: inout Float?) throws(WireError) {
        try optional(FloatKind(), number, &value)
    }

    /// `repeated float`, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func float(
        _ number: UInt32, _ values: inout [Float], packed: Bool = true
    ) throws(WireError) { try packable(FloatKind(), number, &values, isPacked: packed) }

    /// `double`, omitted when it is 0; minus zero is encoded.
    @inlinable
    @inline(__always)
    public mutating func double(_ number: UInt32, _ value: inout Double) throws(WireError) {
        try singular(DoubleKind(), number, &value)
    }

    /// `optional double`: nil when it is absent; encoded when it is 0.
    @inlinable
    @inline(__always)
    public mutating func double(_ number: UInt32, _ value: inout Double?) throws(WireError) {
        try optional(DoubleKind(), number, &value)
    }

    /// `repeated double`, packed; with `packed: false`, proto2's default, a tag for each value.
    @inlinable
    @inline(__always)
    public mutating func double(
        _ number: UInt32, _ values: inout [Double], packed: Bool = true
    ) throws(WireError) { try packable(DoubleKind(), number, &values, isPacked: packed) }
}
