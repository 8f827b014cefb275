/// `int32`: a negative number needs ten bytes; use `sint32` for those.
@frozen
public struct Int32Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }

    @inlinable
    @inline(__always)
    public static func value(of bits: UInt64) -> Int32 { Int32(truncatingIfNeeded: bits) }

    @inlinable
    @inline(__always)
    public static func bits(of value: Int32) -> UInt64 { UInt64(bitPattern: Int64(value)) }

    public static func describe(_ value: Int32, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == Int32Kind {
    @inlinable public static var int32: Int32Kind { Int32Kind() }
}

/// `int64`: a negative number needs ten bytes; use `sint64` for those.
@frozen
public struct Int64Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }

    @inlinable
    @inline(__always)
    public static func value(of bits: UInt64) -> Int64 { Int64(bitPattern: bits) }

    @inlinable
    @inline(__always)
    public static func bits(of value: Int64) -> UInt64 { UInt64(bitPattern: value) }

    public static func describe(_ value: Int64, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == Int64Kind {
    @inlinable public static var int64: Int64Kind { Int64Kind() }
}

/// `uint32`. A longer varint is truncated to its low 32 bits, as in every implementation.
@frozen
public struct UInt32Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }

    @inlinable
    @inline(__always)
    public static func value(of bits: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: bits) }

    @inlinable
    @inline(__always)
    public static func bits(of value: UInt32) -> UInt64 { UInt64(value) }

    public static func describe(_ value: UInt32, _ text: inout TextWriter) {
        text.value("\(value)")
    }
}

extension FieldKind where Self == UInt32Kind {
    @inlinable public static var uint32: UInt32Kind { UInt32Kind() }
}

/// `uint64`.
@frozen
public struct UInt64Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }

    @inlinable
    @inline(__always)
    public static func value(of bits: UInt64) -> UInt64 { bits }

    @inlinable
    @inline(__always)
    public static func bits(of value: UInt64) -> UInt64 { value }

    public static func describe(_ value: UInt64, _ text: inout TextWriter) {
        text.value("\(value)")
    }
}

extension FieldKind where Self == UInt64Kind {
    @inlinable public static var uint64: UInt64Kind { UInt64Kind() }
}

/// `sint32`: ZigZag-encoded, so that negative values near zero also have few bytes.
@frozen
public struct SInt32Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }

    @inlinable
    @inline(__always)
    public static func value(of bits: UInt64) -> Int32 {
        Int32(truncatingIfNeeded: Varint.unZigZag(bits & 0xffff_ffff))
    }

    @inlinable
    @inline(__always)
    public static func bits(of value: Int32) -> UInt64 { Varint.zigZag(Int64(value)) }

    public static func describe(_ value: Int32, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == SInt32Kind {
    @inlinable public static var sint32: SInt32Kind { SInt32Kind() }
}

/// `sint64`: ZigZag-encoded, so that negative values near zero also have few bytes.
@frozen
public struct SInt64Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }

    @inlinable
    @inline(__always)
    public static func value(of bits: UInt64) -> Int64 { Varint.unZigZag(bits) }

    @inlinable
    @inline(__always)
    public static func bits(of value: Int64) -> UInt64 { Varint.zigZag(value) }

    public static func describe(_ value: Int64, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == SInt64Kind {
    @inlinable public static var sint64: SInt64Kind { SInt64Kind() }
}

/// `bool`: any varint but zero is true.
@frozen
public struct BoolKind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }

    @inlinable
    @inline(__always)
    public static func value(of bits: UInt64) -> Bool { bits != 0 }

    @inlinable
    @inline(__always)
    public static func bits(of value: Bool) -> UInt64 { value ? 1 : 0 }

    @inlinable
    public static func precedes(_ left: Bool, _ right: Bool) -> Bool { !left && right }

    public static func describe(_ value: Bool, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == BoolKind {
    @inlinable public static var bool: BoolKind { BoolKind() }
}
