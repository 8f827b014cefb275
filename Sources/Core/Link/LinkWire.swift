package import SwiftletTransport
import Synchronization

/// The transport of a link: a socket, with or without TLS.
///
/// The descriptor is closed when the link is released, not before. Another thread may be writing to
/// it, and after a close, the system could give its number to another file.
package struct LinkWire: ~Copyable, Sendable {
    private let socket: Socket
    private let token = Mutex<UInt64?>(nil)
    /// The lock is held while records are made and written: their order on the socket must be their
    /// order in the session. Nil without TLS.
    private let secure: Mutex<SecureLayer?>
    package let isSecure: Bool
    /// The outcome of a read that left room in its buffer. Most sockets have nothing more then. One of a virtual machine
    /// may give one packet for each read, and is reported once for all of them.
    private let outcomeWithRoom: ReadOutcome

    package init(_ socket: consuming Socket, _ session: (any TLSSession)? = nil) {
        outcomeWithRoom = if case .vsock? = try? socket.localAddress() { .more } else { .last }
        self.socket = socket
        isSecure = session != nil
        secure = Mutex(session.map(SecureLayer.init))
    }
}

extension LinkWire {
    package enum ReadOutcome: Equatable {
        /// Bytes were added, or the next read may add some.
        case more
        /// Bytes were added. The poller reports further ones.
        case last
        case nothing
        case endOfStream
    }

    /// The result of a read.
    package struct Read {
        package let outcome: ReadOutcome
        /// The bytes that the read processed, which count toward the limit of a turn: bytes of the
        /// socket without TLS, and decrypted bytes with TLS, even if they contained no application
        /// data.
        package let byteCount: Int

        init(_ outcome: ReadOutcome, byteCount: Int = 0) {
            self.outcome = outcome
            // Every read counts as at least 1 KiB: without a result, it may have processed a TLS
            // record without content.
            self.byteCount = max(byteCount, Self.leastByteCount)
        }

        private static let leastByteCount = 1_024
    }

    /// The client's address; nil if the system does not report it.
    var localAddress: SocketAddress? { try? socket.localAddress() }

    /// The system's measurements of the TCP connection; nil if it reports none.
    var tcpInfo: TCPInfo? { socket.tcpInfo }

    package func watch(
        by loop: EventLoop, for target: any Pollable
    ) throws(SystemError) {
        let token = try loop.add(socket.descriptor, target)
        self.token.withLock { $0 = token }
    }

    /// Stops watching, for another owner of the connection.
    func unwatch(by loop: EventLoop) {
        if let token = token.withLock({ $0.take() }) { loop.remove(socket.descriptor, token) }
    }

    /// Begins the TLS handshake, if there is one.
    package func begin() throws(LinkError) {
        guard isSecure else { return }
        do throws(TLSError) {
            try secure.withLock { (secure) throws(TLSError) in try secure?.begin(on: socket) }
        } catch {
            throw LinkError(phase: .tls, cause: "\(error)")
        }
    }

    /// Shuts both directions down, with a close_notify over TLS.
    package func close(on loop: EventLoop) {
        if isSecure { secure.withLock { $0?.close(on: socket) } }
        if let token = token.withLock({ $0.take() }) { loop.remove(socket.descriptor, token) }
        socket.stop()
    }

    /// - Parameter endsWhenDrained: See ``SecureLayer``. Without TLS the outcome says whether to read again.
    package func read(
        into buffer: inout ReceiveBuffer, endsWhenDrained: Bool = false
    ) throws(LinkError) -> Read {
        if isSecure {
            return try secure.withLock { (secure) throws(LinkError) in
                guard let secure else { return Read(.nothing) }
                let wasOpen = secure.isOpen
                let read = try secure.read(
                    from: socket, into: &buffer,
                    endsWhenDrained: endsWhenDrained && outcomeWithRoom == .last)
                if !wasOpen || secure.hasOutput { secure.send(on: socket) }
                return read
            }
        }
        let before = buffer.count
        let outcome: Socket.ReadOutcome
        do throws(SystemError) {
            outcome = try buffer.read(from: socket)
        } catch {
            throw LinkError(phase: .http2, error)
        }
        switch outcome {
        case .bytes:
            return Read(
                buffer.wasFilled ? .more : outcomeWithRoom, byteCount: buffer.count - before)
        case .wouldBlock: return Read(.nothing)
        case .endOfStream: return Read(.endOfStream)
        case .bufferFull:
            // Not reachable, because the engine consumes whole frames. Throws, so that an error
            // here is not an endless loop.
            throw LinkError(phase: .http2, cause: "a frame does not fit the receive buffer")
        }
    }

    /// Reads the content of frames into the message that it belongs to. Nil if there is nothing to
    /// place.
    func read(
        placing frames: inout PlacedFrames, expecting frameCount: Int,
        into message: inout [UInt8], _ buffer: inout ReceiveBuffer
    ) throws(LinkError) -> (outcome: ReadOutcome, arrived: PlacedFrames.Arrived)? {
        let read: PlacedFrames.ReadOutcome?
        do throws(SystemError) {
            read = try frames.read(
                from: socket, expecting: frameCount, into: &message, &buffer)
        } catch {
            throw LinkError(phase: .http2, error)
        }
        guard let read else { return nil }
        let outcome: ReadOutcome =
            switch read.socket {
            case .bytes, .bufferFull: read.wasFilled ? .more : outcomeWithRoom
            case .wouldBlock: .nothing
            case .endOfStream: .endOfStream
            }
        return (outcome, read.arrived)
    }

    /// The result of a write.
    package struct WriteOutcome {
        /// Whether the socket accepts no more now.
        package var isBlocked = false
        /// Bytes of TLS records that were made of the batch and that the socket did not accept yet.
        package var unsentByteCount = 0
    }

    /// Writes `batch`, as far as the socket accepts it.
    package func write(_ batch: inout GatherList) throws(SystemError) -> WriteOutcome {
        if isSecure {
            return try secure.withLock { (secure) throws(SystemError) in
                guard let secure else { return WriteOutcome() }
                let isBlocked = try secure.write(&batch, on: socket)
                return WriteOutcome(
                    isBlocked: isBlocked, unsentByteCount: secure.unsentByteCount)
            }
        }
        while !batch.isEmpty {
            if try socket.write(gathering: &batch) == .wouldBlock {
                return WriteOutcome(isBlocked: true)
            }
        }
        return WriteOutcome()
    }

    /// What `body` reads in the TLS session, under the lock; nil without TLS.
    package func withSession<Value: Sendable>(
        _ body: @Sendable (any TLSSession) -> Value
    ) -> Value? {
        secure.withLock { $0.map { body($0.session) } }
    }

    /// The error of a call that the server at `peer` must not get: without TLS, because of its credentials; over
    /// TLS, because the certificate is not valid for the authority. Nil for other calls.
    package func refusal(
        of call: CallCore, _ headers: PreparedHeaders, peer: String
    ) -> RPCError? {
        guard isSecure else { return call.head.options.needsEncryption ? .insecureConnection : nil }
        guard let authority = headers.otherAuthority else { return nil }
        let host = Target.split(authority)?.host
        if let identity = host.flatMap({ ServerIdentity(host: $0) }),
            withSession({ $0.isPeer(identity) }) == true
        {
            return nil
        }
        return .refused(
            .unauthenticated,
            "the certificate of \(peer) is not valid for the authority '\(authority)' of the call")
    }

    /// Whether data can be sent: at once without TLS, after the handshake with TLS.
    package var isOpen: Bool { !isSecure || secure.withLock { $0?.isOpen ?? false } }
}
