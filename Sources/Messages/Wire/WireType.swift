/// The layout of a field's value: the low three bits of its tag.
@usableFromInline
package enum WireType: UInt32, Sendable {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case startGroup = 3
    case endGroup = 4
    case fixed32 = 5
}

/// A field's number and wire type, as one varint before its value.
@usableFromInline
package enum Tag {
    /// The end of the input. No field has this tag, because wire type 7 does not exist.
    @usableFromInline package static let end: UInt32 = 0xffff_ffff

    /// 2²⁹−1: a tag has 32 bits, and 3 of them are the wire type.
    @inlinable package static var maxNumber: UInt32 { 1 << 29 - 1 }

    @inlinable
    @inline(__always)
    package static func make(_ number: UInt32, _ type: WireType) -> UInt32 {
        number &<< 3 | type.rawValue
    }
}
