import SwiftletCore
import SwiftletTransport
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Accepts the connections of a raw peer, and starts a thread for each.
final class RawAcceptor: Sendable {
    struct State {
        var connections: [ObjectIdentifier: RawConnection] = [:]
        var acceptedCount = 0
        var callCount = 0
        var answeredPingCount = 0
        var pingCount = 0
        var conduct = RawPeer.Conduct.misbehave
        var isStopped = false
    }

    let script: RawScript
    let state = Mutex(State())
    private let listener: Listener
    /// Nil without TLS.
    private let security: OpenSSLContext?

    init(_ script: RawScript, _ security: OpenSSLContext?) throws(SystemError) {
        self.script = script
        self.security = security
        listener = try Listener(on: .ipv4Loopback(port: 0))
        let flags = fcntl(listener.descriptor, F_GETFL)
        _ = fcntl(listener.descriptor, F_SETFL, flags & ~O_NONBLOCK)
    }

    var target: String { "\(listener.address)" }

    /// Accepts connections until it is stopped.
    func run() {
        while let socket = try? listener.acceptNext() {
            let connection = RawConnection(socket, try? security?.makeServerSession())
            let isStopped = state.withLock { state in
                state.acceptedCount += 1
                state.connections[ObjectIdentifier(connection)] = connection
                return state.isStopped
            }
            if isStopped { return connection.stop() }
            let isServed = Thread.start("raw-peer") { [self] in
                RawSession(connection, self).run()
                _ = state.withLock {
                    $0.connections.removeValue(forKey: ObjectIdentifier(connection))
                }
            }
            if !isServed { connection.stop() }
        }
    }

    func stop() {
        let connections = state.withLock { state in
            state.isStopped = true
            return Array(state.connections.values)
        }
        for connection in connections { connection.stop() }
        // Wakes the thread that waits for the next connection.
        listener.stop()
    }
}
