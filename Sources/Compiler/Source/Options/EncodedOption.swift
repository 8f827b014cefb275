/// The encoded value of an option, without its tag.
enum EncodedOption {
    case varint(UInt64)
    case fixed32(UInt64)
    case fixed64(UInt64)
    /// Encoded with a length before it.
    case bytes([UInt8])
    /// Encoded between a start tag and an end tag.
    case group([UInt8])

    /// Whether it is the default of its type.
    var isZero: Bool {
        switch self {
        case .varint(let value), .fixed32(let value), .fixed64(let value): value == 0
        case .bytes(let bytes), .group(let bytes): bytes.isEmpty
        }
    }

    fileprivate var wireType: UInt64 {
        switch self {
        case .varint: 0
        case .fixed64: 1
        case .bytes: 2
        case .group: 3
        case .fixed32: 5
        }
    }
}

extension [UInt8] {
    mutating func append(option value: EncodedOption, number: Int32) {
        appendVarint(UInt64(UInt32(bitPattern: number)) << 3 | value.wireType)
        append(packed: value)
        if case .group = value { appendVarint(UInt64(UInt32(bitPattern: number)) << 3 | 4) }
    }

    /// Appends the value without a tag.
    mutating func append(packed value: EncodedOption) {
        switch value {
        case .varint(let value): appendVarint(value)
        case .fixed32(let value): append(littleEndian: value, byteCount: 4)
        case .fixed64(let value): append(littleEndian: value, byteCount: 8)
        case .bytes(let bytes):
            appendVarint(UInt64(bytes.count))
            append(contentsOf: bytes)
        case .group(let bytes): append(contentsOf: bytes)
        }
    }

    private mutating func append(littleEndian value: UInt64, byteCount: Int) {
        for index in 0..<byteCount {
            append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))))
        }
    }

    private mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
