/// Why a secure connection did not come about, or ended.
package struct TLSError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// This machine has no library that speaks TLS.
        case libraryMissing
        /// A certificate, a key or an option of ours is of no use.
        case configuration
        /// The peer's certificate was not accepted by us.
        case certificate
        /// No protocol was agreed on that we speak (RFC 7301).
        case applicationProtocol
        /// The peer refused us, or the two could not agree.
        case handshake
        /// The transport ended without a word from the peer: octets may be missing, and an
        /// attacker may have taken them.
        case truncated
        /// The peer broke a rule of TLS on an open connection.
        case connection
    }

    package let kind: Kind
    /// In words, without the kind.
    package let message: String

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
