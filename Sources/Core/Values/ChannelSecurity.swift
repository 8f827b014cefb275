package import SwiftletTransport
import Synchronization

/// A way of one's own to secure connections, in place of TLS.
///
/// ```swift
/// let channel = try Channel("localhost:50051", credentials: .own(MySecurity()))
/// ```
public protocol ChannelSecurity: Sendable {
    /// The client's or the server's end of a new connection.
    ///
    /// - Parameter host: The name that the server must prove to have; nil at the server.
    func makeSession(host: String?) throws -> any SecuritySession
}

/// One end of a secured connection, without the connection: octets go in and come out, and the
/// channel moves them. Used by one thread at a time.
///
/// Whatever is thrown ends the connection, and its description is the cause that callers see.
public protocol SecuritySession: AnyObject, Sendable {
    /// Goes on with the handshake: first with nothing, then with what the peer sent, in pieces of
    /// any size. What is left in `received` at the end of the handshake belongs to the peer's
    /// first message.
    ///
    /// - Returns: What is to be sent, and whether the handshake is done.
    func handshake(_ received: inout [UInt8]) throws -> (reply: [UInt8], isDone: Bool)

    /// Opens what the peer sent. Parts of what can only be opened whole stay with the session.
    func open(_ received: [UInt8]) throws -> [UInt8]

    /// Closes octets up for the peer.
    func seal(_ plaintext: [UInt8]) throws -> [UInt8]

    /// What tells the peer that this was all, if anything does.
    func close() -> [UInt8]
}

extension ChannelCredentials {
    /// Connections that are secured by the program's own means. They count as secure: call
    /// credentials are sent over them.
    ///
    /// - Parameters:
    ///   - security: Makes a session for each connection.
    ///   - targetNameOverride: The name that the server must have, in place of the target's.
    public static func own(
        _ security: any ChannelSecurity, targetNameOverride: String? = nil
    ) -> ChannelCredentials {
        ChannelCredentials(
            provider: OwnSecurityProvider(security), targetNameOverride: targetNameOverride)
    }
}

/// Shows a program's own security to connections, which know TLS.
package struct OwnSecurityProvider: TLSProvider {
    private let security: any ChannelSecurity

    package init(_ security: any ChannelSecurity) { self.security = security }

    package func makeSession(host: String?) throws(TLSError) -> any TLSSession {
        do {
            return OwnSecuritySession(try security.makeSession(host: host))
        } catch {
            throw TLSError(.configuration, "\(error)")
        }
    }
}

private final class OwnSecuritySession: TLSSession {
    private struct State {
        /// Received and left over by the handshake.
        var early: [UInt8] = []
        /// Opened, and waiting for room.
        var opened = GatherList()
        var isOpen = false
    }

    private let session: any SecuritySession
    private let state = Mutex(State())

    init(_ session: any SecuritySession) { self.session = session }

    var negotiatedProtocol: String? { nil }
    var peerCertificates: [[UInt8]] { [] }
    var protocolVersion: String { "own" }
    var isResumed: Bool { false }

    func handshake(
        _ received: inout ReceiveBuffer, sending ciphertext: inout GatherList
    ) throws(TLSError) -> TLSHandshakeProgress {
        var octets = state.withLock { $0.early } + Self.takeAll(&received)
        do {
            let (reply, isDone) = try session.handshake(&octets)
            state.withLock { state in
                state.early = octets
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
        let octets =
            state.withLock { state in
                defer { state.early = [] }
                return state.early
            } + Self.takeAll(&received)
        if !octets.isEmpty {
            do {
                let opened = try session.open(octets)
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
        var octets: [UInt8] = []
        octets.reserveCapacity(plaintext.count)
        plaintext.moveFirst(plaintext.count, to: &octets)
        do {
            ciphertext.append(referencing: try session.seal(octets))
        } catch {
            throw TLSError(.connection, "\(error)")
        }
    }

    func close(sending ciphertext: inout GatherList) {
        ciphertext.append(referencing: session.close())
    }

    /// Behind the handshake HTTP/2 has its own ways to say that something was cut off.
    func endOfTransport() -> TLSError? {
        guard !state.withLock({ $0.isOpen }) else { return nil }
        return TLSError(.handshake, "the peer closed the connection")
    }

    private static func takeAll(_ received: inout ReceiveBuffer) -> [UInt8] {
        let octets = received.withUnread { [UInt8](copying: $0) }
        received.consume(octets.count)
        return octets
    }
}
