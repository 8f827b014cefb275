extension HeaderRules {
    /// The result of checking one field alone. Fields in a compression table store it, so that a
    /// field that arrives with every message is checked once.
    enum Verdict: UInt8, Sendable {
        case unchecked
        case regular
        case method, connectMethod, scheme, authority, path, status
        case unknownPseudoHeader
        case badName, badValue, badStatus, emptyPath
        case connectionSpecific
        case teOtherThanTrailers
    }

    /// Checks `field`, whose bytes are in `bytes`.
    static func verdict(on field: HeaderList.Field, in bytes: Span<UInt8>) -> Verdict {
        let name = bytes.extracting(field.name)
        let value = bytes.extracting(field.value)
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

    /// RFC 9113 §8.2.2: fields about the connection are not allowed, because HTTP/2 has frames for
    /// them.
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

    /// The status code in `value`: three digits (RFC 9110 §15).
    package static func status(_ value: Span<UInt8>) -> Int? {
        guard value.count == 3 else { return nil }
        var code = 0
        for index in value.indices {
            guard (0x30...0x39).contains(value[index]) else { return nil }
            code = code * 10 + Int(value[index] & 0x0f)
        }
        return code >= 100 ? code : nil
    }

    // MARK: - Bytes

    /// §8.2.1: no control characters, spaces, capitals or bytes beyond ASCII; a colon only at the
    /// start of a pseudo-header. The loop does not end early, so that the compiler vectorises it.
    private static func isLegal(name: Span<UInt8>) -> Bool {
        var isBad = name.isEmpty
        for index in name.indices {
            let byte = name[index]
            isBad =
                isBad || byte <= 0x20 || byte >= 0x7f || byte &- 0x41 < 26
                || byte == UInt8(ascii: ":")
        }
        return !isBad
    }

    /// §8.2.1: no NUL, CR or LF. The rule also forbids spaces at the ends. They are accepted,
    /// because servers send them, and readers can remove them.
    private static func isLegal(value: Span<UInt8>) -> Bool {
        var isBad = false
        for index in value.indices {
            let byte = value[index]
            isBad = isBad || byte == 0 || byte == 0x0a || byte == 0x0d
        }
        return !isBad
    }
}
