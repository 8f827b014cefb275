package import SwiftletTransport
import Synchronization

/// Adapts a ``ChannelSecurity`` of the program to `TLSProvider`.
package struct ProgramSecurity: TLSProvider {
    private let security: any ChannelSecurity
    /// Whether the sessions are TLS, whose handshake must choose HTTP/2, and whose end is announced.
    private let isTLS: Bool
    /// Whether a handshake without certificates of the peer fails.
    private let needsCertificates: Bool

    package init(
        _ security: any ChannelSecurity, isTLS: Bool = false, needsCertificates: Bool = false
    ) {
        self.security = security
        self.isTLS = isTLS
        self.needsCertificates = needsCertificates
    }

    package func makeSession(
        host: String?, offering protocols: [String]?
    ) throws(TLSError) -> any TLSSession {
        let offer = ProtocolOffer(protocols ?? ["h2"], isRequired: isTLS && protocols == nil)
        let context = SecurityContext(
            host.map { .client(host: $0) } ?? .server, applicationProtocols: offer.names)
        do {
            return ProgramSession(
                try security.makeSession(context), host.flatMap { ServerIdentity(host: $0) }, offer,
                isTLS: isTLS, needsCertificates: needsCertificates)
        } catch {
            throw TLSError(.configuration, Self.text(error))
        }
    }

    /// The description of the program's error, which may contain text of the peer.
    static func text(_ error: any Error) -> String {
        PeerText.clean((error as? RPCError)?.message ?? "\(error)")
    }
}
