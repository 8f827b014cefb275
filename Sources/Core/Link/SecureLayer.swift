import SwiftletTransport

/// TLS between a socket and a link: the session, and the encrypted bytes that wait to be decrypted
/// or sent. Used by one thread at a time.
final class SecureLayer {
    let session: any TLSSession
    private var received = ReceiveBuffer()
    private var ciphertext = GatherList()
    private(set) var isOpen = false
    /// Whether the last read of the socket left room: it had nothing more. The poller reports further bytes.
    private var isDrained = false
    /// The bytes of TLS records that reads have produced since the socket last accepted all output.
    private var answeredByteCount = 0
    private static let maxAnsweredByteCount = 64 << 10

    init(_ session: any TLSSession) { self.session = session }
}

extension SecureLayer {
    /// Decrypts bytes that were received before, and appends them to `plaintext`. If nothing can be
    /// decrypted, reads once from the socket, and decrypts what it had.
    ///
    /// - Parameter endsWhenDrained: Whether the socket is not read again after a read of this turn that left room.
    ///   False for the first read of a turn.
    func read(
        from socket: borrowing Socket, into plaintext: inout ReceiveBuffer, endsWhenDrained: Bool
    ) throws(LinkError) -> LinkWire.Read {
        if !endsWhenDrained { isDrained = false }
        let earlier = try decryptReceived(into: &plaintext, socket)
        guard earlier.outcome == .nothing, !isDrained else { return earlier }
        let outcome = try readSocket(socket)
        if outcome == .endOfStream {
            guard let error = session.endOfTransport() else { return LinkWire.Read(.endOfStream) }
            let phase: LinkError.Phase = isOpen ? .http2 : .tls
            throw LinkError(phase: phase, cause: "\(error)")
        }
        // The next call goes on with the handshake.
        guard outcome == .more, isOpen else {
            return LinkWire.Read(outcome, byteCount: earlier.byteCount)
        }
        isDrained = !received.wasFilled
        let read = try decryptReceived(into: &plaintext, socket)
        // The caller limits a turn: a session may take bytes without end, and give no content.
        return read.outcome == .nothing ? LinkWire.Read(.more, byteCount: read.byteCount) : read
    }

    /// The outcome is `.nothing` if there was nothing to decrypt. The bytes are those that the session took.
    private func decryptReceived(
        into plaintext: inout ReceiveBuffer, _ socket: borrowing Socket
    ) throws(LinkError) -> LinkWire.Read {
        let (receivedCount, plaintextCount) = (received.count, plaintext.count)
        do throws(TLSError) {
            let outcome = try decrypt(into: &plaintext)
            if outcome == .endOfStream { return LinkWire.Read(.endOfStream) }
            let isMore = outcome == .withoutContent || plaintext.count > plaintextCount
            return LinkWire.Read(
                isMore ? .more : .nothing, byteCount: receivedCount - received.count)
        } catch {
            send(on: socket)
            throw LinkError(phase: .tls, cause: "\(error)")
        }
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
            throw LinkError(phase: isOpen ? .http2 : .tls, error)
        }
        // Not reachable, because the session consumes all bytes in the buffer. Throws, so that an
        // error here is not an endless loop.
        throw LinkError(
            phase: isOpen ? .http2 : .tls, cause: "the receive buffer of TLS is full")
    }

    private func decrypt(into plaintext: inout ReceiveBuffer) throws(TLSError) -> TLSReadOutcome {
        if !isOpen {
            // The read that completes the handshake decrypts nothing: the next owner of the connection does.
            return try shakeHands() ? .withoutContent : .needsMore
        }
        let before = ciphertext.count
        let outcome = try session.read(&received, into: &plaintext, sending: &ciphertext)
        answeredByteCount += ciphertext.count - before
        guard answeredByteCount <= Self.maxAnsweredByteCount else {
            throw TLSError(
                .connection,
                "the peer caused more than \(Self.maxAnsweredByteCount) bytes of TLS replies "
                    + "and did not read them")
        }
        return outcome
    }

    /// Continues the handshake; true if it is complete.
    private func shakeHands() throws(TLSError) -> Bool {
        isOpen = try session.handshake(&received, sending: &ciphertext) == .done
        return isOpen
    }

    /// Encrypts `batch` after the handshake, and writes the encrypted bytes. True if not all bytes
    /// were written.
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

    /// Bytes that the socket did not accept yet.
    var unsentByteCount: Int { ciphertext.count }

    /// Begins the handshake, or sends the output of its last step.
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

    /// Writes what the socket accepts, without waiting.
    func send(on socket: borrowing Socket) {
        while !ciphertext.isEmpty {
            guard let outcome = try? socket.write(gathering: &ciphertext), outcome != .wouldBlock
            else { return }
        }
        answeredByteCount = 0
    }

    var hasOutput: Bool { !ciphertext.isEmpty }
}
