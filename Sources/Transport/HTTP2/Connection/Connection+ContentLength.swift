// Checks that a body has the length that `content-length` declares (RFC 9113 §8.1.1).

extension Connection {
    /// Notes the `content-length` of the header list that just arrived. Returns false if the list has none.
    mutating func noteContentLength(of slot: Int) throws(HTTP2Error) -> Bool {
        let list = receivedHeaders
        var length: Int64 = -1
        for field in list.fields where list.isName(field, "content-length") {
            let declared = Self.length(list.bytes.contiguous.span.extracting(field.value))
            // RFC 9110 §8.6: several equal lengths are allowed; different ones are not.
            guard let declared, length < 0 || declared == length else {
                throw .stream(
                    streams[slot].id, .protocolError, "content-length is not one number")
            }
            length = declared
        }
        guard length >= 0 else { return false }
        streams[slot].undeliveredByteCount = isBodiless(list, slot) ? 0 : length
        return true
    }

    /// Whether the list belongs to a response without a body, even if it declares a length (RFC 9113 §8.1.1,
    /// RFC 9110 §8.6).
    private func isBodiless(_ list: HeaderList, _ slot: Int) -> Bool {
        guard configuration.role == .client else { return false }
        if streams[slot].hasBodilessResponse { return true }
        let status = HeaderRules.status(of: list)
        return status == 204 || status == 304
    }

    /// Checks the length of a body. Called when the stream has ended.
    func checkContentLength(of slot: Int) throws(HTTP2Error) {
        guard streams[slot].undeliveredByteCount > 0 else { return }
        throw .stream(streams[slot].id, .protocolError, "less DATA than content-length says")
    }

    /// Reads one or more digits. Returns nil for any other text, and for a length that no body can have.
    private static func length(_ value: Span<UInt8>) -> Int64? {
        guard (1...18).contains(value.count) else { return nil }
        var length: Int64 = 0
        for index in value.indices {
            let digit = value[index]
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            length = length * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return length
    }
}
