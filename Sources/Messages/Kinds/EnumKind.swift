/// An enum: an `int32` on the wire.
@frozen
public struct EnumKind<Enum: OpenEnum>: PackableKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .varint }

    @inlinable
    @inline(__always)
    public static func value(of bits: UInt64) -> Enum {
        Enum(rawValue: Int32(truncatingIfNeeded: bits))
    }

    @inlinable
    @inline(__always)
    public static func bits(of value: Enum) -> UInt64 { UInt64(bitPattern: Int64(value.rawValue)) }

    public static func describe(_ value: Enum, _ text: inout TextWriter) {
        text.value(value.name ?? "\(value.rawValue)")
    }
}

extension FieldKind {
    @inlinable
    public static func enumeration<Enum>(_ type: Enum.Type) -> EnumKind<Enum>
    where Self == EnumKind<Enum> { EnumKind() }
}
