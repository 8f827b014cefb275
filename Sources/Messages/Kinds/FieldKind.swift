/// A type of the `.proto` language: how its values are measured, written and read.
///
/// The kinds are the words for what has more than one part: `field.map(8, &counters, .string,
/// .int64)`. Each is an empty value whose functions the compiler resolves, so naming one costs
/// nothing at run time.
public protocol FieldKind: Sendable {
    associatedtype Value: Sendable, Equatable

    static var wireType: WireType { get }

    /// What a field is before anything arrived for it.
    static var initial: Value { get }

    /// Whether a field without presence is left out. Not the same as being equal to ``initial``:
    /// minus zero is equal to zero, but it is sent.
    static func isInitial(_ value: Value) -> Bool

    /// Whether two values are the same on the wire, which is more than being equal: zeros have a
    /// sign, and equal strings may be spelt in different octets.
    static func isSame(_ left: Value, _ right: Value) -> Bool

    /// Counts the octets after the tag. The value is lent by its address: handed over as such, a
    /// message would be copied.
    static func measure(_ value: UnsafePointer<Value>, _ number: UInt32, _ sizer: inout FieldSizer)

    /// Writes the octets after the tag.
    static func write(_ value: UnsafePointer<Value>, _ number: UInt32, _ writer: inout FieldWriter)

    /// The value that a varint or a number of fixed width stands for. Only kinds of these wire types
    /// are asked.
    static func value(of bits: UInt64) -> Value

    /// Reads what stands after the tag, when it is neither a varint nor of fixed width. A message is
    /// merged into `value`, all else replaces it.
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
}

extension MapKeyKind where Value: Comparable {
    @inlinable
    public static func precedes(_ left: Value, _ right: Value) -> Bool { left < right }
}
