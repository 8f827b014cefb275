/// Finds the characters of a string that its quoted form must escape.
///
/// People read JSON and text of messages in terminals and logs, and the strings in it come from a peer.
/// So a character that could control a terminal or hide other text is escaped in every format. These are the
/// characters of Unicode's general categories control, format, line separator and paragraph separator.
/// Letters of all scripts, accents and emoji are kept.
package enum QuotedText {
    /// Appends UTF-8 to `output`. `escape` writes quotation marks, apostrophes, backslashes and hidden
    /// characters. All other bytes are copied.
    ///
    /// `text` must be valid UTF-8.
    package static func append(
        _ text: Span<UInt8>, to output: inout [UInt8],
        escape: (Unicode.Scalar, inout [UInt8]) -> Void
    ) {
        var copied = 0
        var index = 0
        while index < text.count {
            let byte = text[index]
            if isKept(byte) {
                index &+= 1
                continue
            }
            let (scalar, byteCount) = scalar(of: text, at: index)
            if byte < 0x80 || isHidden(scalar) {
                append(text, copied..<index, to: &output)
                escape(scalar, &output)
                copied = index + byteCount
            }
            index += byteCount
        }
        append(text, copied..<text.count, to: &output)
    }

    private static func append(
        _ text: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8]
    ) {
        // Safe: the buffer is used only inside the closure, and slicing it checks the range.
        unsafe text.withUnsafeBufferPointer { buffer in
            unsafe output.append(contentsOf: buffer[range])
        }
    }

    /// Whether no escaped character begins with the byte. This one test decides about all bytes of ASCII
    /// text, and of most other text.
    @inline(__always)
    private static func isKept(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), 0x7f: false
        // The first bytes of the characters in `isHidden`.
        case 0xc2, 0xd8, 0xdb, 0xdc, 0xe0...0xe2, 0xef, 0xf0, 0xf3: false
        default: true
        }
    }

    /// Whether the character controls a terminal, or has no shape of its own and can hide other text.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1f, 0x7f...0x9f, 0xad, 0x600...0x605, 0x61c, 0x6dd, 0x70f, 0x890...0x891,
            0x8e2,
            0x180e, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x2064, 0x2066...0x206f, 0xfeff,
            0xfff9...0xfffb, 0x110bd, 0x110cd, 0x13430...0x1343f, 0x1bca0...0x1bca3,
            0x1d173...0x1d17a, 0xe0001, 0xe0020...0xe007f:
            true
        default: false
        }
    }

    /// The character that starts at `index`.
    private static func scalar(
        of text: Span<UInt8>, at index: Int
    ) -> (scalar: Unicode.Scalar, byteCount: Int) {
        let first = text[index]
        guard first >= 0x80 else { return (Unicode.Scalar(first), 1) }
        let byteCount = max(2, (~first).leadingZeroBitCount)
        var value = UInt32(first) & (0x7f >> UInt32(byteCount))
        for place in index + 1..<index + byteCount {
            value = value << 6 | UInt32(text[place] & 0x3f)
        }
        return (Unicode.Scalar(value) ?? "\u{fffd}", byteCount)
    }
}
