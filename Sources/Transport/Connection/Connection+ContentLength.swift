// A body must be as long as `content-length` says (RFC 9113 §8.1.1).

extension Connection {
    /// Notes what the header list that just arrived says of its body. False when it says nothing.
    mutating func noteContentLength(of slot: Int) throws(HTTP2Error) -> Bool {
        var length: Int64 = -1
        for field in decodedHeaders.fields where decodedHeaders.isName(field, "content-length") {
            let declared = Self.length(decodedHeaders.octets.span.extracting(field.value))
            // RFC 9110 §8.6: a list of equal lengths may stand for one; different ones may not.
            guard let declared, length < 0 || declared == length else {
                throw .stream(
                    streams[slot].id, .protocolError, "content-length is not one number")
            }
            length = declared
        }
        if length >= 0 { streams[slot].undeliveredByteCount = length }
        return length >= 0
    }

    /// Called when the stream has ended.
    func checkContentLength(of slot: Int) throws(HTTP2Error) {
        guard streams[slot].undeliveredByteCount > 0 else { return }
        throw .stream(streams[slot].id, .protocolError, "less DATA than content-length says")
    }

    /// One or more digits and nothing else; nil also for what no body can be as long as.
    private static func length(_ value: Span<UInt8>) -> Int64? {
        guard (1...18).contains(value.count) else { return nil }
        var length: Int64 = 0
        for index in value.indices {
            let octet = value[index]
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) else { return nil }
            length = length * 10 + Int64(octet - UInt8(ascii: "0"))
        }
        return length
    }
}
