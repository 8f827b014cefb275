extension HeaderRules {
    /// What the rules say of one field without looking at its neighbours. It is found once for a
    /// field of a compression table and travels with it, so that a field which arrives with each
    /// message is not read again each time.
    package enum Verdict: UInt8, Sendable {
        case unchecked
        case regular
        case method, connectMethod, scheme, authority, path, status
        case unknownPseudoHeader
        case badName, badValue, badStatus, emptyPath
        case connectionSpecific
        case teOtherThanTrailers
    }

    /// The verdict on `field`, whose octets lie in `octets`.
    package static func verdict(on field: HeaderList.Field, in octets: Span<UInt8>) -> Verdict {
        let name = octets.extracting(field.name)
        let value = octets.extracting(field.value)
        guard isLegal(value: value) else { return .badValue }
        if !name.isEmpty, name[0] == UInt8(ascii: ":") { return pseudoHeader(name, value) }
        guard isLegal(name: name) else { return .badName }
        return regular(name, value)
    }

    private static func pseudoHeader(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Verdict {
        if name.equals(":method") { return value.equals("CONNECT") ? .connectMethod : .method }
        if name.equals(":scheme") { return .scheme }
        if name.equals(":authority") { return .authority }
        if name.equals(":path") { return value.isEmpty ? .emptyPath : .path }
        if name.equals(":status") { return status(value) == nil ? .badStatus : .status }
        return .unknownPseudoHeader
    }

    /// RFC 9113 §8.2.2 names the fields that speak of the connection, which HTTP/2 frames itself.
    private static func regular(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Verdict {
        switch name.count {
        case 2:
            return name.equals("te") && !value.equals("trailers") ? .teOtherThanTrailers : .regular
        case 7: return name.equals("upgrade") ? .connectionSpecific : .regular
        case 10:
            return name.equals("connection") || name.equals("keep-alive")
                ? .connectionSpecific : .regular
        case 16: return name.equals("proxy-connection") ? .connectionSpecific : .regular
        case 17: return name.equals("transfer-encoding") ? .connectionSpecific : .regular
        default: return .regular
        }
    }

    /// The status code that `value` spells: three digits (RFC 9110 §15).
    static func status(_ value: Span<UInt8>) -> Int? {
        guard value.count == 3 else { return nil }
        var code = 0
        for index in value.indices {
            guard (0x30...0x39).contains(value[index]) else { return nil }
            code = code * 10 + Int(value[index] & 0x0f)
        }
        return code >= 100 ? code : nil
    }

    // MARK: - Octets

    /// §8.2.1: no control characters, spaces, capitals or octets beyond ASCII; a colon only in
    /// front of a pseudo-header. One loop without an early end, which the compiler vectorises.
    private static func isLegal(name: Span<UInt8>) -> Bool {
        var isBad = name.isEmpty
        for index in name.indices {
            let octet = name[index]
            isBad =
                isBad || octet <= 0x20 || octet >= 0x7f || octet &- 0x41 < 26
                || octet == UInt8(ascii: ":")
        }
        return !isBad
    }

    /// §8.2.1: no NUL, CR or LF. Blanks at the ends, which it forbids as well, are let through:
    /// servers send them, and who reads the value can take them off without harm.
    private static func isLegal(value: Span<UInt8>) -> Bool {
        var isBad = false
        for index in value.indices {
            let octet = value[index]
            isBad = isBad || octet == 0 || octet == 0x0a || octet == 0x0d
        }
        return !isBad
    }
}
