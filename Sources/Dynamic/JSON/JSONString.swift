import SwiftletMessages

/// Writes JSON strings.
///
/// The characters that ``QuotedText/isHidden(_:)`` names are written as `\u` escapes, besides those that JSON itself
/// escapes. The text is still valid JSON, and readers decode the same string.
package enum JSONString {
    package static func quoted(_ string: String) -> String {
        var bytes: [UInt8] = []
        append(string, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the string with its quotation marks.
    package static func append(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { text in
            // Safe: the span is used only inside the closure.
            unsafe QuotedText.append(text.span, to: &output, escape: escape)
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func escape(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
        switch scalar {
        case "'": output.append(UInt8(ascii: "'"))
        case "\"": output += "\\\"".utf8
        case "\\": output += "\\\\".utf8
        case "\n": output += "\\n".utf8
        case "\r": output += "\\r".utf8
        case "\t": output += "\\t".utf8
        default: appendEscape(of: scalar, to: &output)
        }
    }

    /// Appends the character as one `\u` escape, or as two for a surrogate pair.
    static func appendEscape(of scalar: Unicode.Scalar, to output: inout [UInt8]) {
        for unit in String(Character(scalar)).utf16 { append(unit, to: &output) }
    }

    private static func append(_ unit: UInt16, to output: inout [UInt8]) {
        output += "\\u".utf8
        for shift in [12, 8, 4, 0] as [UInt16] {
            let digit = UInt8(truncatingIfNeeded: unit >> shift & 0xf)
            output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        }
    }
}
