import SwiftletMessages
public import SwiftletSchema

/// Makes names and texts from a peer safe for an error, which people read in a terminal or a log.
package enum ErrorText {
    private static let maxByteCount = 200

    /// Writes hidden characters as `\u` escapes, so that the text is one line and all of it is visible.
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: QuotedText.isHidden) else { return text }
        var result: [UInt8] = []
        for scalar in text.unicodeScalars {
            if QuotedText.isHidden(scalar) {
                JSONString.appendEscape(of: scalar, to: &result)
            } else {
                result += String(Character(scalar)).utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Cuts a text that is longer than 200 bytes of UTF-8, and appends `…`.
    package static func cut(_ text: String) -> String {
        guard text.utf8.count > maxByteCount else { return text }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: maxByteCount)
        while end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return text[..<end] + "…"
    }
}

extension FormatError: CustomStringConvertible {
    /// The place and the problem on one line. Characters that could hide text are escaped.
    public var description: String {
        let place = path.isEmpty ? "" : "\(path): "
        return ErrorText.escaped("\(line):\(column): \(place)\(message)")
    }
}
