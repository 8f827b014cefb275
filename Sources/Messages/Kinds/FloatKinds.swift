/// `float`: IEEE 754, in four octets.
@frozen
public struct FloatKind: PackableKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .fixed32 }
    @inlinable public static var initial: Float { 0 }
    @inlinable public static var fixedByteCount: Int? { 4 }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: Float) -> Bool { value.bitPattern == 0 }

    @inlinable
    @inline(__always)
    public static func byteCount(_ value: Float) -> Int { 4 }

    @inlinable
    @inline(__always)
    public static func write(_ value: Float, _ number: UInt32, _ writer: inout FieldWriter) {
        writer.fixed(value.bitPattern)
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout Float, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = Float(bitPattern: try decoder.fixed32())
    }

    public static func describe(_ value: Float, _ text: inout TextWriter) {
        text.value(TextWriter.number(value))
    }
}

extension FieldKind where Self == FloatKind {
    @inlinable public static var float: FloatKind { FloatKind() }
}

/// `double`: IEEE 754, in eight octets.
@frozen
public struct DoubleKind: PackableKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .fixed64 }
    @inlinable public static var initial: Double { 0 }
    @inlinable public static var fixedByteCount: Int? { 8 }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: Double) -> Bool { value.bitPattern == 0 }

    @inlinable
    @inline(__always)
    public static func byteCount(_ value: Double) -> Int { 8 }

    @inlinable
    @inline(__always)
    public static func write(_ value: Double, _ number: UInt32, _ writer: inout FieldWriter) {
        writer.fixed(value.bitPattern)
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout Double, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = Double(bitPattern: try decoder.fixed64())
    }

    public static func describe(_ value: Double, _ text: inout TextWriter) {
        text.value(TextWriter.number(value))
    }
}

extension FieldKind where Self == DoubleKind {
    @inlinable public static var double: DoubleKind { DoubleKind() }
}
