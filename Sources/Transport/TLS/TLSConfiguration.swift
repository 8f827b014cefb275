/// What both ends of a secure connection must know before there is one.
package struct TLSConfiguration: Hashable, Sendable {
    package enum Role: Hashable, Sendable { case client, server }

    /// PEM, as text or in a file.
    package enum PEM: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        case text(String)
        case file(String)

        /// Without the text, which may be a private key.
        package var description: String {
            switch self {
            case .text: "(text)"
            case .file(let path): path
            }
        }

        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Whose signatures count.
    package enum Trust: Hashable, Sendable {
        /// Those that the system's administrator trusts.
        case system
        /// Those in the text or file, and no others.
        case authorities(PEM)
    }

    /// Who we are: our certificate first, then those between it and an authority's.
    package struct Identity: Hashable, Sendable {
        package var certificates: PEM
        package var privateKey: PEM

        package init(certificates: PEM, privateKey: PEM) {
            self.certificates = certificates
            self.privateKey = privateKey
        }
    }

    package enum Verification: Hashable, Sendable {
        /// The certificate must be trusted, valid now, and for the host asked for.
        case full
        /// Anybody may answer: there is no security against an active attacker. For tests.
        case none
    }

    package enum Version: Hashable, Sendable { case tls12, tls13 }

    package var role: Role
    package var trust = Trust.system
    package var identity: Identity?
    package var verification = Verification.full
    /// Replaces the host in SNI and in the check of the certificate.
    package var serverNameOverride: String?
    /// In order of preference. A server with an empty list ignores the peer's.
    package var applicationProtocols = ["h2"]
    /// False lets a connection through on which no protocol was agreed.
    package var requiresApplicationProtocol = true
    package var minimumVersion = Version.tls12
    package var maximumVersion = Version.tls13
    /// Clients: keep the servers' tickets, and begin the next connection with one.
    package var resumesSessions = true
    /// Servers: refuse clients without a certificate that `trust` accepts.
    package var demandsClientCertificate = false
    /// Where the secrets of every session are appended, for a protocol analyser.
    package var keyLogFile: String?

    package init(role: Role) { self.role = role }
}
