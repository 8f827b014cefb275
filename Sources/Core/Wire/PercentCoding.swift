/// How `grpc-message` carries any text in printable ASCII (PROTOCOL-HTTP2, "Status-Message").
package enum PercentCoding {
    package static func encode(_ text: String) -> String {
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        var encoded: [UInt8] = []
        for octet in text.utf8 {
            if isPlain(octet) {
                encoded.append(octet)
            } else {
                encoded += [UInt8(ascii: "%"), digit(octet >> 4), digit(octet & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Never fails: what is not an escape stands for itself, and what is not UTF-8 is replaced.
    static func decode(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        let octets = Array(text.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < octets.count {
            if octets[index] == UInt8(ascii: "%"), index + 2 < octets.count,
                let high = value(octets[index + 1]), let low = value(octets[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(octets[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func isPlain(_ octet: UInt8) -> Bool {
        (0x20...0x7e).contains(octet) && octet != UInt8(ascii: "%")
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
