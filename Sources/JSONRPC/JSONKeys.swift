import SwiftletCore
import SwiftletTransport

/// The check of a body before Foundation decodes it. Foundation makes dictionaries of the keys of each object, which
/// takes quadratic time for keys with many combining marks. See ``WireText``.
enum JSONKeys {
    /// Whether no key has more than ``WireText/maxMarkRun`` combining marks in a row. Escapes count as what they
    /// mean. Takes linear time, and accepts text that is not JSON, which the decoder refuses.
    static func areBounded(in body: [UInt8]) -> Bool {
        // Marks are not ASCII, and ASCII has them only as escapes.
        guard body.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\\") }) else { return true }
        var index = 0
        while index < body.count {
            guard body[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            let start = index + 1
            guard let end = endOfString(in: body, from: start) else { return true }
            index = end + 1
            guard isKey(body, before: index) else { continue }
            guard WireText.hasBoundedMarks(unescaped(body[start..<end])) else { return false }
        }
        return true
    }

    /// The index of the quotation mark at the end.
    private static func endOfString(in body: [UInt8], from start: Int) -> Int? {
        var index = start
        while index < body.count {
            switch body[index] {
            case UInt8(ascii: "\""): return index
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    /// Whether a colon follows the string that ends before `index`.
    private static func isKey(_ body: [UInt8], before index: Int) -> Bool {
        let next = body[index...].first { $0 > 0x20 }
        return next == UInt8(ascii: ":")
    }

    /// The text with its `\u` escapes replaced. The other escapes are no marks, and end a run of them.
    private static func unescaped(_ key: ArraySlice<UInt8>) -> String {
        guard key.contains(UInt8(ascii: "\\")) else { return String(decoding: key, as: UTF8.self) }
        var text = String.UnicodeScalarView()
        var rest = key
        while let next = rest.firstIndex(of: UInt8(ascii: "\\")) {
            text += String(decoding: rest[..<next], as: UTF8.self).unicodeScalars
            rest = rest[next...].dropFirst()
            guard rest.popFirst() == UInt8(ascii: "u") else {
                text.append(" ")
                continue
            }
            let digits = String(decoding: rest.prefix(4), as: UTF8.self)
            rest = rest.dropFirst(4)
            // Halves of a surrogate pair are taken for a mark, so that marks beyond U+FFFF are counted.
            text.append(UInt32(digits, radix: 16).map { Unicode.Scalar($0) ?? "\u{301}" } ?? " ")
        }
        text += String(decoding: rest, as: UTF8.self).unicodeScalars
        return String(text)
    }
}
