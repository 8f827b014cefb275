#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The identity that a server's certificate must have: a DNS name or an address (RFC 9525 §6).
///
/// Names and addresses are verified differently. Only a name is sent as SNI (RFC 6066 §3).
package enum ServerIdentity: Hashable, Sendable {
    /// A name without a dot at its end.
    case name(String)
    /// A numeric address, without brackets and without a zone.
    case address(String)

    /// Nil for text that is neither a name nor an address, such as a name with an empty label.
    ///
    /// - Parameter host: A name, a numeric address, or an IPv6 address in brackets. An IPv6 address may
    ///   have a zone (`fe80::1%eth0`), which has a meaning only on this machine and is removed.
    package init?(host: String) {
        var text = host[...]
        let isBracketed = text.first == "[" && text.last == "]"
        if isBracketed { text = text.dropFirst().dropLast() }
        let address = String(text.prefix { $0 != "%" })
        let isScoped = address.utf8.count < text.utf8.count
        if Self.isAddress(address, AF_INET6) || (!isBracketed && !isScoped && Self.isIPv4(address))
        {
            self = .address(address)
            return
        }
        let name = text.last == "." ? String(text.dropLast()) : String(text)
        guard !isBracketed, !isScoped, !name.utf8.contains(0), !Self.hasEmptyLabel(name)
        else { return nil }
        self = .name(name)
    }

    /// OpenSSL accepts the certificate of any sub-domain for a name that begins with a dot.
    private static func hasEmptyLabel(_ name: String) -> Bool {
        var isEmpty = true
        for byte in name.utf8 {
            if isEmpty, byte == UInt8(ascii: ".") { return true }
            isEmpty = byte == UInt8(ascii: ".")
        }
        return isEmpty
    }

    private static func isIPv4(_ text: String) -> Bool { isAddress(text, AF_INET) }

    private static func isAddress(_ text: String, _ family: CInt) -> Bool {
        guard !text.utf8.contains(0) else { return false }
        // inet_pton writes at most 16 bytes, an IPv6 address.
        var storage = (UInt64(0), UInt64(0))
        return unsafe withUnsafeMutableBytes(of: &storage) {
            unsafe inet_pton(family, text, $0.baseAddress) == 1
        }
    }
}

extension ServerIdentity: CustomStringConvertible {
    package var description: String {
        switch self {
        case .name(let text), .address(let text): text
        }
    }
}
