/// The options of a TLS connection, for clients and servers.
package struct TLSConfiguration: Sendable {
    package enum Role: Equatable, Sendable { case client, server }

    /// PEM, as text or in a file.
    package enum PEM: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        case text(String)
        case file(String)

        /// Omits the text, which may be a private key.
        package var description: String {
            switch self {
            case .text: "(text)"
            case .file(let path): path
            }
        }

        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The certificate authorities that are trusted.
    package enum Trust: Sendable {
        /// The authorities of the operating system.
        case system
        /// Only the authorities in the text or file.
        case authorities(PEM)
    }

    /// The certificate of this side, followed by intermediate certificates, and its private key.
    package struct Identity: Hashable, Sendable {
        let certificates: PEM
        var privateKey: PEM

        package init(certificates: PEM, privateKey: PEM) {
            self.certificates = certificates
            self.privateKey = privateKey
        }
    }

    package enum Verification: Equatable, Sendable {
        /// The certificate must be trusted, valid now, and issued for the host.
        case full
        /// The certificate must be trusted and valid now. Its names are not verified: the owner of the session
        /// reads them from ``TLSSession/peerNames``.
        case chain
        /// Certificates are not verified, so an active attacker is not detected. For tests.
        case none
    }

    package enum Version: Equatable, Sendable { case tls12, tls13 }

    let role: Role
    package var trust = Trust.system
    package var identity: Identity?
    package var verification = Verification.full
    /// ALPN protocols in order of preference. A server with an empty list ignores the client's list.
    package var applicationProtocols = ["h2"]
    /// Whether a connection fails when ALPN selects no protocol.
    package var requiresApplicationProtocol = true
    var minimumVersion = Version.tls12
    var maximumVersion = Version.tls13
    /// On clients, whether tickets are kept, so that later connections need a shorter handshake.
    package var resumesSessions = true
    /// On servers, whether clients need a certificate that `trust` accepts.
    package var demandsClientCertificate = false
    /// SHA-256 digests of public keys. Unless the set is empty, it must contain the digest of a key of the
    /// peer's verified chain. If certificates are not verified, it must contain the digest of the key of the
    /// peer's own certificate.
    package var pinnedKeyDigests: Set<[UInt8]> = []
    /// The file to which the secrets of all sessions are appended, for a protocol analyser. Nil means no
    /// file.
    package var keyLogFile: String?

    package init(role: Role) { self.role = role }
}
