public import SwiftletCore
import SwiftletTransport
import Synchronization

/// A gRPC server inside the process, for tests. It runs on the same HTTP/2 engine as the client,
/// in the other role.
///
/// ```swift
/// let server = try LoopbackServer { server in
///     server.unary(sayHello) { request, _ in HelloReply(message: "Hello \(request.name)") }
/// }
/// let channel = try Channel(server.target)
/// ```
///
/// It is a test server: it trusts its tests, is meant for one machine, and makes no promise of
/// strength beyond surviving whatever its clients send.
public final class LoopbackServer: Sendable {
    /// Where a server listens.
    public enum Address: Hashable, Sendable {
        /// 127.0.0.1, on a port of the system's choice unless one is named.
        case ipv4(port: UInt16 = 0)
        /// ::1, on a port of the system's choice unless one is named.
        case ipv6(port: UInt16 = 0)
        case unix(path: String)
    }

    let acceptor: Acceptor

    /// What a channel to the server is made with: `127.0.0.1:40123`.
    public let target: String

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - address: Where it listens; a port of the system's choosing on 127.0.0.1.
    ///   - tls: The server's certificate and key; nil speaks in the clear. Those that are of no use
    ///     are INVALID_ARGUMENT, and an address that cannot be had is UNAVAILABLE.
    ///   - security: Means of one's own in place of TLS.
    ///   - register: Says what the server answers. Any other path is UNIMPLEMENTED.
    public init(
        on address: Address = .ipv4(), tls: ServerTLS? = nil,
        security: (any ChannelSecurity)? = nil,
        register: (inout ServerMethods) -> Void
    ) throws(RPCError) {
        var methods = ServerMethods()
        register(&methods)
        let provider = try Self.provider(tls, security)
        let queue = try CompletionQueue()
        do throws(SystemError) {
            let listener = try Listener(on: address.socketAddress)
            target = Self.target(of: listener.address)
            acceptor = Acceptor(listener, methods, provider, queue)
            try acceptor.start()
        } catch {
            queue.shutdown()
            throw RPCError(.unavailable, "\(error)")
        }
    }

    deinit { acceptor.stop() }

    /// Closes all connections and listens no more.
    public func shutdown() { acceptor.stop() }

    /// Tells all clients to go elsewhere, and lets running calls end.
    public func leaveGracefully() { acceptor.leaveGracefully() }

    /// Replaces what goes wrong on purpose, and counts calls anew.
    public func setFaults(_ faults: [Fault]) { acceptor.methods.book.replace(with: faults) }

    /// How many connections were accepted so far.
    public var connectionCount: Int { acceptor.acceptedCount }

    private static func target(of address: SocketAddress) -> String {
        switch address {
        case .unix(let path): "unix:\(path)"
        default: "\(address)"
        }
    }

    private static func provider(
        _ tls: ServerTLS?, _ security: (any ChannelSecurity)?
    ) throws(RPCError) -> (any TLSProvider)? {
        guard let tls else { return security.map { OwnSecurityProvider($0) } }
        do throws(TLSError) {
            return try OpenSSLContext(tls.configuration)
        } catch {
            var failure = RPCError(.invalidArgument, "\(error)")
            failure.phase = .tls
            failure.mayHaveBeenExecuted = false
            throw failure
        }
    }
}

extension LoopbackServer.Address {
    fileprivate var socketAddress: SocketAddress {
        switch self {
        case .ipv4(let port): .ipv4Loopback(port: port)
        case .ipv6(let port): .ipv6Loopback(port: port)
        case .unix(let path): .unix(path: path)
        }
    }
}

/// The certificate of a test server.
public struct ServerTLS: Sendable {
    var configuration = TLSConfiguration(role: .server)

    /// - Parameters:
    ///   - certificateChain: PEM, the server's own certificate first.
    ///   - privateKey: PEM.
    ///   - clientAuthorities: PEM of those who may vouch for clients, who then must have a
    ///     certificate; nil asks for none.
    public init(certificateChain: String, privateKey: String, clientAuthorities: String? = nil) {
        configuration.identity = TLSConfiguration.Identity(
            certificates: .text(certificateChain), privateKey: .text(privateKey))
        guard let clientAuthorities else { return }
        configuration.trust = .authorities(.text(clientAuthorities))
        configuration.demandsClientCertificate = true
    }
}
