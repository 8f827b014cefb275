import SwiftletTransport
import Synchronization

/// The settings and counters that the connections of a channel share.
final class ConnectionPlan: Sendable {
    let target: Target
    let credentials: ChannelCredentials
    let arguments: ChannelArguments
    /// Nil in a channel without sinks.
    let metrics: ChannelMetrics?
    /// Supplies connected sockets; nil connects to addresses.
    let sockets: SocketSupply?
    /// The proxy that connections are made through; nil for none.
    let proxy: ProxyServer?
    /// The queues over whose threads connections are spread, in turn.
    private let queues: [CompletionQueue]
    private let queueTurn = Atomic(0)
    /// Doubles when a server reports too many PINGs (proposal A8).
    private let keepAliveFactor = Mutex(1)
    /// When the resolver last found endpoints.
    private let resolved = Mutex<MonotonicInstant?>(nil)

    init(
        _ target: Target, credentials: ChannelCredentials, arguments: ChannelArguments,
        queues: [CompletionQueue], sockets: SocketSupply?, proxy: ProxyServer?
    ) {
        self.target = target
        self.credentials = credentials
        self.arguments = arguments
        metrics = ChannelMetrics(
            arguments, target: target, isSecure: credentials.isSecure)
        self.queues = queues
        self.sockets = sockets
        self.proxy = proxy
    }
}

extension ConnectionPlan {
    /// The loop of the next connection.
    func nextLoop() -> EventLoop {
        guard queues.count > 1 else { return queues[0].loop }
        let turn = queueTurn.wrappingAdd(1, ordering: .relaxed).oldValue
        return queues[Int(UInt(bitPattern: turn) % UInt(queues.count))].loop
    }

    /// The loop of timers.
    var firstLoop: EventLoop { queues[0].loop }

    /// The settings of the next connection.
    var configuration: ConnectionConfiguration {
        var configuration = arguments.connectionConfiguration
        configuration.keepAlive?.interval *= keepAliveFactor.withLock { $0 }
        return configuration
    }

    /// Doubles the keepalive interval of later connections, after a GOAWAY with `too_many_pings`
    /// (proposal A8).
    func doubleKeepAliveInterval() {
        keepAliveFactor.withLock { $0 = min($0 * 2, 64) }
    }

    /// When the resolver last found endpoints; nil before it did.
    var resolvedAt: MonotonicInstant? {
        get { resolved.withLock { $0 } }
        set { resolved.withLock { $0 = newValue } }
    }
}
