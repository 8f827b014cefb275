@testable import SwiftletTransport

/// A name and a value, for comparing.
struct Pair: Hashable, CustomStringConvertible {
    var name: String
    var value: String
    var description: String { name + ": " + value }

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension HeaderList {
    init(_ pairs: [(String, String)], _ indexing: Indexing = .indexed) {
        self.init()
        for (name, value) in pairs { append(name, value, indexing) }
    }

    var pairs: [Pair] { fields.map { Pair(name(of: $0), value(of: $0)) } }
}

/// The bytes that are written as hexadecimal digits; blanks are skipped.
func bytes(hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
}

extension HPACK.Decoder {
    /// Decodes into a new list. The limit of the list is high enough for all tests.
    mutating func list(_ block: [UInt8]) throws -> HeaderList {
        var list = HeaderList()
        let outcome = try decode(block.span, into: &list, maxListByteCount: 1 << 24)
        precondition(outcome == .complete)
        return list
    }
}
