/// Why a TLS connection was not made, or has ended.
package struct TLSError: Error, Equatable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// No OpenSSL was found that can be used.
        case libraryMissing
        /// A certificate, a key or an option of this side is invalid.
        case configuration
        /// This side refused the peer's certificate.
        case certificate
        /// ALPN selected no protocol that this side supports (RFC 7301).
        case applicationProtocol
        /// The peer refused the handshake, or the two sides support no common parameters.
        case handshake
        /// The connection ended without close_notify: bytes may be missing, possibly because of an
        /// attacker.
        case truncated
        /// The peer broke a rule of TLS on an open connection.
        case connection
    }

    package let kind: Kind
    /// A description, without the kind.
    let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}

extension TLSError: CustomStringConvertible {
    package var description: String {
        switch kind {
        case .certificate, .handshake, .applicationProtocol: "TLS handshake: \(message)"
        case .libraryMissing, .configuration, .truncated, .connection: "TLS: \(message)"
        }
    }
}
