public import SwiftletCore
import SwiftletTransport
import Synchronization

/// A server on 127.0.0.1 that sends raw frames, to break rules of HTTP/2 and gRPC on purpose.
///
/// Each connection has its own thread, which waits for the client and runs the script. The server
/// does not use this library's HTTP/2 engine.
///
/// ```swift
/// let peer = try RawPeer(.rstInternal)
/// let channel = try Channel(peer.target, credentials: .insecure)
/// ```
public final class RawPeer: Sendable {
    /// How the peer answers later calls.
    @nonexhaustive
    public enum Conduct: Hashable, Sendable {
        case misbehave
        /// With a correct response: headers, a message, and trailers with the status OK.
        case reply
        /// With headers and a message when the call's headers arrive; with another message and the
        /// status OK when the client sends the first DATA frame that is not empty.
        case hold
    }

    package static let replyBody: [UInt8] = [1, 2, 3]

    /// The target for channels to the peer.
    public let target: String
    private let acceptor: RawAcceptor

    public convenience init(_ misbehaviour: Misbehaviour) throws(RPCError) {
        try self.init(misbehaviour.script)
    }

    package init(_ script: RawScript, tls: ServerTLS? = nil) throws(RPCError) {
        do {
            acceptor = try RawAcceptor(script, tls.map { try OpenSSLContext($0.configuration) })
        } catch {
            throw RPCError(.unavailable, "\(error)")
        }
        target = acceptor.target
        // The threads have a reference to the acceptor, not to the peer. So the threads end when the peer is
        // released.
        guard Thread.start("raw-acceptor", { [acceptor] in acceptor.run() }) else {
            throw RPCError(.unavailable, "the system has no more threads")
        }
    }

    deinit { acceptor.stop() }

    public var conduct: Conduct {
        get { acceptor.state.withLock { $0.conduct } }
        set { acceptor.state.withLock { $0.conduct = newValue } }
    }

    /// The number of connections that were accepted so far.
    public var connectionCount: Int { acceptor.state.withLock { $0.acceptedCount } }

    /// The number of calls that have begun so far, including calls that the client sent again.
    public var callCount: Int { acceptor.state.withLock { $0.callCount } }

    /// The number of PINGs that clients have sent so far.
    public var pingCount: Int { acceptor.state.withLock { $0.pingCount } }

    /// The number of PINGs of the peer that were answered so far.
    public var answeredPingCount: Int { acceptor.state.withLock { $0.answeredPingCount } }
}
