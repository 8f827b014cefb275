/// `fixed32`: always four octets.
@frozen
public struct Fixed32Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .fixed32 }
    @inlinable public static var initial: UInt32 { 0 }
    @inlinable public static var fixedByteCount: Int? { 4 }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: UInt32) -> Bool { value == 0 }

    @inlinable
    @inline(__always)
    public static func byteCount(_ value: UInt32) -> Int { 4 }

    @inlinable
    @inline(__always)
    public static func write(_ value: UInt32, _ number: UInt32, _ writer: inout FieldWriter) {
        writer.fixed(value)
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout UInt32, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = try decoder.fixed32()
    }

    public static func describe(_ value: UInt32, _ text: inout TextWriter) {
        text.value("\(value)")
    }
}

extension FieldKind where Self == Fixed32Kind {
    @inlinable public static var fixed32: Fixed32Kind { Fixed32Kind() }
}

/// `fixed64`: always eight octets.
@frozen
public struct Fixed64Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .fixed64 }
    @inlinable public static var initial: UInt64 { 0 }
    @inlinable public static var fixedByteCount: Int? { 8 }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: UInt64) -> Bool { value == 0 }

    @inlinable
    @inline(__always)
    public static func byteCount(_ value: UInt64) -> Int { 8 }

    @inlinable
    @inline(__always)
    public static func write(_ value: UInt64, _ number: UInt32, _ writer: inout FieldWriter) {
        writer.fixed(value)
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout UInt64, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = try decoder.fixed64()
    }

    public static func describe(_ value: UInt64, _ text: inout TextWriter) {
        text.value("\(value)")
    }
}

extension FieldKind where Self == Fixed64Kind {
    @inlinable public static var fixed64: Fixed64Kind { Fixed64Kind() }
}

/// `sfixed32`: always four octets.
@frozen
public struct SFixed32Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .fixed32 }
    @inlinable public static var initial: Int32 { 0 }
    @inlinable public static var fixedByteCount: Int? { 4 }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: Int32) -> Bool { value == 0 }

    @inlinable
    @inline(__always)
    public static func byteCount(_ value: Int32) -> Int { 4 }

    @inlinable
    @inline(__always)
    public static func write(_ value: Int32, _ number: UInt32, _ writer: inout FieldWriter) {
        writer.fixed(UInt32(bitPattern: value))
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout Int32, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = Int32(bitPattern: try decoder.fixed32())
    }

    public static func describe(_ value: Int32, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == SFixed32Kind {
    @inlinable public static var sfixed32: SFixed32Kind { SFixed32Kind() }
}

/// `sfixed64`: always eight octets.
@frozen
public struct SFixed64Kind: PackableKind, MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .fixed64 }
    @inlinable public static var initial: Int64 { 0 }
    @inlinable public static var fixedByteCount: Int? { 8 }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: Int64) -> Bool { value == 0 }

    @inlinable
    @inline(__always)
    public static func byteCount(_ value: Int64) -> Int { 8 }

    @inlinable
    @inline(__always)
    public static func write(_ value: Int64, _ number: UInt32, _ writer: inout FieldWriter) {
        writer.fixed(UInt64(bitPattern: value))
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout Int64, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = Int64(bitPattern: try decoder.fixed64())
    }

    public static func describe(_ value: Int64, _ text: inout TextWriter) { text.value("\(value)") }
}

extension FieldKind where Self == SFixed64Kind {
    @inlinable public static var sfixed64: SFixed64Kind { SFixed64Kind() }
}
