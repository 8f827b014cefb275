extension TextWriter {
    /// Unknown fields by their numbers. What they mean is not known: a length-delimited field is
    /// shown as octets, whatever it may hold.
    static func unknown(_ octets: [UInt8]) -> [String] {
        guard !octets.isEmpty else { return [] }
        return unsafe octets.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return [] }
            // Safe: the decoder lives only inside the closure.
            var decoder = unsafe FieldDecoder(
                start: start, byteCount: buffer.count, options: DecodingOptions())
            var lines: [String] = []
            // What was kept was well-formed when it was read.
            try? decoder.describeUnknown(&lines)
            return lines
        }
    }
}

extension FieldDecoder {
    fileprivate mutating func describeUnknown(_ lines: inout [String]) throws(WireError) {
        var indent = ""
        try nextTag()
        while tag != Tag.end {
            let number = tag &>> 3
            var text = TextWriter()
            switch WireType(rawValue: tag & 7) {
            case .varint: text.value("\(try varint())")
            case .fixed64: text.value("0x" + String(try fixed64(), radix: 16))
            case .fixed32: text.value("0x" + String(try fixed32(), radix: 16))
            case .lengthDelimited: text.quoted(try octets(), isText: false)
            case .startGroup:
                lines.append("\(indent)\(number) {")
                indent += "  "
            case .endGroup:
                indent.removeLast(2)
                lines.append("\(indent)}")
            case nil: throw failure(.invalidTag)
            }
            for value in text.values {
                lines += TextWriter.lines("\(number)", value).map { indent + $0 }
            }
            try nextTag()
        }
    }
}
