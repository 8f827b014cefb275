// Numbers of fixed width. Each as a field without presence, with presence, and repeated.
extension FieldVisitor {
    @inlinable
    @inline(__always)
    public mutating func fixed32(_ number: UInt32, _ value: inout UInt32) throws(WireError) {
        try singular(Fixed32Kind(), number, &value)
    }

    @inlinable
    @inline(__always)
    public mutating func fixed32(_ number: UInt32, _ value: inout UInt32?) throws(WireError) {
        try optional(Fixed32Kind(), number, &value)
    }

    @inlinable
    @inline(__always)
    public mutating func fixed32(
        _ number: UInt32, _ values: inout [UInt32], packed: Bool = true
    ) throws(WireError) { try packable(Fixed32Kind(), number, &values, isPacked: packed) }

    @inlinable
    @inline(__always)
    public mutating func fixed64(_ number: UInt32, _ value: inout UInt64) throws(WireError) {
        try singular(Fixed64Kind(), number, &value)
    }

    @inlinable
    @inline(__always)
    public mutating func fixed64(_ number: UInt32, _ value: inout UInt64?) throws(WireError) {
        try optional(Fixed64Kind(), number, &value)
    }

    @inlinable
    @inline(__always)
    public mutating func fixed64(
        _ number: UInt32, _ values: inout [UInt64], packed: Bool = true
    ) throws(WireError) { try packable(Fixed64Kind(), number, &values, isPacked: packed) }

    @inlinable
    @inline(__always)
    public mutating func sfixed32(_ number: UInt32, _ value: inout Int32) throws(WireError) {
        try singular(SFixed32Kind(), number, &value)
    }

    @inlinable
    @inline(__always)
    public mutating func sfixed32(_ number: UInt32, _ value: inout Int32?) throws(WireError) {
        try optional(SFixed32Kind(), number, &value)
    }

    @inlinable
    @inline(__always)
    public mutating func sfixed32(
        _ number: UInt32, _ values: inout [Int32], packed: Bool = true
    ) throws(WireError) { try packable(SFixed32Kind(), number, &values, isPacked: packed) }

    @inlinable
    @inline(__always)
    public mutating func sfixed64(_ number: UInt32, _ value: inout Int64) throws(WireError) {
        try singular(SFixed64Kind(), number, &value)
    }

    @inlinable
    @inline(__always)
    public mutating func sfixed64(_ number: UInt32, _ value: inout Int64?) throws(WireError) {
        try optional(SFixed64Kind(), number, &value)
    }

    @inlinable
    @inline(__always)
    public mutating func sfixed64(
        _ number: UInt32, _ values: inout [Int64], packed: Bool = true
    ) throws(WireError) { try packable(SFixed64Kind(), number, &values, isPacked: packed) }

    @inlinable
    @inline(__always)
    public mutating func float(_ number: UInt32, _ value: inout Float) throws(WireError) {
        try singular(FloatKind(), number, &value)
    }

    @inlinable
    @inline(__always)
    public mutating func float(_ number: UInt32, _ value: inout Float?) throws(WireError) {
        try optional(FloatKind(), number, &value)
    }

    @inlinable
    @inline(__always)
    public mutating func float(
        _ number: UInt32, _ values: inout [Float], packed: Bool = true
    ) throws(WireError) { try packable(FloatKind(), number, &values, isPacked: packed) }

    @inlinable
    @inline(__always)
    public mutating func double(_ number: UInt32, _ value: inout Double) throws(WireError) {
        try singular(DoubleKind(), number, &value)
    }

    @inlinable
    @inline(__always)
    public mutating func double(_ number: UInt32, _ value: inout Double?) throws(WireError) {
        try optional(DoubleKind(), number, &value)
    }

    @inlinable
    @inline(__always)
    public mutating func double(
        _ number: UInt32, _ values: inout [Double], packed: Bool = true
    ) throws(WireError) { try packable(DoubleKind(), number, &values, isPacked: packed) }
}
