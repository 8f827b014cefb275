import SwiftletCore
import SwiftletTransport
import Synchronization

/// A connection whose HTTP version is not known yet. With TLS, ALPN selects the version. Without
/// TLS, the first bytes determine it: HTTP/2 begins with a fixed connection preface (RFC 9113
/// §3.4).
final class VersionChoice: AcceptedConnection {
    private let methods: ServerMethods
    private let loop: EventLoop
    private let acceptor: Acceptor
    private let handshake = Mutex<Handshake?>(nil)

    /// No request of HTTP/1.1 begins with `PRI `.
    private static let prefix = Array("PRI ".utf8)

    init(
        _ wire: consuming LinkWire, _ methods: ServerMethods, _ loop: EventLoop,
        _ acceptor: Acceptor
    ) {
        self.methods = methods
        self.loop = loop
        self.acceptor = acceptor
        let leastByteCount = wire.isSecure ? 0 : Self.prefix.count
        let handshake = Handshake(wire, loop, leastByteCount: leastByteCount) { [self] outcome in
            switch consume outcome {
            case .failed: end()
            case .done(let wire, let received): begin(wire, received)
            }
        }
        self.handshake.withLock { $0 = handshake }
    }

    func start() { handshake.withLock { $0 }?.start() }

    func leaveGracefully() { end() }

    func end() {
        handshake.withLock { $0.take() }?.cancel()
        acceptor.sessionEnded(self)
    }

    private func begin(_ wire: consuming LinkWire, _ received: [UInt8]) {
        // The handshake keeps a reference to this object.
        _ = handshake.withLock { $0.take() }
        let isHTTP2 =
            wire.isSecure ? wire.applicationProtocol == "h2" : received.starts(with: Self.prefix)
        if isHTTP2, methods.httpVersion != .http1 {
            acceptor.replace(
                self,
                with: ServerSession(wire, received: received, methods, loop, acceptor))
        } else {
            acceptor.replace(
                self, with: HTTP1Session(wire, received: received, methods, loop, acceptor))
        }
    }
}
