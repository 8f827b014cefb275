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
    private let wakeUp = WakeUp()
    /// Nil after the choice.
    private let wire: Mutex<LinkWire?>

    /// No request of HTTP/1.1 begins with `PRI `.
    private static let prefix = Array("PRI ".utf8)

    init(
        _ wire: consuming LinkWire, _ methods: ServerMethods, _ loop: EventLoop,
        _ acceptor: Acceptor
    ) {
        self.methods = methods
        self.loop = loop
        self.acceptor = acceptor
        self.wire = Mutex(wire)
    }

    func start() {
        Task(executorPreference: loop) { [self] in
            guard let wire = wire.withLock({ $0.take() }) else { return }
            var received = ReceiveBuffer()
            do throws(LinkError) {
                try await wire.shakeHands(
                    on: loop, wakeUp, leastByteCount: wire.isSecure ? 0 : Self.prefix.count,
                    into: &received)
            } catch {
                wire.close(on: loop)
                return acceptor.sessionEnded(self)
            }
            begin(wire, received.withUnread { [UInt8](copying: $0) })
        }
    }

    func leaveGracefully() { end() }

    func end() {
        wakeUp.cancel()
        acceptor.sessionEnded(self)
    }

    private func begin(_ wire: consuming LinkWire, _ received: [UInt8]) {
        let isHTTP2 =
            wire.isSecure
            ? wire.withSession(\.negotiatedProtocol) == "h2" : received.starts(with: Self.prefix)
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
