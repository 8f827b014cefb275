package import SwiftletTransport
import Synchronization

/// Secures connections without TLS, in the program's own way.
///
/// ```swift
/// let channel = try Channel("localhost:50051", credentials: .own(MySecurity()))
/// ```
public protocol ChannelSecurity: Sendable {
    /// Makes the session of a new connection.
    func makeSession(_ context: SecurityContext) throws -> any SecuritySession
}

/// The connection that a ``ChannelSecurity`` makes a session for.
public struct SecurityContext: Hashable, Sendable {
    /// The end of the connection that the session handles.
    @nonexhaustive
    public enum Side: Hashable, Sendable {
        /// The end that connects. The server must prove that it is `host`.
        case client(host: String)
        /// The end that accepts.
        case server
    }

    /// The end of the connection that the session handles.
    public let side: Side

    /// For tests of a ``ChannelSecurity``. In a program, the library makes the contexts.
    public init(_ side: Side) { self.side = side }
}

/// One end of a secured connection, without I/O: the channel sends and receives the bytes. Used by
/// one thread at a time.
///
/// During a call of a method, the channel holds a lock of the connection. So a method must not use the
/// channel, and must not block.
///
/// If a method throws an error, the connection ends. The description of the error becomes a cause
/// of the calls' errors.
public protocol SecuritySession: AnyObject, Sendable {
    /// Continues the handshake. The first call has no bytes. Later calls have the bytes that the
    /// peer sent, in pieces of any size. Bytes that are left in `received` at the end of the
    /// handshake belong to the peer's first message.
    ///
    /// - Returns: The bytes to send, and whether the handshake is complete.
    func handshake(_ received: inout [UInt8]) throws -> (reply: [UInt8], isDone: Bool)

    /// Decrypts bytes that the peer sent. The session keeps an incomplete part at the end.
    func open(_ received: [UInt8]) throws -> [UInt8]

    /// Encrypts bytes for the peer.
    func seal(_ plaintext: [UInt8]) throws -> [UInt8]

    /// The bytes that announce the end of the connection to the peer; empty if there are none.
    func close() -> [UInt8]
}

extension ChannelCredentials {
    /// Connections that the program secures itself. They are treated as secure: call credentials
    /// are sent on them.
    ///
    /// - Parameters:
    ///   - security: Makes a session for each connection.
    ///   - targetNameOverride: The name that the server must prove. The default is the name of the
    ///     target.
    public static func own(
        _ security: any ChannelSecurity, targetNameOverride: String? = nil
    ) -> ChannelCredentials {
        ChannelCredentials(
            provider: OwnSecurityProvider(security), targetNameOverride: targetNameOverride)
    }
}

/// Adapts the program's ``ChannelSecurity`` to `TLSProvider`.
package struct OwnSecurityProvider: TLSProvider {
    private let security: any ChannelSecurity

    package init(_ security: any ChannelSecurity) { self.security = security }

    /// Ignores `protocols`: a ``ChannelSecurity`` negotiates no application protocol.
    package func makeSession(
        host: String?, offering protocols: [String]?
    ) throws(TLSError) -> any TLSSession {
        do {
            return OwnSecuritySession(
                try security.makeSession(
                    SecurityContext(host.map { .client(host: $0) } ?? .server)),
                host.flatMap { ServerIdentity(host: $0) })
        } catch {
            throw TLSError(.configuration, "\(error)")
        }
    }
}

private final class OwnSecuritySession: TLSSession {
    private struct State {
        /// Received bytes that the handshake has not consumed.
        var early: [UInt8] = []
        /// Decrypted bytes that wait for room.
        var opened = GatherList()
        var isOpen = false
    }

    private let session: any SecuritySession
    private let identity: ServerIdentity?
    private let state = Mutex(State())

    init(_ session: any SecuritySession, _ identity: ServerIdentity?) {
        self.session = session
        self.identity = identity
    }

    var negotiatedProtocol: String? { nil }
    var peerCertificates: [[UInt8]] { [] }
    var protocolVersion: String { "own" }
    var isResumed: Bool { false }

    /// A session of the program proves only the name of the target.
    func isPeer(_ identity: ServerIdentity) -> Bool { identity == self.identity }

    func handshake(
        _ received: inout ReceiveBuffer, sending ciphertext: inout GatherList
    ) throws(TLSError) -> TLSHandshakeProgress {
        var bytes = state.withLock { $0.early } + Self.takeAll(&received)
        do {
            let (reply, isDone) = try session.handshake(&bytes)
            state.withLock { state in
                state.early = bytes
                state.isOpen = isDone
            }
            ciphertext.append(referencing: reply)
            return isDone ? .done : .needsMore
        } catch {
            throw TLSError(.handshake, "\(error)")
        }
    }

    func read(
        _ received: inout ReceiveBuffer, into plaintext: inout ReceiveBuffer,
        sending ciphertext: inout GatherList
    ) throws(TLSError) -> TLSReadOutcome {
        let bytes =
            state.withLock { state in
                defer { state.early = [] }
                return state.early
            } + Self.takeAll(&received)
        if !bytes.isEmpty {
            do {
                let opened = try session.open(bytes)
                state.withLock { $0.opened.append(referencing: opened) }
            } catch {
                throw TLSError(.connection, "\(error)")
            }
        }
        var count = 0
        let isEmpty = state.withLock { state in
            while !plaintext.isFull,
                let added = state.opened.withFirstPiece({ plaintext.append(copying: $0) })
            {
                state.opened.removeFirst(added)
                count += added
            }
            return state.opened.isEmpty
        }
        guard isEmpty else { return .bufferFull }
        return count > 0 ? .bytes(count) : .needsMore
    }

    func write(
        _ plaintext: inout GatherList, sending ciphertext: inout GatherList
    ) throws(TLSError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(plaintext.count)
        plaintext.moveFirst(plaintext.count, to: &bytes)
        do {
            ciphertext.append(referencing: try session.seal(bytes))
        } catch {
            throw TLSError(.connection, "\(error)")
        }
    }

    func close(sending ciphertext: inout GatherList) {
        ciphertext.append(referencing: session.close())
    }

    /// After the handshake, HTTP/2 detects a truncated stream itself.
    func endOfTransport() -> TLSError? {
        guard !state.withLock({ $0.isOpen }) else { return nil }
        return TLSError(.handshake, "the peer closed the connection")
    }

    private static func takeAll(_ received: inout ReceiveBuffer) -> [UInt8] {
        let bytes = received.withUnread { [UInt8](copying: $0) }
        received.consume(bytes.count)
        return bytes
    }
}
