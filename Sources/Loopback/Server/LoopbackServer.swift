public import SwiftletCore
public import SwiftletSecurity
import SwiftletTransport
import Synchronization

/// A gRPC server inside the process, for tests. It uses the same HTTP/2 engine as the client.
///
/// ```swift
/// let server = try LoopbackServer { server in
///     server.unary(sayHello) { request, _ in HelloReply(message: "Hello \(request.name)") }
/// }
/// let channel = try server.makeChannel()
/// ```
///
/// ``makeChannel(credentials:arguments:defaultOptions:interceptors:queue:)`` needs no port, and its channel keeps the server
/// alive. Clients of other programs connect to ``target``. Handlers run on threads of the server, so
/// a test may block its own thread.
///
/// The server is for tests on one machine. It tolerates any input, but is not built for load.
public final class LoopbackServer: Sendable {
    /// The address that a server listens on.
    @nonexhaustive
    public enum Address: Hashable, Sendable {
        /// 127.0.0.1; port 0, the default, lets the system choose one.
        case ipv4(port: UInt16 = 0)
        /// ::1; port 0, the default, lets the system choose one.
        case ipv6(port: UInt16 = 0)
        case unix(path: String)
    }

    let acceptor: Acceptor

    /// The target for channels to the server, such as `127.0.0.1:40123`.
    public let target: String

    /// Starts a server. Fails with INVALID_ARGUMENT when the certificate, the key, a fault or the shape
    /// of a method is not valid, and with UNAVAILABLE when the address is not available.
    ///
    /// - Parameters:
    ///   - address: The address to listen on; any free port of 127.0.0.1 by default.
    ///   - tls: The certificate and key of the server; nil, the default, is plain text.
    ///   - security: A security layer that replaces TLS; none by default.
    ///   - register: Registers the methods of the server. Other paths are UNIMPLEMENTED.
    public init(
        on address: Address = .ipv4(), tls: ServerTLS? = nil,
        security: (any ChannelSecurity)? = nil,
        register: (inout ServerMethods) -> Void
    ) throws(RPCError) {
        var methods = ServerMethods()
        register(&methods)
        try Self.refuse(methods.mistakes + methods.mistakes(in: methods.faults))
        let provider = try Self.provider(tls?.offering(methods.applicationProtocols), security)
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

    /// Stops listening and closes all connections. Later calls have no effect.
    public func shutdown() { acceptor.stop() }

    /// Sends GOAWAY on all connections. Running calls may end.
    public func leaveGracefully() { acceptor.leaveGracefully() }

    /// Replaces the faults, and counts calls from one again. If a fault names a path that no method of the
    /// server has, fails with INVALID_ARGUMENT and changes nothing.
    public func setFaults(_ faults: [Fault]) throws(RPCError) {
        try Self.refuse(acceptor.methods.mistakes(in: faults))
        acceptor.methods.book.replace(with: faults)
    }

    /// The faults that have not applied to any call so far, except random ones. A test can expect this list
    /// to be empty at its end. If a server stops with unused faults, it writes them to standard error.
    public var unusedFaults: [Fault] { acceptor.methods.book.unused }

    /// The number of connections that the server has accepted.
    public var connectionCount: Int { acceptor.acceptedCount }

    private static func refuse(_ mistakes: [String]) throws(RPCError) {
        guard mistakes.isEmpty else {
            throw RPCError(.invalidArgument, mistakes.joined(separator: "; "))
        }
    }

    private static func target(of address: SocketAddress) -> String {
        switch address {
        case .unix(let path): "unix:\(path)"
        default: "\(address)"
        }
    }

    private static func provider(
        _ tls: ServerTLS?, _ security: (any ChannelSecurity)?
    ) throws(RPCError) -> (any TLSProvider)? {
        guard let tls else { return security.map { ProgramSecurity($0) } }
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
    ///   - clientAuthorities: PEM of the authorities of client certificates. Clients must then present a
    ///     certificate. Nil, the default, requests no certificate.
    public init(certificateChain: String, privateKey: String, clientAuthorities: String? = nil) {
        configuration.identity = TLSConfiguration.Identity(
            certificates: .text(certificateChain), privateKey: .text(privateKey))
        guard let clientAuthorities else { return }
        configuration.trust = .authorities(.text(clientAuthorities))
        configuration.demandsClientCertificate = true
    }
}

extension ServerTLS {
    /// The same, with these application protocols (ALPN). A client without ALPN then uses HTTP/1.1. A server
    /// that is configured to select no protocol continues to select none.
    fileprivate func offering(_ protocols: [String]) -> ServerTLS {
        var tls = self
        let configured = tls.configuration.applicationProtocols
        guard !configured.isEmpty, protocols != configured else { return tls }
        tls.configuration.applicationProtocols = protocols
        tls.configuration.requiresApplicationProtocol = false
        return tls
    }
}
