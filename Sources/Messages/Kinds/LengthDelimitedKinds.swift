/// `string`: UTF-8, which is checked when it is decoded.
@frozen
public struct StringKind: MapKeyKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .lengthDelimited }
    @inlinable public static var initial: String { "" }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: String) -> Bool { value.isEmpty }

    @inlinable
    @inline(__always)
    public static func isBounded(_ key: String) -> Bool {
        key.utf8.count < CombiningMarks.maxRun || CombiningMarks.areBounded(in: key)
    }

    @inlinable
    public static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    @inlinable
    @inline(__always)
    public static func write(
        _ value: UnsafePointer<String>, _ number: UInt32, _ writer: inout FieldWriter
    ) {
        unsafe writer.string(number, value)
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout String, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = try decoder.string()
    }

    /// The order of the UTF-8 bytes, as in other implementations.
    @inlinable
    public static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    public static func describe(_ value: String, _ text: inout TextWriter) {
        text.quoted(value.utf8, isText: true)
    }
}

extension FieldKind where Self == StringKind {
    @inlinable public static var string: StringKind { StringKind() }
}

/// `bytes`.
@frozen
public struct BytesKind: FieldKind {
    @inlinable public init() {}
    @inlinable public static var wireType: WireType { .lengthDelimited }
    @inlinable public static var initial: [UInt8] { [] }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: [UInt8]) -> Bool { value.isEmpty }

    @inlinable
    @inline(__always)
    public static func write(
        _ value: UnsafePointer<[UInt8]>, _ number: UInt32, _ writer: inout FieldWriter
    ) {
        unsafe writer.bytes(number, value)
    }

    @inlinable
    @inline(__always)
    public static func read(
        into value: inout [UInt8], _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        value = try decoder.byteArray()
    }

    public static func describe(_ value: [UInt8], _ text: inout TextWriter) {
        text.quoted(value, isText: false)
    }
}

extension FieldKind where Self == BytesKind {
    @inlinable public static var bytes: BytesKind { BytesKind() }
}
