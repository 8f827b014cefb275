import SwiftletTransport

/// The five octets before every message: whether it is compressed, and its length
/// (PROTOCOL-HTTP2, "Length-Prefixed-Message").
@usableFromInline package enum MessagePrefix {
    @inlinable package static var byteCount: Int { 5 }

    /// Throws when a message is above the limit of what may be sent.
    static func check(_ byteCount: Int, maxByteCount: Int?) throws(RPCError) {
        guard let maxByteCount, byteCount > maxByteCount else { return }
        var error = RPCError(
            .resourceExhausted,
            "the message of \(byteCount) octets is above the limit of \(maxByteCount) to send")
        error.phase = .preparing
        error.mayHaveBeenExecuted = false
        throw error
    }

    /// Makes `message`, whose first five octets are its prefix or reserved for it, ready to be
    /// sent: compressed where that is asked for and worth it, and with its prefix filled in.
    package static func frame(
        _ message: consuming [UInt8], _ compression: CompressionAlgorithm, maxByteCount: Int?
    ) throws(RPCError) -> [UInt8] {
        let byteCount = message.count - Self.byteCount
        try check(byteCount, maxByteCount: maxByteCount)
        guard byteCount <= Int(UInt32.max) else {
            var error = RPCError(
                .resourceExhausted, "a message of \(byteCount) octets has no prefix")
            error.phase = .preparing
            error.mayHaveBeenExecuted = false
            throw error
        }
        if compression != .identity, byteCount > 0 {
            var compressed = try Compressor.compress(
                message.span.extracting(droppingFirst: Self.byteCount), compression,
                reservingPrefix: Self.byteCount)
            // What does not become smaller goes out as it is, which the flag allows per message.
            if compressed.count < message.count {
                compressed.writePrefix(isCompressed: true)
                return compressed
            }
        }
        // A codec has filled it in; in an array that others hold, writing it again is a copy.
        if !message.hasPlainPrefix { message.writePrefix(isCompressed: false) }
        return message
    }
}

extension [UInt8] {
    fileprivate var hasPlainPrefix: Bool {
        self[0] == 0 && span.uint32(at: 1) == UInt32(count - MessagePrefix.byteCount)
    }

    /// Fills in the five octets at the front.
    @inlinable
    package mutating func writePrefix(isCompressed: Bool) {
        let byteCount = UInt32(truncatingIfNeeded: count - MessagePrefix.byteCount)
        self[0] = isCompressed ? 1 : 0
        self[1] = UInt8(truncatingIfNeeded: byteCount >> 24)
        self[2] = UInt8(truncatingIfNeeded: byteCount >> 16)
        self[3] = UInt8(truncatingIfNeeded: byteCount >> 8)
        self[4] = UInt8(truncatingIfNeeded: byteCount)
    }
}
