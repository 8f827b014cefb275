/// A kind that is allowed in a packed list: a varint or a number of fixed width. It converts values to
/// bits and bits to values.
public protocol PackableKind: FieldKind {
    static func bits(of value: Value) -> UInt64
}

extension PackableKind {
    @inlinable
    public static var initial: Value { value(of: 0) }

    @inlinable
    @inline(__always)
    public static func isInitial(_ value: Value) -> Bool { bits(of: value) == 0 }

    @inlinable
    public static func isSame(_ left: Value, _ right: Value) -> Bool {
        bits(of: left) == bits(of: right)
    }

    /// The size of a value in bytes; nil for a varint.
    @inlinable
    @inline(__always)
    static var fixedByteCount: Int? {
        switch wireType {
        case .fixed32: 4
        case .fixed64: 8
        default: nil
        }
    }

    @inlinable
    @inline(__always)
    static func write(_ value: Value, _ writer: inout FieldWriter) {
        switch wireType {
        case .fixed32: writer.fixed(UInt32(truncatingIfNeeded: bits(of: value)))
        case .fixed64: writer.fixed(bits(of: value))
        default: writer.varint(bits(of: value))
        }
    }

    @inlinable
    @inline(__always)
    public static func write(
        _ value: UnsafePointer<Value>, _ number: UInt32, _ writer: inout FieldWriter
    ) {
        writer.tag(number, wireType)
        unsafe write(value.pointee, &writer)
    }

    @inlinable
    public static func read(
        into value: inout Value, _ number: UInt32, _ decoder: inout FieldDecoder
    ) throws(WireError) {
        // Never called: the decoder reads these wire types itself.
    }
}
