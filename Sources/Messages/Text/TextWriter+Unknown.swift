extension TextWriter {
    /// Writes unknown fields by their numbers. Their types are not known, so a length-delimited field
    /// is shown as bytes.
    mutating func unknown(_ fields: UnknownFields) {
        unsafe fields.bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            // Safe: the decoder is used only inside the closure.
            var decoder = unsafe FieldDecoder(
                start: start, byteCount: buffer.count, options: DecodingOptions())
            do throws(WireError) { try decoder.describeUnknown(&self) } catch {
                // Not expected: the decoder checked the fields before it stored them.
                comment("\(error)")
            }
        }
    }
}

extension FieldDecoder {
    fileprivate mutating func describeUnknown(_ text: inout TextWriter) throws(WireError) {
        var openCount = 0
        try nextTag()
        while tag != Tag.end {
            switch WireType(rawValue: tag & 7) {
            case .varint: text.line("\(tag &>> 3)", "\(try varint())")
            case .fixed64: text.line("\(tag &>> 3)", "0x" + String(try fixed64(), radix: 16))
            case .fixed32: text.line("\(tag &>> 3)", "0x" + String(try fixed32(), radix: 16))
            case .lengthDelimited:
                let bytes = try byteArray()
                text.quoted("\(tag &>> 3)", bytes, isText: false)
            case .startGroup:
                text.open("\(tag &>> 3)")
                openCount += 1
            case .endGroup:
                guard openCount > 0 else { throw failure(.unmatchedGroup) }
                text.close()
                openCount -= 1
            case nil: throw failure(.invalidTag)
            }
            try nextTag()
        }
    }
}

extension UnknownFields: CustomStringConvertible {
    /// The fields by their numbers, in protobuf's text format; empty if there are none.
    public var description: String {
        var text = TextWriter()
        text.unknown(self)
        return text.text
    }
}
