/// An SSL_SESSION that a later connection can resume. Unchecked: OpenSSL counts the references to
/// the session atomically, and the session does not change.
@safe
final class OpenSSLTicket: @unchecked Sendable {
    private let library: OpenSSLLibrary
    private let session: OpaquePointer

    /// Becomes the owner of the caller's reference, and frees it in `deinit`.
    init(adopting session: OpaquePointer, _ library: OpenSSLLibrary) {
        self.library = library
        unsafe self.session = unsafe session
    }

    deinit {
        unsafe library.sslSessionFree(session)
    }

    /// Whether several connections may use the ticket, as with TLS 1.2. A ticket of TLS 1.3 is for
    /// one connection.
    var isReusable: Bool {
        unsafe library.sslSessionGetProtocolVersion(session) < CInt(OpenSSL.TLS1_3_VERSION)
    }

    /// Makes `ssl` offer the ticket in its handshake, which must not have begun.
    func offer(to ssl: OpaquePointer) {
        _ = unsafe library.sslSetSession(ssl, session)
    }
}
