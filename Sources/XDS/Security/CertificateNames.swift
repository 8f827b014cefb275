import SwiftletTransport

/// Which names the certificate of a server must have.
struct CertificateNames: Sendable {
    /// One of them must match one of the names. Empty: the names do not count.
    let matchers: [TextMatcher]
    /// Whether only DNS names count.
    private let isForDNSAlone: Bool

    /// - Parameter sentName: The name that is sent to the server; nil for none.
    init(_ tls: UpstreamTLS, sentName: ByteText?) {
        isForDNSAlone = tls.checksSentName && sentName != nil
        if tls.checksSentName, let sentName {
            // A101: this name, in place of the matchers, "using exact DNS matcher".
            let name = TextMatcher.bytes(sentName.string, ignoringCase: true)
            matchers = [TextMatcher(pattern: .exact(name), ignoresCase: true)]
        } else {
            matchers = tls.names
        }
    }

    /// Why a server with these names is refused; nil if it is not.
    func refusal(of names: [SubjectAlternativeName]) -> String? {
        let candidates = isForDNSAlone ? names.filter(\.isDNS) : names
        guard !matchers.isEmpty,
            !candidates.contains(where: { name in matchers.contains { $0.matches(name) } })
        else { return nil }
        let shown = names.prefix(10).map { "'\(ByteText($0.text))'" }.joined(separator: ", ")
        return names.isEmpty
            ? "it has no name, and the control plane demands one"
            : "none of its names is one that the control plane allows: \(shown)"
    }
}

extension TextMatcher {
    fileprivate func matches(_ name: SubjectAlternativeName) -> Bool {
        let text = name.text
        // A29: "if a SAN entry is empty then the match fails for that entry".
        guard !text.isEmpty else { return false }
        guard case .dns(let bytes) = name, case .exact(let exact) = pattern else {
            return matches(Array(text.utf8))
        }
        // A whole DNS name is compared as in the check of a host: without case, and with a wildcard in the certificate.
        return Self.isName(
            bytes.map(Self.lowercased), of: exact.map(Self.lowercased))
    }

    /// RFC 6125 §6.4.3: only the whole first label can be `*`. It matches any one label.
    private static func isName(_ name: [UInt8], of host: [UInt8]) -> Bool {
        guard name.starts(with: "*.".utf8) else { return name == host }
        guard let dot = host.firstIndex(of: UInt8(ascii: ".")), dot > 0 else { return false }
        // Not for a whole domain such as `*.com`.
        let domain = name.dropFirst()
        return domain.dropFirst().contains(UInt8(ascii: ".")) && host[dot...].elementsEqual(domain)
    }
}

extension SubjectAlternativeName {
    fileprivate var isDNS: Bool { if case .dns = self { true } else { false } }

    /// The name as matchers see it.
    fileprivate var text: String {
        switch self {
        case .dns(let bytes), .uri(let bytes), .email(let bytes):
            String(decoding: bytes, as: UTF8.self)
        case .address(let bytes) where bytes.count == 4:
            bytes.map { "\($0)" }.joined(separator: ".")
        case .address(let bytes) where bytes.count == 16:
            // Without the brackets and the port.
            String(
                SocketAddress.ipv6(SocketAddress.IPv6Bytes(bytes), port: 0).description.utf8
                    .dropFirst().prefix { $0 != UInt8(ascii: "]") }) ?? ""
        case .address: ""
        }
    }
}
