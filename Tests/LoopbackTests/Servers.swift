import SwiftletLoopback
import Synchronization

/// Keeps servers for as long as a test runs.
final class Servers: Sendable {
    private let servers = Mutex<[LoopbackServer]>([])
    func keep(_ server: LoopbackServer) -> LoopbackServer {
        servers.withLock { $0.append(server) }
        return server
    }
}
