/// The alert that ends a handshake or a connection (RFC 8446 §6, RFC 5246 §7.2, RFC 7301 §3.2).
struct TLSAlert: Equatable, Sendable {
    let rawValue: UInt8

    static let noApplicationProtocol = TLSAlert(rawValue: 120)
}

extension TLSAlert: CustomStringConvertible {
    var description: String { Self.names[rawValue] ?? "alert \(rawValue)" }

    private static let names: [UInt8: String] = [
        0: "close notify", 10: "unexpected message", 20: "bad record mac", 21: "decryption failed",
        22: "record overflow", 30: "decompression failure", 40: "handshake failure",
        42: "bad certificate", 43: "unsupported certificate", 44: "certificate revoked",
        45: "certificate expired", 46: "certificate unknown", 47: "illegal parameter",
        48: "unknown ca", 49: "access denied", 50: "decode error", 51: "decrypt error",
        60: "export restriction", 70: "protocol version", 71: "insufficient security",
        80: "internal error", 86: "inappropriate fallback", 90: "user canceled",
        100: "no renegotiation", 109: "missing extension", 110: "unsupported extension",
        111: "certificate unobtainable", 112: "unrecognized name",
        113: "bad certificate status response", 114: "bad certificate hash value",
        115: "unknown psk identity", 116: "certificate required", 120: "no application protocol",
    ]
}
