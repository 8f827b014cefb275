/// `int32`: a negative number takes ten octets; `sint32` is for those.
@frozen
public struct Int32Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }
    @inlinable public static var initial: Int32 { 0 }
    @inlinable public static var fixedByteCount: Int? { nil }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: Int32) -> Bool { value == 0 }

    @inlinable
    @inline(__always)
    public static func byteCount(_ value: Int32) -> Int {
        Varint.byteCount(UInt64(bitPattern: Int64(value)))
    }

    @inlinable
    @inline(__always)
    public static func write(_ value: Int32, _ number: UInt32, _ writer: inout FieldWriter) {
        writer.varint(UInt64(bitPattern: Int64(value)))
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout Int32, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = Int32(truncatingIfNeeded: try decoder.varint())
    }

    public static func describe(_ value: Int32, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == Int32Kind {
    @inlinable public static var int32: Int32Kind { Int32Kind() }
}

/// `int64`: a negative number takes ten octets; `sint64` is for those.
@frozen
public struct Int64Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }
    @inlinable public static var initial: Int64 { 0 }
    @inlinable public static var fixedByteCount: Int? { nil }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: Int64) -> Bool { value == 0 }

    @inlinable
    @inline(__always)
    public static func byteCount(_ value: Int64) -> Int {
        Varint.byteCount(UInt64(bitPattern: value))
    }

    @inlinable
    @inline(__always)
    public static func write(_ value: Int64, _ number: UInt32, _ writer: inout FieldWriter) {
        writer.varint(UInt64(bitPattern: value))
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout Int64, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = Int64(bitPattern: try decoder.varint())
    }

    public static func describe(_ value: Int64, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == Int64Kind {
    @inlinable public static var int64: Int64Kind { Int64Kind() }
}

/// `uint32`. Of a longer varint the low 32 bits count, as in every implementation.
@frozen
public struct UInt32Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }
    @inlinable public static var initial: UInt32 { 0 }
    @inlinable public static var fixedByteCount: Int? { nil }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: UInt32) -> Bool { value == 0 }

    @inlinable
    @inline(__always)
    public static func byteCount(_ value: UInt32) -> Int { Varint.byteCount(UInt64(value)) }

    @inlinable
    @inline(__always)
    public static func write(_ value: UInt32, _ number: UInt32, _ writer: inout FieldWriter) {
        writer.varint(UInt64(value))
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout UInt32, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = UInt32(truncatingIfNeeded: try decoder.varint())
    }

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
    @inlinable public static var initial: UInt64 { 0 }
    @inlinable public static var fixedByteCount: Int? { nil }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: UInt64) -> Bool { value == 0 }

    @inlinable
    @inline(__always)
    public static func byteCount(_ value: UInt64) -> Int { Varint.byteCount(value) }

    @inlinable
    @inline(__always)
    public static func write(_ value: UInt64, _ number: UInt32, _ writer: inout FieldWriter) {
        writer.varint(value)
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout UInt64, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = try decoder.varint()
    }

    public static func describe(_ value: UInt64, _ text: inout TextWriter) {
        text.value("\(value)")
    }
}

extension FieldKind where Self == UInt64Kind {
    @inlinable public static var uint64: UInt64Kind { UInt64Kind() }
}

/// `bool`: any varint but zero is true.
@frozen
public struct BoolKind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }
    @inlinable public static var initial: Bool { false }
    @inlinable public static var fixedByteCount: Int? { nil }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: Bool) -> Bool { !value }

    @inlinable
    @inline(__always)
    public static func byteCount(_ value: Bool) -> Int { 1 }

    @inlinable
    @inline(__always)
    public static func write(_ value: Bool, _ number: UInt32, _ writer: inout FieldWriter) {
        writer.varint(value ? 1 : 0)
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout Bool, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = try decoder.varint() != 0
    }

    @inlinable
    public static func precedes(_ left: Bool, _ right: Bool) -> Bool { !left && right }

    public static func describe(_ value: Bool, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == BoolKind {
    @inlinable public static var bool: BoolKind { BoolKind() }
}
