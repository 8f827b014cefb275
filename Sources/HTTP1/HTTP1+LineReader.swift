import SwiftletTransport

extension HTTP1 {
    /// Assembles one line from pieces of any size.
    ///
    /// A line ends with CRLF. RFC 9112 §2.2 also allows a single LF. It is refused here: if two
    /// implementations disagree about the end of a line, they disagree about the message.
    struct LineReader: Sendable {
        /// The line so far, without its end.
        private(set) var line: [UInt8] = []
        private var endsInCR = false
        private var isWhole = false

        /// Whether a part of a line has arrived.
        var isInside: Bool { !isWhole && (!line.isEmpty || endsInCR) }

        /// Consumes bytes up to the end of the line. Returns false when the line has no end yet.
        mutating func next(
            in bytes: Span<UInt8>, at offset: inout Int, upTo maxByteCount: Int, _ what: String
        ) throws(HTTP1Error) -> Bool {
            if isWhole { reset() }
            while offset < bytes.count {
                let byte = bytes[offset]
                offset += 1
                if endsInCR {
                    guard byte == 0x0a else { throw HTTP1Error("\(what) has a CR inside") }
                    isWhole = true
                    return true
                }
                switch byte {
                case 0x0d: endsInCR = true
                case 0x0a: throw HTTP1Error("\(what) ends with a bare LF")
                default:
                    guard line.count < maxByteCount else {
                        throw HTTP1Error(
                            "\(what) is longer than \(maxByteCount) bytes", status: 431)
                    }
                    line.append(byte)
                }
            }
            return false
        }

        /// Removes the line.
        mutating func reset() {
            line.removeAll(keepingCapacity: true)
            endsInCR = false
            isWhole = false
        }
    }
}
