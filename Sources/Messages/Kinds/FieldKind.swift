/// A type of the `.proto` language: how its values are written and read.
///
/// A field with several parts passes their kinds: `field.map(8, &counters, .string, .int64)`. A kind is an
/// empty value whose functions are resolved at compile time, so it costs nothing at run time.
public protocol FieldKind: Sendable {
    associatedtype Value: Sendable, Equatable

    static var wireType: WireType { get }

    /// The value of a field that was not received.
    static var initial: Value { get }

    /// Whether a field without presence is omitted. This is not equality with ``initial``: minus zero
    /// equals zero, but it is encoded.
    static func isInitial(_ value: Value) -> Bool

    /// Whether two values are the same on the wire. This is stricter than equality: 0.0 equals -0.0,
    /// and equal strings may consist of different bytes.
    static func isSame(_ left: Value, _ right: Value) -> Bool

    /// Writes the tag and the value. The value is passed by address, because a message that is passed by
    /// value would be copied.
    static func write(_ value: UnsafePointer<Value>, _ number: UInt32, _ writer: inout FieldWriter)

    /// Converts the bits of a varint or of a fixed-width number to a value. Only called for kinds of these
    /// wire types.
    static func value(of bits: UInt64) -> Value

    /// Reads the bytes after the tag. Only called for kinds that are neither a varint nor of fixed
    /// width. A message is merged into `value`; any other value replaces it.
    static func read(
        into value: inout Value, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError)

    static func describe(_ value: Value, _ text: inout TextWriter)
}

extension FieldKind {
    @inlinable
    public static func value(of bits: UInt64) -> Value { initial }

    @inlinable
    public static func isSame(_ left: Value, _ right: Value) -> Bool { left == right }
}

/// A kind that may be the key of a map, and its order in deterministic encoding.
public protocol MapKeyKind: FieldKind where Value: Hashable {
    static func precedes(_ left: Value, _ right: Value) -> Bool

    /// Whether a dictionary can hold the key at a cost that is proportional to its size.
    static func isBounded(_ key: Value) -> Bool
}

extension MapKeyKind {
    @inlinable
    @inline(__always)
    public static func isBounded(_ key: Value) -> Bool { true }
}

extension MapKeyKind where Value: Comparable {
    @inlinable
    public static func precedes(_ left: Value, _ right: Value) -> Bool { left < right }
}
