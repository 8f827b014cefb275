/// Writes strings of protobuf's text format.
package enum TextFormatString {
    /// Appends a quoted string.
    ///
    /// If `isText` is true, the bytes must be UTF-8. Characters above ASCII are then kept, except those that
    /// ``QuotedText/isHidden(_:)`` names. All other bytes that are not printable ASCII are written as octal
    /// escapes, which every reader of the format decodes to the same bytes.
    package static func append(
        _ bytes: Span<UInt8>, to output: inout [UInt8], isText: Bool, escapesApostrophes: Bool
    ) {
        output.append(UInt8(ascii: "\""))
        if isText {
            QuotedText.append(bytes, to: &output) { scalar, output in
                for byte in String(Character(scalar)).utf8 {
                    append(byte, to: &output, escapesApostrophes)
                }
            }
        } else {
            for index in bytes.indices { append(bytes[index], to: &output, escapesApostrophes) }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func append(_ byte: UInt8, to output: inout [UInt8], _ escapesApostrophes: Bool)
    {
        switch byte {
        case UInt8(ascii: "\n"): appendEscape(UInt8(ascii: "n"), to: &output)
        case UInt8(ascii: "\r"): appendEscape(UInt8(ascii: "r"), to: &output)
        case UInt8(ascii: "\t"): appendEscape(UInt8(ascii: "t"), to: &output)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): appendEscape(byte, to: &output)
        case UInt8(ascii: "'") where escapesApostrophes: appendEscape(byte, to: &output)
        case 0x20..<0x7f: output.append(byte)
        default:
            let zero = UInt8(ascii: "0")
            appendEscape(zero + byte >> 6, to: &output)
            output.append(zero + byte >> 3 & 7)
            output.append(zero + byte & 7)
        }
    }

    private static func appendEscape(_ character: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        output.append(character)
    }
}
