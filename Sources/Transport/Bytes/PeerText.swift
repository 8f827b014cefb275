/// Makes text from a peer safe for an error or a log: one line of limited length, without
/// characters that control a terminal or hide other text.
///
/// For text that people read. Data for programs, such as a status message, is kept as the peer sent
/// it.
package enum PeerText {
    /// The default limit of ``clean(_:upTo:)``, in bytes of UTF-8.
    static let maxByteCount = Limits.peerTextByteCount

    /// Replaces each control, format and line-separating character with a space. Cuts text that is
    /// longer than `maxByteCount` bytes of UTF-8, and appends `…`.
    package static func clean(_ text: String, upTo maxByteCount: Int = maxByteCount) -> String {
        if text.utf8.count <= maxByteCount, text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) {
            return text
        }
        var cleaned = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in text.unicodeScalars {
            byteCount += UTF8.width(scalar)
            guard byteCount <= maxByteCount else {
                cleaned.append("…")
                break
            }
            cleaned.append(isHarmless(scalar) ? scalar : " ")
        }
        return String(cleaned)
    }

    /// Cleans a text of several lines, which may contain text from a peer. Keeps newlines and tabs, and cuts
    /// nothing.
    package static func cleanLines(_ text: String) -> String {
        func isKept(_ byte: UInt8) -> Bool {
            (0x20...0x7e).contains(byte) || byte == 0x0a || byte == 0x09
        }
        if text.utf8.allSatisfy(isKept) { return text }
        var cleaned = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isKept = scalar == "\n" || scalar == "\t" || isHarmless(scalar)
            cleaned.append(isKept ? scalar : " ")
        }
        return String(cleaned)
    }

    /// Cleans bytes. Bytes that are not UTF-8 become U+FFFD.
    package static func clean(
        _ bytes: some Collection<UInt8>, upTo maxByteCount: Int = maxByteCount
    ) -> String {
        // One byte more than the limit, so that a longer text is recognised.
        clean(String(decoding: bytes.prefix(maxByteCount + 1), as: UTF8.self), upTo: maxByteCount)
    }

    /// False for characters that control a terminal, or that cannot be seen.
    package static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
