/// One end of a TLS connection without its socket: the owner of the socket moves ciphertext between it
/// and the buffers of the session.
///
/// The owner uses a session on one thread at a time. Even if a step throws, `ciphertext` contains the bytes
/// that it produced. They may be an alert for the peer, and should be sent.
package protocol TLSSession: AnyObject, Sendable {
    /// Continues the handshake with the unread bytes in `received`.
    func handshake(
        _ received: inout ReceiveBuffer, sending ciphertext: inout GatherList
    ) throws(TLSError) -> TLSHandshakeProgress

    /// Decrypts unread bytes of `received` and appends them to `plaintext`. The outcome says whether to read
    /// again before more bytes are received. The session keeps the rest of a record.
    func read(
        _ received: inout ReceiveBuffer, into plaintext: inout ReceiveBuffer,
        sending ciphertext: inout GatherList
    ) throws(TLSError) -> TLSReadOutcome

    /// Encrypts all of `plaintext` and empties it. Call it only after the handshake.
    func write(
        _ plaintext: inout GatherList, sending ciphertext: inout GatherList
    ) throws(TLSError)

    /// Sends close_notify.
    func close(sending ciphertext: inout GatherList)

    /// The error if the connection ends now. Nil if the peer has sent close_notify.
    func endOfTransport() -> TLSError?

    /// The protocol that ALPN selected, such as "h2". Nil before the end of the handshake, or if the peer
    /// does not support ALPN.
    var negotiatedProtocol: String? { get }

    /// The peer's certificates in DER, its own certificate first. Empty if the peer has none, or if the
    /// session was resumed without them.
    var peerCertificates: [[UInt8]] { get }

    /// The verified chain from the peer's certificate to an authority, in DER. If certificates are not
    /// verified, the certificates that the peer sent. Empty if the session was resumed.
    var verifiedCertificates: [[UInt8]] { get }

    /// The subject alternative names of the peer's own certificate, also if the session was resumed. Empty if
    /// there are none, or if the library of TLS does not report them.
    var peerNames: [SubjectAlternativeName] { get }

    /// Whether the peer's certificate is also valid for `identity`, in addition to the session's own host.
    /// True if the names of the certificate are not verified.
    func isPeer(_ identity: ServerIdentity) -> Bool

    /// The version of TLS, for logs: "TLSv1.3".
    var protocolVersion: String { get }

    /// Whether a ticket of an earlier session was used. Such a handshake sends no certificates.
    var isResumed: Bool { get }
}

extension TLSSession {
    package var verifiedCertificates: [[UInt8]] { peerCertificates }
    package var peerNames: [SubjectAlternativeName] { [] }
}

package enum TLSHandshakeProgress: Equatable, Sendable {
    /// Send the ciphertext. Continue when more bytes were received.
    case needsMore
    case done
}

package enum TLSReadOutcome: Equatable, Sendable {
    /// This number of bytes was added; at least one. Read again before more is received.
    case bytes(Int)
    /// The step used a record without application data. Read again before more is received.
    case withoutContent
    /// Nothing was added. At most the beginning of a record is left in the received bytes.
    case needsMore
    /// The plaintext buffer is full. Consume it, then read again before more is received.
    case bufferFull
    /// The peer sent close_notify.
    case endOfStream
}

/// Makes sessions of one TLS library.
package protocol TLSProvider: Sendable {
    /// - Parameters:
    ///   - host: On a client, the name that is sent as SNI (an address is not sent), and that the server's
    ///     certificate must have if the configuration verifies names. Nil on a server, and on a client that
    ///     neither sends nor verifies a name.
    ///   - protocols: The application protocols (ALPN) that this client offers, in order of preference. The
    ///     server may select none of them. Nil means the protocols of the configuration, with its rules.
    func makeSession(
        host: String?, offering protocols: [String]?
    ) throws(TLSError) -> any TLSSession
}

extension TLSProvider {
    package func makeSession(host: String?) throws(TLSError) -> any TLSSession {
        try makeSession(host: host, offering: nil)
    }
}
