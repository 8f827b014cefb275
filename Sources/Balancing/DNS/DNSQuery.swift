import SwiftletTransport

/// A question for the TXT records of a name (RFC 1035 §4.1).
package struct DNSQuery: Hashable, Sendable {
    package static let textType: UInt16 = 16
    static let aliasType: UInt16 = 5
    static let internetClass: UInt16 = 1
    private static let maxNameByteCount = 255

    /// A random number. To forge an answer, an attacker must guess it.
    package let id: UInt16
    /// The name as it is sent, in lower case: labels with their lengths, and a zero.
    let name: [UInt8]

    /// Nil if the name has an empty label, a label of more than 63 bytes, or more than 255 bytes.
    package init?(id: UInt16, textsOf host: String) {
        var name: [UInt8] = []
        let bytes = host.utf8.last == UInt8(ascii: ".") ? host.utf8.dropLast() : host.utf8[...]
        for label in bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard (1...63).contains(label.count) else { return nil }
            name.append(UInt8(label.count))
            name += label.map(\.lowercasedASCII)
        }
        name.append(0)
        guard name.count <= Self.maxNameByteCount else { return nil }
        self.id = id
        self.name = name
    }

    /// The query as the content of a datagram: one question, with recursion desired.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = [UInt8(id >> 8), UInt8(id & 0xff), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        bytes += name
        return bytes + [0, UInt8(Self.textType), 0, UInt8(Self.internetClass)]
    }
}

extension UInt8 {
    /// Names are compared without case (RFC 4343).
    var lowercasedASCII: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }
}
