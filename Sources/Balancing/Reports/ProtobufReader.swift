import SwiftletTransport

/// Reads the fields of the protobuf messages that a channel itself receives: load reports and the results of
/// health checks.
struct ProtobufReader {
    struct Malformed: Error {}

    enum Kind: UInt64 { case varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 }

    struct Field {
        let number: UInt64
        let kind: Kind
    }

    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }
}

extension ProtobufReader {
    /// The tag of the next field; nil at the end.
    mutating func nextField() throws(Malformed) -> Field? {
        guard !bytes.isEmpty else { return nil }
        let tag = try varint()
        guard let kind = Kind(rawValue: tag & 7), tag >> 3 > 0 else { throw Malformed() }
        return Field(number: tag >> 3, kind: kind)
    }

    /// Reads a double. If the number is negative or not finite, `value` is unchanged.
    mutating func readDouble(into value: inout Double) throws(Malformed) {
        let bits = try take(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let number = Double(bitPattern: bits)
        if number.isFinite, number >= 0 { value = number }
    }

    /// Reads an entry of a map from names to doubles. An entry whose name cannot be a key is ignored.
    mutating func readEntry(into map: inout [String: Double]) throws(Malformed) {
        var entry = ProtobufReader(try takeCounted())
        var (name, value) = (ArraySlice<UInt8>(), 0.0)
        while let field = try entry.nextField() {
            switch (field.number, field.kind) {
            case (1, .bytes): name = try entry.takeCounted()
            case (2, .fixed64): try entry.readDouble(into: &value)
            default: try entry.skip(field)
            }
        }
        guard let name = WireText.checked(name, upTo: Limits.metricNameByteCount) else { return }
        map[name] = value
    }

    mutating func skip(_ field: Field) throws(Malformed) {
        switch field.kind {
        case .varint: _ = try varint()
        case .fixed64: _ = try take(8)
        case .fixed32: _ = try take(4)
        case .bytes: _ = try takeCounted()
        }
    }

    @inline(never)  // Has many callers.
    mutating func varint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { throw Malformed() }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
        }
        throw Malformed()
    }

    @inline(never)  // Has many callers.
    private mutating func takeCounted() throws(Malformed) -> ArraySlice<UInt8> {
        let count = try varint()
        guard count <= UInt64(bytes.count) else { throw Malformed() }
        return try take(Int(count))
    }

    private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        guard count <= bytes.count else { throw Malformed() }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }
}
