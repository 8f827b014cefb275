/// A number of the `.proto` language: how its values become the bits on the wire.
protocol NumberKind {
    associatedtype Value: BitwiseCopyable & Hashable
    static var wireType: WireType { get }
    static func bits(of value: Value) -> UInt64
    static func value(of bits: UInt64) -> Value
}

extension NumberKind {
    /// The size of a value in bytes; nil for a varint.
    @inline(__always)
    static var fixedByteCount: Int? {
        switch wireType {
        case .fixed32: 4
        case .fixed64: 8
        default: nil
        }
    }
}

enum Int32Kind: NumberKind {
    static var wireType: WireType { .varint }
    @inline(__always)
    static func bits(of value: Int32) -> UInt64 { UInt64(bitPattern: Int64(value)) }
    @inline(__always)
    static func value(of bits: UInt64) -> Int32 { Int32(truncatingIfNeeded: bits) }
}

enum Int64Kind: NumberKind {
    static var wireType: WireType { .varint }
    @inline(__always)
    static func bits(of value: Int64) -> UInt64 { UInt64(bitPattern: value) }
    @inline(__always)
    static func value(of bits: UInt64) -> Int64 { Int64(bitPattern: bits) }
}

enum UInt32Kind: NumberKind {
    static var wireType: WireType { .varint }
    @inline(__always)
    static func bits(of value: UInt32) -> UInt64 { UInt64(value) }
    @inline(__always)
    static func value(of bits: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: bits) }
}

enum UInt64Kind: NumberKind {
    static var wireType: WireType { .varint }
    @inline(__always)
    static func bits(of value: UInt64) -> UInt64 { value }
    @inline(__always)
    static func value(of bits: UInt64) -> UInt64 { bits }
}

enum SInt32Kind: NumberKind {
    static var wireType: WireType { .varint }
    @inline(__always)
    static func bits(of value: Int32) -> UInt64 { Varint.zigZag(Int64(value)) }
    @inline(__always)
    static func value(of bits: UInt64) -> Int32 { Varint.unZigZag32(bits) }
}

enum SInt64Kind: NumberKind {
    static var wireType: WireType { .varint }
    @inline(__always)
    static func bits(of value: Int64) -> UInt64 { Varint.zigZag(value) }
    @inline(__always)
    static func value(of bits: UInt64) -> Int64 { Varint.unZigZag(bits) }
}

enum BoolKind: NumberKind {
    static var wireType: WireType { .varint }
    @inline(__always)
    static func bits(of value: Bool) -> UInt64 { value ? 1 : 0 }
    @inline(__always)
    static func value(of bits: UInt64) -> Bool { bits != 0 }
}

enum Fixed32Kind: NumberKind {
    static var wireType: WireType { .fixed32 }
    @inline(__always)
    static func bits(of value: UInt32) -> UInt64 { UInt64(value) }
    @inline(__always)
    static func value(of bits: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: bits) }
}

enum Fixed64Kind: NumberKind {
    static var wireType: WireType { .fixed64 }
    @inline(__always)
    static func bits(of value: UInt64) -> UInt64 { value }
    @inline(__always)
    static func value(of bits: UInt64) -> UInt64 { bits }
}

enum SFixed32Kind: NumberKind {
    static var wireType: WireType { .fixed32 }
    @inline(__always)
    static func bits(of value: Int32) -> UInt64 { UInt64(UInt32(bitPattern: value)) }
    @inline(__always)
    static func value(of bits: UInt64) -> Int32 { Int32(truncatingIfNeeded: bits) }
}

enum SFixed64Kind: NumberKind {
    static var wireType: WireType { .fixed64 }
    @inline(__always)
    static func bits(of value: Int64) -> UInt64 { UInt64(bitPattern: value) }
    @inline(__always)
    static func value(of bits: UInt64) -> Int64 { Int64(bitPattern: bits) }
}

enum FloatKind: NumberKind {
    static var wireType: WireType { .fixed32 }
    @inline(__always)
    static func bits(of value: Float) -> UInt64 { UInt64(value.bitPattern) }
    @inline(__always)
    static func value(of bits: UInt64) -> Float {
        Float(bitPattern: UInt32(truncatingIfNeeded: bits))
    }
}

enum DoubleKind: NumberKind {
    static var wireType: WireType { .fixed64 }
    @inline(__always)
    static func bits(of value: Double) -> UInt64 { value.bitPattern }
    @inline(__always)
    static func value(of bits: UInt64) -> Double { Double(bitPattern: bits) }
}
