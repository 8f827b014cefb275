/// One end of a secure connection, without the connection: ciphertext goes in and comes out of
/// buffers, and whoever owns the socket moves it.
///
/// An implementation is used by one thread at a time, as a connection's owner guarantees. All
/// ciphertext that a step produced is in its `ciphertext` list even when the step throws: the
/// alert that tells the peer why should still be sent.
package protocol TLSSession: AnyObject, Sendable {
    /// Goes on with the handshake, with what of the peer's is unread in `received`.
    func handshake(
        _ received: inout ReceiveBuffer, sending ciphertext: inout GatherList
    ) throws(TLSError) -> TLSHandshakeProgress

    /// Decrypts what is unread in `received` to behind what is unread in `plaintext`, until
    /// either is used up. What is left of a record stays with the session.
    func read(
        _ received: inout ReceiveBuffer, into plaintext: inout ReceiveBuffer,
        sending ciphertext: inout GatherList
    ) throws(TLSError) -> TLSReadOutcome

    /// Encrypts all of `plaintext` and empties it. After the handshake only.
    func write(
        _ plaintext: inout GatherList, sending ciphertext: inout GatherList
    ) throws(TLSError)

    /// Tells the peer that this was all (close_notify).
    func close(sending ciphertext: inout GatherList)

    /// What to make of the end of the transport's stream; nil when the peer had announced it.
    func endOfTransport() -> TLSError?

    /// Of ALPN: "h2". Nil until the handshake is done, or when the peer knows no ALPN.
    var negotiatedProtocol: String? { get }

    /// As the peer sent them, in DER, its own first. Empty when it has none or was resumed
    /// without.
    var peerCertificates: [[UInt8]] { get }

    /// For people: "TLSv1.3".
    var protocolVersion: String { get }

    /// True when an earlier connection's secrets saved the certificates and a round trip.
    var isResumed: Bool { get }
}

package enum TLSHandshakeProgress: Hashable, Sendable {
    /// Send what there is to send; go on when more was received.
    case needsMore
    case done
}

package enum TLSReadOutcome: Hashable, Sendable {
    /// That many octets were added, at least one; everything received was used.
    case bytes(Int)
    /// Everything received was used, and made no octet.
    case needsMore
    /// The plaintext buffer is full: consume, then read again before anything is received.
    case bufferFull
    /// The peer announced its end, in order.
    case endOfStream
}

/// Makes sessions; what differs between TLS libraries begins here.
package protocol TLSProvider: Sendable {
    /// - Parameter host: As a client, the name or the address in digits that the server's
    ///   certificate must be for. A server leaves it out.
    func makeSession(host: String?) throws(TLSError) -> any TLSSession
}
