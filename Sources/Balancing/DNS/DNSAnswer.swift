import SwiftletTransport

/// The answer of a name server to a ``DNSQuery``.
package enum DNSAnswer: Hashable, Sendable {
    /// The texts of the name's TXT records, each with its strings joined. Empty if it has none.
    case texts([[UInt8]])
    case noSuchName
    /// The answer does not fit a datagram. The query must be sent over TCP.
    case truncated
    /// The server could not answer; its RCODE.
    case failed(UInt8)
    case malformed
}

extension DNSAnswer {
    /// Reads a message of a name server. Nil if it is not an answer to the query, for example because it
    /// is forged.
    package init?(_ bytes: [UInt8], to query: DNSQuery) {
        var reader = DNSReader(bytes)
        do throws(DNSReader.Malformed) {
            guard try reader.uint16() == query.id else { return nil }
            let flags = try reader.uint16()
            let counts = [try reader.uint16(), try reader.uint16()]
            // An answer to a standard query, with the question that was asked.
            guard flags & 0xf800 == 0x8000, counts[0] == 1 else { return nil }
            try reader.skip(4)
            guard try reader.name() == query.name, try reader.uint16() == DNSQuery.textType,
                try reader.uint16() == DNSQuery.internetClass
            else { return nil }
            switch UInt8(flags & 0xf) {
            case 0 where flags & 0x200 != 0: self = .truncated
            case 0: self = .texts(try reader.texts(of: query.name, recordCount: counts[1]))
            case 3: self = .noSuchName
            case let code: self = .failed(code)
            }
        } catch {
            // A message that ends before the question is not known to be an answer.
            guard reader.hasQuestion else { return nil }
            self = .malformed
        }
    }
}

/// Reads the parts of a DNS message. Each name costs at most 255 bytes of labels and ``maxPointerCount``
/// pointers, even in a malformed message.
struct DNSReader {
    struct Malformed: Error {}

    /// The most aliases that are followed from a name to its records.
    private static let maxAliasCount = 16

    /// The most compression pointers in a name. A name has at most 127 labels, each with at most one
    /// pointer, and one more pointer before its end.
    private static let maxPointerCount = 128

    private let bytes: [UInt8]
    private var offset = 0
    /// Whether the question was read.
    private(set) var hasQuestion = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }
}

extension DNSReader {
    mutating func uint16() throws(Malformed) -> UInt16 {
        guard bytes.count - offset >= 2 else { throw Malformed() }
        defer { offset += 2 }
        return UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
    }

    mutating func skip(_ count: Int) throws(Malformed) {
        guard bytes.count - offset >= count else { throw Malformed() }
        offset += count
    }

    /// Reads a name. Returns it in lower case, in the form of ``DNSQuery``. A compression pointer must point
    /// before the position from which its labels were read (RFC 1035 §4.1.4), so that there is no loop. A name has
    /// at most ``maxPointerCount`` pointers, so that an answer cannot make each record read a long chain of
    /// them.
    mutating func name() throws(Malformed) -> [UInt8] {
        var name: [UInt8] = []
        var position = offset
        var lowest = offset
        var end: Int?
        var pointerCount = 0
        while true {
            guard position < bytes.count else { throw Malformed() }
            let length = Int(bytes[position])
            switch length & 0xc0 {
            case 0:
                guard position + 1 + length <= bytes.count, name.count + 1 + length <= 255 else {
                    throw Malformed()
                }
                name.append(UInt8(length))
                name += bytes[(position + 1)..<(position + 1 + length)].map(\.lowercasedASCII)
                position += 1 + length
                guard length == 0 else { continue }
                offset = end ?? position
                return name
            case 0xc0:
                guard position + 1 < bytes.count else { throw Malformed() }
                let target = (length & 0x3f) << 8 | Int(bytes[position + 1])
                pointerCount += 1
                guard target < lowest, pointerCount <= Self.maxPointerCount else {
                    throw Malformed()
                }
                if end == nil { end = position + 2 }
                lowest = target
                position = target
            default: throw Malformed()
            }
        }
    }

    /// The texts of `name`. If `name` is an alias, the texts of the name at the end of the chain of
    /// aliases. Throws if the chain has more than ``maxAliasCount`` aliases.
    mutating func texts(of name: [UInt8], recordCount: UInt16) throws(Malformed) -> [[UInt8]] {
        hasQuestion = true
        var texts: [[UInt8]: [[UInt8]]] = [:]
        var aliases: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<recordCount {
            let owner = try self.name()
            let (type, family) = (try uint16(), try uint16())
            try skip(4)
            let end = Int(try uint16()) + offset
            guard end <= bytes.count else { throw Malformed() }
            switch (type, family) {
            case (DNSQuery.textType, DNSQuery.internetClass):
                texts[owner, default: []].append(try text(until: end))
            case (DNSQuery.aliasType, DNSQuery.internetClass):
                aliases[owner] = try self.name()
                guard offset == end else { throw Malformed() }
            default: offset = end
            }
        }
        var owner = name
        for _ in 0...Self.maxAliasCount {
            if let texts = texts[owner] { return texts }
            guard let next = aliases[owner] else { return [] }
            owner = next
        }
        throw Malformed()
    }

    /// The strings of one record, joined (RFC 7208 §3.3).
    private mutating func text(until end: Int) throws(Malformed) -> [UInt8] {
        var text: [UInt8] = []
        while offset < end {
            let first = offset + 1
            let last = first + Int(bytes[offset])
            guard last <= end else { throw Malformed() }
            text += bytes[first..<last]
            offset = last
        }
        return text
    }
}
