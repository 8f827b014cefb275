import SwiftletCore

/// The encoding of the parts of a name `xdstp:…` (A47).
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
        PercentCoding.encode(text, keeping: part.allows)
    }

    /// Malformed escapes are kept. Nil if the result is not UTF-8.
    static func decode(_ text: Substring.UTF8View) -> String? {
        String(validating: PercentCoding.bytes(of: text), as: UTF8.self)
    }
}
