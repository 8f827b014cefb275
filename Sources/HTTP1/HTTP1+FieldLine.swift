import SwiftletTransport

extension HTTP1 {
    /// The fields of a head that concern the connection and the framing. As in HTTP/2 (RFC 9113
    /// §8.2.2), the header list does not contain them, except for `content-length`.
    struct ConnectionFields: Sendable {
        var contentLength: UInt64?
        var transferEncoding: [UInt8]?
        var asksToClose = false
        var asksToKeepAlive = false
        var expectsContinue = false
        var host: String?
    }

    /// Reads one field line (RFC 9112 §5).
    enum FieldLine {
        /// Adds the field to `list`, or to `connection` if it concerns the connection or the
        /// framing.
        static func read(
            _ line: [UInt8], into list: inout HeaderList, _ connection: inout ConnectionFields
        ) throws(HTTP1Error) {
            let bytes = line.contiguous.span
            let (name, range) = try split(bytes)
            // Compared as bytes. Strings with many combining marks are compared in quadratic time.
            let value = bytes.extracting(range)
            switch name {
            case "content-length":
                guard connection.contentLength == nil else {
                    throw HTTP1Error("the message has more than one content-length")
                }
                let text = String(decoding: line[range], as: UTF8.self)
                connection.contentLength = try length(text)
                list.append(name, text)
            case "transfer-encoding":
                guard connection.transferEncoding == nil else {
                    throw HTTP1Error("the message has more than one transfer-encoding")
                }
                connection.transferEncoding = Array(line[range])
            case "connection":
                for option in line[range].split(separator: UInt8(ascii: ",")) {
                    let option = bytes.extracting(trimmingBlanks(option.indices, in: bytes))
                    if option.equals(ignoringCase: "close") { connection.asksToClose = true }
                    if option.equals(ignoringCase: "keep-alive") {
                        connection.asksToKeepAlive = true
                    }
                }
            case "keep-alive", "proxy-connection", "upgrade": break
            case "host":
                guard connection.host == nil else {
                    throw HTTP1Error("the request has more than one host")
                }
                connection.host = String(decoding: line[range], as: UTF8.self)
            case "expect":
                guard value.equals(ignoringCase: "100-continue") else {
                    throw HTTP1Error(
                        "the expectation '\(PeerText.clean(line[range]))' is unknown", status: 417)
                }
                connection.expectsContinue = true
            default: list.append(name: ContiguousArray(name.utf8).span, value: value)
            }
        }

        /// Adds a trailer field, which follows a chunked body. Throws for a field that would change
        /// the framing or the address of the message (RFC 9110 §6.5.1).
        static func readTrailer(
            _ line: [UInt8], into list: inout HeaderList
        ) throws(HTTP1Error) {
            var connection = ConnectionFields()
            try read(line, into: &list, &connection)
            guard connection.contentLength == nil, connection.transferEncoding == nil,
                connection.host == nil
            else {
                throw HTTP1Error("a trailer has a field that belongs into the head")
            }
        }

        /// The name in lower case, which is ASCII, and the range of the value without the blanks around it.
        private static func split(
            _ line: Span<UInt8>
        ) throws(HTTP1Error) -> (name: String, value: Range<Int>) {
            var colon = 0
            while colon < line.count, line[colon] != UInt8(ascii: ":") {
                // RFC 9112 §5.1, §5.2: implementations treat a blank before the colon, and a folded
                // line, in different ways. So both are refused.
                guard isToken(line[colon]) else {
                    throw HTTP1Error("the name of a field has a byte that is not allowed in names")
                }
                colon += 1
            }
            guard colon > 0, colon < line.count else {
                throw HTTP1Error("a field line has no name or no colon")
            }
            let value = trimmingBlanks(colon + 1..<line.count, in: line)
            guard isLegal(line.extracting(value)) else {
                throw HTTP1Error("the value of a field has a control character")
            }
            let name = String(decoding: [UInt8](copying: line.extracting(0..<colon)), as: UTF8.self)
            return (name.asciiLowercased, value)
        }

        private static func trimmingBlanks(_ range: Range<Int>, in line: Span<UInt8>) -> Range<Int>
        {
            var (start, end) = (range.lowerBound, range.upperBound)
            while start < end, isBlank(line[start]) { start += 1 }
            while end > start, isBlank(line[end - 1]) { end -= 1 }
            return start..<end
        }

        /// Parses a content-length (RFC 9110 §8.6): digits only, without a sign, a list or an
        /// overflow.
        private static func length(_ text: String) throws(HTTP1Error) -> UInt64 {
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let length = UInt64(text), length <= UInt64(Int64.max)
            else {
                throw HTTP1Error("not a content-length: '\(PeerText.clean(text, upTo: 40))'")
            }
            return length
        }

        static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

        /// RFC 9110 §5.5: visible characters, blanks, and bytes above ASCII.
        static func isLegal(_ value: Span<UInt8>) -> Bool {
            for index in value.indices {
                let byte = value[index]
                if byte < 0x20 && byte != 0x09 || byte == 0x7f { return false }
            }
            return true
        }

        /// Whether a token may contain the byte (RFC 9110 §5.6.2).
        static func isToken(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2d, 0x2e, 0x5e...0x60, 0x7c, 0x7e: true
            default: false
            }
        }
    }
}

extension String {
    /// Changes only A–Z.
    var asciiLowercased: String {
        guard utf8.contains(where: { (0x41...0x5a).contains($0) }) else { return self }
        return String(
            decoding: utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
