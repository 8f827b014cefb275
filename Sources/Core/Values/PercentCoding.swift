/// Percent-encoding: of `grpc-message`, and of the parts of URIs (RFC 3986 §2.1).
package enum PercentCoding {
    /// Encodes the path of a target as an authority (gRPC's naming.md).
    static func encode(authority text: String) -> String {
        encode(text) { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~!$&'()*+,;=:[]@".utf8.contains(byte)
            }
        }
    }

    package static func encode(_ text: String, keeping isPlain: (UInt8) -> Bool) -> String {
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Never fails: malformed escapes are kept, and invalid UTF-8 is replaced.
    package static func decode(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return String(decoding: bytes(of: text.utf8[...]), as: UTF8.self)
    }

    /// The bytes that a text stands for. Malformed escapes are kept.
    package static func bytes(of text: Substring.UTF8View) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            var tail = rest
            if byte == UInt8(ascii: "%"), let high = tail.popFirst().flatMap(value),
                let low = tail.popFirst().flatMap(value)
            {
                decoded.append(high << 4 | low)
                rest = tail
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }

    /// Whether a text begins with two hexadecimal digits.
    static func beginsWithByte(_ text: Substring.UTF8View) -> Bool {
        text.prefix(2).compactMap(value).count == 2
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
