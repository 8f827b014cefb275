import SwiftletTransport

/// The prefix of a message: a compressed flag and the length (PROTOCOL-HTTP2,
/// "Length-Prefixed-Message").
@usableFromInline package enum MessagePrefix {
    @inlinable package static var byteCount: Int { 5 }

    /// Throws RESOURCE_EXHAUSTED if a message is larger than `maxByteCount`.
    static func check(_ byteCount: Int, maxByteCount: Int?) throws(RPCError) {
        guard let maxByteCount, byteCount > maxByteCount else { return }
        throw .refused(
            .resourceExhausted,
            "the request message of \(byteCount) bytes is larger than the limit of \(maxByteCount) bytes; "
                + "raise maxSendByteCount to send it")
    }

    /// Returns a message in the form in which it is sent: compressed if that makes it smaller.
    package static func frame(
        _ message: consuming EncodedMessage, _ compression: CompressionAlgorithm,
        maxByteCount: Int?
    ) throws(RPCError) -> EncodedMessage {
        let byteCount = message.byteCount - Self.byteCount
        try check(byteCount, maxByteCount: maxByteCount)
        guard byteCount <= Int(UInt32.max) else {
            throw .refused(
                .resourceExhausted,
                "the request message of \(byteCount) bytes is larger than gRPC allows; split it")
        }
        guard compression != .identity, byteCount > 0 else { return message }
        var compressed = try Compressor.compress(
            message.bytes.contiguous.span.extracting(droppingFirst: Self.byteCount), compression,
            reservingPrefix: Self.byteCount)
        // A message that does not become smaller is sent uncompressed.
        guard compressed.count < message.byteCount else { return message }
        compressed.writePrefix(isCompressed: true, compressed.count - Self.byteCount)
        return .whole(compressed)
    }
}

extension [UInt8] {
    /// Writes the prefix into the first five bytes.
    @inlinable
    package mutating func writePrefix(isCompressed: Bool, _ messageByteCount: Int) {
        let byteCount = UInt32(truncatingIfNeeded: messageByteCount)
        self[0] = isCompressed ? 1 : 0
        self[1] = UInt8(truncatingIfNeeded: byteCount >> 24)
        self[2] = UInt8(truncatingIfNeeded: byteCount >> 16)
        self[3] = UInt8(truncatingIfNeeded: byteCount >> 8)
        self[4] = UInt8(truncatingIfNeeded: byteCount)
    }
}
