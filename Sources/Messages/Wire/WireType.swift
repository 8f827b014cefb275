/// How a field's value is laid out: the low three bits of its tag.
@frozen
public enum WireType: UInt32, Sendable {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case startGroup = 3
    case endGroup = 4
    case fixed32 = 5
}

/// A field's number and wire type, as one varint in front of its value.
@usableFromInline
enum Tag {
    /// What stands where no tag is left. It is not a tag of any field: wire type 7 does not exist.
    @usableFromInline static let end: UInt32 = 0xffff_ffff

    /// The three bits of the wire type leave 29.
    @inlinable static var maxNumber: UInt32 { 1 << 29 - 1 }

    /// The tag of a field that is listed: its number is the programmer's, and as a rule a literal, of
    /// which nothing is left to check at run time.
    @inlinable
    @inline(__always)
    static func listed(_ number: UInt32, _ type: WireType) -> UInt32 {
        precondition(1...maxNumber ~= number, "field numbers are 1...536870911")
        return make(number, type)
    }

    @inlinable
    @inline(__always)
    static func make(_ number: UInt32, _ type: WireType) -> UInt32 {
        number &<< 3 | type.rawValue
    }
}
