extension Duration {
    /// Reads `grpc-timeout`: at most eight digits and a unit (PROTOCOL-HTTP2, "Timeout"). Nil if the text is
    /// malformed.
    init?(grpcTimeout text: String) {
        guard text.utf8.count <= 9, let unit = text.utf8.last,
            text.utf8.dropLast().allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int64(text.dropLast())
        else { return nil }
        switch unit {
        case UInt8(ascii: "n"): self = .nanoseconds(count)
        case UInt8(ascii: "u"): self = .microseconds(count)
        case UInt8(ascii: "m"): self = .milliseconds(count)
        case UInt8(ascii: "S"): self = .seconds(count)
        case UInt8(ascii: "M"): self = .seconds(count * 60)
        case UInt8(ascii: "H"): self = .seconds(count * 3_600)
        default: return nil
        }
    }
}
