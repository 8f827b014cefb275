/// `fixed32`: always four bytes.
@frozen
public struct Fixed32Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .fixed32 }

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

extension FieldKind where Self == Fixed32Kind {
    @inlinable public static var fixed32: Fixed32Kind { Fixed32Kind() }
}

/// `fixed64`: always eight bytes.
@frozen
public struct Fixed64Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .fixed64 }

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

extension FieldKind where Self == Fixed64Kind {
    @inlinable public static var fixed64: Fixed64Kind { Fixed64Kind() }
}

/// `sfixed32`: always four bytes.
@frozen
public struct SFixed32Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .fixed32 }

    @inlinable
    @inline(__always)
    public static func value(of bits: UInt64) -> Int32 { Int32(truncatingIfNeeded: bits) }

    @inlinable
    @inline(__always)
    public static func bits(of value: Int32) -> UInt64 { UInt64(UInt32(bitPattern: value)) }

    public static func describe(_ value: Int32, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == SFixed32Kind {
    @inlinable public static var sfixed32: SFixed32Kind { SFixed32Kind() }
}

/// `sfixed64`: always eight bytes.
@frozen
public struct SFixed64Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .fixed64 }

    @inlinable
    @inline(__always)
    public static func value(of bits: UInt64) -> Int64 { Int64(bitPattern: bits) }

    @inlinable
    @inline(__always)
    public static func bits(of value: Int64) -> UInt64 { UInt64(bitPattern: value) }

    public static func describe(_ value: Int64, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == SFixed64Kind {
    @inlinable public static var sfixed64: SFixed64Kind { SFixed64Kind() }
}

/// `float`: IEEE 754, in four bytes.
@frozen
public struct FloatKind: PackableKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .fixed32 }

    @inlinable
    @inline(__always)
    public static func value(of bits: UInt64) -> Float {
        Float(bitPattern: UInt32(truncatingIfNeeded: bits))
    }

    @inlinable
    @inline(__always)
    public static func bits(of value: Float) -> UInt64 { UInt64(value.bitPattern) }

    public static func describe(_ value: Float, _ text: inout TextWriter) {
        text.value(TextWriter.number(value))
    }
}

extension FieldKind where Self == FloatKind {
    @inlinable public static var float: FloatKind { FloatKind() }
}

/// `double`: IEEE 754, in eight bytes.
@frozen
public struct DoubleKind: PackableKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .fixed64 }

    @inlinable
    @inline(__always)
    public static func value(of bits: UInt64) -> Double { Double(bitPattern: bits) }

    @inlinable
    @inline(__always)
    public static func bits(of value: Double) -> UInt64 { value.bitPattern }

    public static func describe(_ value: Double, _ text: inout TextWriter) {
        text.value(TextWriter.number(value))
    }
}

extension FieldKind where Self == DoubleKind {
    @inlinable public static var double: DoubleKind { DoubleKind() }
}
