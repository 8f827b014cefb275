import SwiftletTransport

/// The five octets before every message: whether it is compressed, and its length
/// (PROTOCOL-HTTP2, "Length-Prefixed-Message").
@usableFromInline package enum MessagePrefix {
    @inlinable package static var byteCount: Int { 5 }

    /// Throws when a message is above the limit of what may be sent.
    static func check(_ byteCount: Int, maxByteCount: Int?) throws(RPCError) {
        guard let maxByteCount, byteCount > maxByteCount else { return }
        throw .refused(
            .resourceExhausted,
            "the message of \(byteCount) octets is above the limit of \(maxByteCount) to send")
    }

    /// Makes a message ready to be sent: compressed where that is asked for and worth it.
    package static func frame(
        _ message: consuming EncodedMessage, _ compression: CompressionAlgorithm,
        maxByteCount: Int?
    ) throws(RPCError) -> EncodedMessage {
        let byteCount = message.byteCount - Self.byteCount
        try check(byteCount, maxByteCount: maxByteCount)
        guard byteCount <= Int(UInt32.max) else {
            throw .refused(.resourceExhausted, "a message of \(byteCount) octets has no prefix")
        }
        guard compression != .identity, byteCount > 0 else { return message }
        var compressed = try Compressor.compress(
            message.octets.span.extracting(droppingFirst: Self.byteCount), compression,
            reservingPrefix: Self.byteCount)
        // What does not become smaller goes out as it is, which the flag allows per message.
        guard compressed.count < message.byteCount else { return message }
        compressed.writePrefix(isCompressed: true, compressed.count - Self.byteCount)
        return .whole(compressed)
    }
}

extension [UInt8] {
    /// Fills in the five octets at the front.
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
