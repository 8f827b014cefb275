import SwiftletTransport

extension HTTP1 {
    /// Extracts the content of a chunked body (RFC 9112 §7.1).
    struct ChunkReader: Sendable {
        enum Event: Hashable {
            case content(Range<Int>)
            /// The last chunk was read. Trailers follow.
            case end
        }

        private enum Phase {
            case size
            case content(left: UInt64)
            /// The CRLF after the content of a chunk.
            case contentEnd
        }

        private var phase = Phase.size
        private var line = LineReader()
        private var extensionByteCount = 0

        mutating func next(
            in bytes: Span<UInt8>, at offset: inout Int, _ limits: HTTP1Limits
        ) throws(HTTP1Error) -> Event? {
            while offset < bytes.count {
                switch phase {
                case .size:
                    guard
                        try line.next(
                            in: bytes, at: &offset, upTo: limits.maxChunkLineByteCount,
                            "the line in front of a chunk")
                    else { return nil }
                    let size = try readSize(limits)
                    if size == 0 { return .end }
                    phase = .content(left: size)
                case .content(let left):
                    let count = Int(min(left, UInt64(bytes.count - offset)))
                    let range = offset..<offset + count
                    offset += count
                    let rest = left - UInt64(count)
                    phase = rest == 0 ? .contentEnd : .content(left: rest)
                    return .content(range)
                case .contentEnd:
                    guard try readContentEnd(bytes, &offset) else { return nil }
                    phase = .size
                }
            }
            return nil
        }

        private mutating func readContentEnd(
            _ bytes: Span<UInt8>, _ offset: inout Int
        ) throws(HTTP1Error) -> Bool {
            do throws(HTTP1Error) {
                return try line.next(in: bytes, at: &offset, upTo: 0, "the end of a chunk")
            } catch {
                throw HTTP1Error("the content of a chunk is not followed by CRLF")
            }
        }

        /// Reads the size in hexadecimal digits. Skips the extensions that follow it.
        private mutating func readSize(_ limits: HTTP1Limits) throws(HTTP1Error) -> UInt64 {
            let text = line.line
            let digits = text.prefix { Self.value(ofDigit: $0) != nil }
            // 15 digits are below 2⁶⁰. A peer does not send a larger size.
            guard (1...15).contains(digits.count) else {
                throw HTTP1Error("not the size of a chunk: '\(PeerText.clean(text, upTo: 40))'")
            }
            let rest = text[digits.endIndex...]
            extensionByteCount += rest.count
            guard extensionByteCount <= limits.maxExtensionByteCount else {
                throw HTTP1Error(
                    "the chunks have more than \(limits.maxExtensionByteCount) bytes of extensions")
            }
            let begin = rest.first { !FieldLine.isBlank($0) }
            guard rest.isEmpty || begin == UInt8(ascii: ";"),
                FieldLine.isLegal(ContiguousArray(rest).span)
            else {
                throw HTTP1Error("not the size of a chunk: '\(PeerText.clean(text, upTo: 40))'")
            }
            return digits.reduce(0) { $0 << 4 | UInt64(Self.value(ofDigit: $1) ?? 0) }
        }

        private static func value(ofDigit byte: UInt8) -> UInt8? {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
            default: nil
            }
        }
    }
}
