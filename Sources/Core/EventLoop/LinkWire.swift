package import SwiftletTransport
import Synchronization

/// The octets of a link: a socket, with or without TLS on it.
///
/// The descriptor is closed when the link is released and not before: another thread may be
/// writing to it at the moment it is of no more use, and must not find a stranger's descriptor.
package struct LinkWire: ~Copyable, Sendable {
    private let socket: Socket
    private let token = Mutex<UInt64?>(nil)
    /// Locked while records are made and written, because their order on the socket is their
    /// order in the session. Nil without TLS.
    private let secure: Mutex<SecureLayer?>
    let isSecure: Bool

    package init(_ socket: consuming Socket, _ session: (any TLSSession)? = nil) {
        self.socket = socket
        isSecure = session != nil
        secure = Mutex(session.map { SecureLayer($0) })
    }
}

extension LinkWire {
    package enum ReadOutcome: Hashable {
        /// Octets were added, or may be with the next read.
        case more
        /// Octets were added; more will be announced by the poller.
        case last
        case nothing
        case endOfStream
    }

    package func watch(
        by loop: EventLoop, for target: any Pollable
    ) throws(SystemError) {
        let token = try loop.add(socket.descriptor, target)
        self.token.withLock { $0 = token }
    }

    /// Begins the handshake where there is one.
    package func begin() throws(LinkError) {
        guard isSecure else { return }
        do throws(TLSError) {
            try secure.withLock { (secure) throws(TLSError) in try secure?.begin(on: socket) }
        } catch {
            throw LinkError(phase: .tls, cause: "\(error)")
        }
    }

    /// Stops both directions and tells the peer.
    package func close(on loop: EventLoop) {
        if isSecure { secure.withLock { $0?.close(on: socket) } }
        if let token = token.withLock({ $0.take() }) { loop.remove(socket.descriptor, token) }
        socket.stop()
    }

    package func read(into buffer: inout ReceiveBuffer) throws(LinkError) -> ReadOutcome {
        if isSecure {
            return try secure.withLock { (secure) throws(LinkError) in
                guard let secure else { return .nothing }
                let wasOpen = secure.isOpen
                let outcome = try secure.read(from: socket, into: &buffer)
                if !wasOpen || secure.hasOutput { secure.send(on: socket) }
                return outcome
            }
        }
        let outcome: Socket.ReadOutcome
        do throws(SystemError) {
            outcome = try buffer.read(from: socket)
        } catch {
            throw LinkError(phase: .http2, cause: "\(error)")
        }
        switch outcome {
        case .bytes: return buffer.wasFilled ? .more : .last
        case .wouldBlock: return .nothing
        case .endOfStream: return .endOfStream
        case .bufferFull:
            // The engine takes all that is whole, so this cannot be; it must not become a loop.
            throw LinkError(phase: .http2, cause: "a frame does not fit the receive buffer")
        }
    }

    /// Reads the content of frames straight into the message that it belongs to. Nil when there is
    /// nothing to place.
    func read(
        placing frames: inout PlacedFrames, expecting frameCount: Int,
        into message: inout [UInt8], _ buffer: inout ReceiveBuffer
    ) throws(LinkError) -> (outcome: ReadOutcome, arrived: PlacedFrames.Arrived)? {
        let read: PlacedFrames.ReadOutcome?
        do throws(SystemError) {
            read = try frames.read(
                from: socket, expecting: frameCount, into: &message, &buffer)
        } catch {
            throw LinkError(phase: .http2, cause: "\(error)")
        }
        guard let read else { return nil }
        let outcome: ReadOutcome =
            switch read.socket {
            case .bytes, .bufferFull: read.wasFilled ? .more : .last
            case .wouldBlock: .nothing
            case .endOfStream: .endOfStream
            }
        return (outcome, read.arrived)
    }

    /// What became of a batch.
    package struct WriteOutcome {
        /// The socket takes no more now.
        package var isBlocked = false
        /// Octets that were made of it and have yet to be taken by the socket: with TLS they are
        /// not the batch's any more.
        package var unsentByteCount = 0
    }

    /// Writes all of `batch`, or as much as the socket takes.
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

    /// Whether the peer can be sent to: at once without TLS, after the handshake with it.
    package var isOpen: Bool { !isSecure || secure.withLock { $0?.isOpen ?? false } }
}
