import SwiftletTransport

/// TLS of a raw peer's connection, one blocking step at a time.
final class RawSecureLayer {
    private let session: OpenSSLSession
    private var received = ReceiveBuffer()

    init(_ session: OpenSSLSession) { self.session = session }
}

extension RawSecureLayer {
    func handshake(over connection: RawConnection) throws(RawPeerGone) {
        while true {
            var ciphertext = GatherList()
            let progress = try? session.handshake(&received, sending: &ciphertext)
            try connection.write(&ciphertext)
            switch progress {
            case .done: return
            case .needsMore: try connection.receiveFromSocket(&received)
            case nil: throw RawPeerGone()
            }
        }
    }

    /// Replaces the plaintext in `list` by TLS records.
    func encrypt(_ list: inout GatherList) throws(RawPeerGone) {
        var ciphertext = GatherList()
        guard (try? session.write(&list, sending: &ciphertext)) != nil else { throw RawPeerGone() }
        list.append(moving: &ciphertext)
    }

    func updateKeys(sending list: inout GatherList) throws(RawPeerGone) {
        guard session.updateKeys(sending: &list) else { throw RawPeerGone() }
    }

    /// Appends at least one byte to `buffer`.
    func receive(
        _ buffer: inout ReceiveBuffer, over connection: RawConnection
    ) throws(RawPeerGone) {
        while true {
            var ciphertext = GatherList()
            let outcome = try? session.read(&received, into: &buffer, sending: &ciphertext)
            try connection.write(&ciphertext)
            switch outcome {
            case .bytes, .bufferFull: return
            case .withoutContent: break
            case .needsMore: try connection.receiveFromSocket(&received)
            case .endOfStream, nil: throw RawPeerGone()
            }
        }
    }
}
