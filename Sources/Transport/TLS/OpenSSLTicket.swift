/// An SSL_SESSION: what a later connection may begin with. Its references are counted atomically,
/// and it is not changed any more: safe to share.
@safe
final class OpenSSLTicket: @unchecked Sendable {
    private let library: OpenSSLLibrary
    private let session: OpaquePointer

    /// Takes over the caller's reference.
    init(adopting session: OpaquePointer, _ library: OpenSSLLibrary) {
        self.library = library
        unsafe self.session = unsafe session
    }

    deinit {
        unsafe library.sslSessionFree(session)
    }

    /// Those of TLS 1.2 may be; the later ones are for one connection each.
    var isReusable: Bool { unsafe library.sslSessionGetProtocolVersion(session) < 0x0304 }

    /// Offers the ticket in the handshake that `ssl` is about to begin.
    func offer(to ssl: OpaquePointer) {
        _ = unsafe library.sslSetSession(ssl, session)
    }
}
