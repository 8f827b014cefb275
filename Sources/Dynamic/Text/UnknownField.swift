import SwiftletMessages

/// A field without a schema. Its wire type and its bytes determine how it is printed.
struct UnknownField {
    enum Value {
        case varint(UInt64)
        case fixed32(UInt32)
        case fixed64(UInt64)
        case bytes([UInt8])
        /// The fields of a group, or of bytes that can be a message.
        case fields([UnknownField])
    }

    let number: UInt32
    let value: Value

    /// The depth to which bytes are searched for messages.
    private static let maxDepth = 10

    /// The fields in `bytes`; empty unless `bytes` consists of complete fields.
    static func all(in bytes: [UInt8]) -> [UnknownField] { fields(in: bytes, maxDepth) ?? [] }

    /// The fields in `bytes`; nil unless `bytes` consists of complete fields.
    private static func fields(in bytes: [UInt8], _ depth: Int) -> [UnknownField]? {
        // Safe: the decoder lives only inside the closure.
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return [] }
            var wire = unsafe FieldDecoder(
                start: start, byteCount: buffer.count, options: DecodingOptions())
            do throws(WireError) {
                return try fields(&wire, until: Tag.end, depth)
            } catch {
                return nil
            }
        }
    }

    private static func fields(
        _ wire: inout FieldDecoder, until end: UInt32, _ depth: Int
    ) throws(WireError) -> [UnknownField] {
        var fields: [UnknownField] = []
        try wire.nextTag()
        while wire.tag != end {
            let number = wire.tag &>> 3
            guard number > 0, wire.tag != Tag.end, let type = WireType(rawValue: wire.tag & 7)
            else { throw wire.failure(.invalidTag) }
            fields.append(
                UnknownField(number: number, value: try value(&wire, type, number, depth)))
            try wire.nextTag()
        }
        return fields
    }

    private static func value(
        _ wire: inout FieldDecoder, _ type: WireType, _ number: UInt32, _ depth: Int
    ) throws(WireError) -> Value {
        switch type {
        case .varint: return .varint(try wire.varint())
        case .fixed32: return .fixed32(try wire.fixed32())
        case .fixed64: return .fixed64(try wire.fixed64())
        case .lengthDelimited:
            let bytes = try wire.byteArray()
            guard depth > 0, !bytes.isEmpty, let inner = fields(in: bytes, depth - 1) else {
                return .bytes(bytes)
            }
            return .fields(inner)
        case .startGroup:
            guard depth > -DecodingOptions().maxDepth else { throw wire.failure(.tooDeep) }
            return .fields(try fields(&wire, until: Tag.make(number, .endGroup), depth - 1))
        case .endGroup: throw wire.failure(.unmatchedGroup)
        }
    }
}
