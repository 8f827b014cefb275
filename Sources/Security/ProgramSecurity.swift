import SwiftletCore
package import SwiftletTransport

/// Adapts a ``ChannelSecurity`` of the program to `TLSProvider`.
package struct ProgramSecurity: TLSProvider {
    private let security: any ChannelSecurity
    /// Whether the sessions are TLS, whose handshake must choose HTTP/2, and whose end is announced.
    private let isTLS: Bool
    /// Whether a handshake without certificates of the peer fails.
    private let needsCertificates: Bool
    /// Whether a call may be addressed only to hosts that the peer has proved to be.
    private let verifiesNames: Bool

    package init(_ security: any ChannelSecurity) {
        self.security = security
        isTLS = false
        needsCertificates = false
        verifiesNames = true
    }

    /// TLS by an engine of the program, which has made `context`.
    init(_ context: any ChannelSecurity, _ options: TLSOptions) {
        security = context
        isTLS = true
        needsCertificates = options.verification != nil
        verifiesNames = options.verifiesCertificates
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
                isTLS: isTLS, needsCertificates: needsCertificates, verifiesNames: verifiesNames)
        } catch {
            throw TLSError(.configuration, Self.text(error))
        }
    }

    /// The description of the program's error, which may contain text of the peer.
    static func text(_ error: any Error) -> String {
        PeerText.clean((error as? RPCError)?.message ?? "\(error)")
    }
}
