/// An enum: an `int32` on the wire.
@frozen
public struct EnumKind<Enum: OpenEnum>: PackableKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }
    @inlinable public static var initial: Enum { Enum(rawValue: 0) }
    @inlinable public static var fixedByteCount: Int? { nil }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: Enum) -> Bool { value.rawValue == 0 }

    @inlinable
    @inline(__always)
    public static func byteCount(_ value: Enum) -> Int { Int32Kind.byteCount(value.rawValue) }

    @inlinable
    @inline(__always)
    public static func write(_ value: Enum, _ number: UInt32, _ writer: inout FieldWriter) {
        Int32Kind.write(value.rawValue, number, &writer)
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout Enum, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = Enum(rawValue: Int32(truncatingIfNeeded: try decoder.varint()))
    }

    public static func describe(_ value: Enum, _ text: inout TextWriter) {
        text.value(value.name ?? "\(value.rawValue)")
    }
}

extension FieldKind {
    @inlinable
    public static func enumeration<Enum>(_ type: Enum.Type) -> EnumKind<Enum>
    where Self == EnumKind<Enum> { EnumKind() }
}
