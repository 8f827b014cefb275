import SwiftletTransport

/// TLS between a socket and a link: what is encrypted on one side, and the session that turns it
/// into octets on the other. Used by one thread at a time.
final class SecureLayer {
    private let session: any TLSSession
    private var received = ReceiveBuffer()
    private var ciphertext = GatherList()
    private(set) var isOpen = false
    /// What reading has made us answer, and what the socket has not taken all of.
    private var answeredByteCount = 0
    private static let maxAnsweredByteCount = 64 << 10

    init(_ session: any TLSSession) { self.session = session }
}

extension SecureLayer {
    /// Reads once from the socket and decrypts what that brought, behind what is in `plaintext`.
    func read(
        from socket: borrowing Socket, into plaintext: inout ReceiveBuffer
    ) throws(LinkError) -> LinkWire.ReadOutcome {
        let before = plaintext.count
        do throws(TLSError) {
            let pending = try decrypt(into: &plaintext)
            if pending == .endOfStream { return .endOfStream }
            if plaintext.count > before { return .more }
        } catch {
            send(on: socket)
            throw LinkError(phase: .tls, cause: "\(error)")
        }
        let outcome = try readSocket(socket)
        if outcome == .nothing { return .nothing }
        if outcome == .endOfStream {
            guard let error = session.endOfTransport() else { return .endOfStream }
            let phase: LinkError.Phase = isOpen ? .http2 : .tls
            throw LinkError(phase: phase, cause: "\(error)")
        }
        // What was read is decrypted at the beginning of the next turn of the caller's loop.
        return .more
    }

    private func readSocket(_ socket: borrowing Socket) throws(LinkError) -> LinkWire.ReadOutcome {
        do throws(SystemError) {
            switch try received.read(from: socket) {
            case .bytes: return .more
            case .wouldBlock: return .nothing
            case .endOfStream: return .endOfStream
            case .bufferFull: break
            }
        } catch {
            throw LinkError(phase: isOpen ? .http2 : .tls, cause: "\(error)")
        }
        // The session takes what comes, so this cannot be; it must not become a loop.
        throw LinkError(
            phase: isOpen ? .http2 : .tls, cause: "the receive buffer of TLS has no room left")
    }

    private func decrypt(into plaintext: inout ReceiveBuffer) throws(TLSError) -> TLSReadOutcome {
        if !isOpen {
            guard try shakeHands() else { return .needsMore }
        }
        let before = ciphertext.count
        let outcome = try session.read(&received, into: &plaintext, sending: &ciphertext)
        answeredByteCount += ciphertext.count - before
        guard answeredByteCount <= Self.maxAnsweredByteCount else {
            throw TLSError(.connection, "the peer makes us answer and does not read")
        }
        return outcome
    }

    /// Goes on with the handshake, which is not done yet; true when it is now.
    private func shakeHands() throws(TLSError) -> Bool {
        isOpen = try session.handshake(&received, sending: &ciphertext) == .done
        return isOpen
    }

    /// Encrypts `batch` once the handshake is done, and writes what there is to write. True when
    /// something had to stay behind.
    func write(
        _ batch: inout GatherList, on socket: borrowing Socket
    ) throws(SystemError) -> Bool {
        while true {
            while !ciphertext.isEmpty {
                if try socket.write(gathering: &ciphertext) == .wouldBlock { return true }
            }
            answeredByteCount = 0
            guard isOpen, !batch.isEmpty else { return !batch.isEmpty }
            do throws(TLSError) {
                try session.write(&batch, sending: &ciphertext)
            } catch {
                throw SystemError("write", "\(error)", code: 0)
            }
        }
    }

    /// Octets that wait for the socket.
    var unsentByteCount: Int { ciphertext.count }

    /// Begins the handshake, or sends what the last step of it produced.
    func begin(on socket: borrowing Socket) throws(TLSError) {
        guard !isOpen else { return }
        do throws(TLSError) {
            _ = try shakeHands()
        } catch {
            send(on: socket)
            throw error
        }
        send(on: socket)
    }

    func close(on socket: borrowing Socket) {
        guard isOpen else { return }
        session.close(sending: &ciphertext)
        send(on: socket)
    }

    /// Writes what there is; a socket that takes none of it is not waited for here.
    func send(on socket: borrowing Socket) {
        while !ciphertext.isEmpty {
            guard let outcome = try? socket.write(gathering: &ciphertext), outcome != .wouldBlock
            else { return }
        }
        answeredByteCount = 0
    }

    var hasOutput: Bool { !ciphertext.isEmpty }
}
