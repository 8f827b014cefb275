/// The encoding of the parts of a URI (RFC 3986 §2.1).
enum PercentEncoding {
    /// The bytes that a part of a URI may have unencoded.
    enum Part {
        case authority, path, queryKey, queryValue

        fileprivate func allows(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: return true
            case UInt8(ascii: "/"): return self != .authority
            case UInt8(ascii: "?"): return self == .queryKey || self == .queryValue
            case UInt8(ascii: "&"): return self == .authority || self == .path
            case UInt8(ascii: "="): return self != .queryKey
            default: return "-._~!$'()*+,;:@".utf8.contains(byte)
            }
        }
    }

    static func encode(_ text: String, keeping part: Part) -> String {
        guard !text.utf8.allSatisfy(part.allows) else { return text }
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if part.allows(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Malformed escapes are kept. Nil if the result is not UTF-8.
    static func decode(_ bytes: Substring.UTF8View) -> String? {
        guard bytes.contains(UInt8(ascii: "%")) else { return String(Substring(bytes)) }
        var decoded: [UInt8] = []
        var rest = bytes
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
        return String(validating: decoded, as: UTF8.self)
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
