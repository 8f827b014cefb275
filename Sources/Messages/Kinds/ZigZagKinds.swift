/// `sint32`: small in size when near zero, on either side.
@frozen
public struct SInt32Kind: PackableKind, MapKeyKind {
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
        Varint.byteCount(Varint.zigZag(Int64(value)))
    }

    @inlinable
    @inline(__always)
    public static func write(_ value: Int32, _ number: UInt32, _ writer: inout FieldWriter) {
        writer.varint(Varint.zigZag(Int64(value)))
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout Int32, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = Int32(
            truncatingIfNeeded: Varint.unZigZag(
                UInt64(UInt32(truncatingIfNeeded: try decoder.varint()))))
    }

    public static func describe(_ value: Int32, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == SInt32Kind {
    @inlinable public static var sint32: SInt32Kind { SInt32Kind() }
}

/// `sint64`: small in size when near zero, on either side.
@frozen
public struct SInt64Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }
    @inlinable public static var initial: Int64 { 0 }
    @inlinable public static var fixedByteCount: Int? { nil }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: Int64) -> Bool { value == 0 }

    @inlinable
    @inline(__always)
    public static func byteCount(_ value: Int64) -> Int { Varint.byteCount(Varint.zigZag(value)) }

    @inlinable
    @inline(__always)
    public static func write(_ value: Int64, _ number: UInt32, _ writer: inout FieldWriter) {
        writer.varint(Varint.zigZag(value))
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout Int64, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = Varint.unZigZag(try decoder.varint())
    }

    public static func describe(_ value: Int64, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == SInt64Kind {
    @inlinable public static var sint64: SInt64Kind { SInt64Kind() }
}
