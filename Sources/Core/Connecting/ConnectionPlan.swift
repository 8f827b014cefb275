import SwiftletTransport
import Synchronization

/// The settings and counters that the connections of a channel share.
final class ConnectionPlan: Sendable {
    let target: Target
    let credentials: ChannelCredentials
    let arguments: ChannelArguments
    /// Nil in a channel without sinks.
    let metrics: (any ChannelMeter)?
    /// Supplies connected sockets; nil connects to addresses.
    let sockets: SocketSupply?
    /// The proxy that connections are made through; nil for none.
    let proxy: ProxyServer?
    /// The version of HTTP that is spoken beside HTTP/2, or instead of it; nil for none.
    private let otherVersion: OtherVersion?
    /// The queues over whose threads connections are spread, in turn.
    private let queues: [CompletionQueue]
    private let queueTurn = Atomic(0)
    /// The number of connections whose server has reported too many PINGs (proposal A8).
    private let pingComplaintCount = Atomic(0)
    /// When the resolver last found endpoints; nil before it did.
    let resolved = Mutex<MonotonicInstant?>(nil)

    init(
        _ target: Target, credentials: ChannelCredentials, arguments: ChannelArguments,
        queues: [CompletionQueue], sockets: SocketSupply?, proxy: ProxyServer?,
        otherVersion: OtherVersion? = nil
    ) {
        self.target = target
        self.credentials = credentials
        self.arguments = arguments
        metrics = arguments.meter(of: target, isSecure: credentials.isSecure)
        self.queues = queues
        self.sockets = sockets
        self.proxy = proxy
        self.otherVersion = otherVersion
    }
}

extension ConnectionPlan {
    func race(
        _ addresses: [SocketAddress], serverNames: [SocketAddress: ServerName], timeLimit: Duration
    ) -> ConnectionRace {
        ConnectionRace(
            addresses, serverNames: serverNames, self, resolved: resolved.withLock { $0 },
            timeLimit: timeLimit, loop: nextLoop()
        ) { [self] wire, candidate throws(CandidateFailure) in
            if let otherVersion, otherVersion.isChosen(by: wire) {
                return otherVersion.makeLink(
                    wire, candidate.address, candidate.times, candidate.loop, arguments)
            }
            return try await candidate.openLink(wire)
        }
    }

    /// The loop of the next connection.
    private func nextLoop() -> EventLoop {
        guard queues.count > 1 else { return queues[0].loop }
        let turn = queueTurn.wrappingAdd(1, ordering: .relaxed).oldValue
        return queues[Int(UInt(bitPattern: turn) % UInt(queues.count))].loop
    }

    /// The application protocols that are offered over TLS; nil offers those of the credentials.
    var protocols: [String]? { otherVersion?.protocols }

    /// The loop of timers.
    var firstLoop: EventLoop { queues[0].loop }

    /// The settings of the next connection.
    var configuration: ConnectionConfiguration {
        var configuration = arguments.connectionConfiguration
        if let interval = configuration.keepAlive?.interval {
            let doublings = min(
                pingComplaintCount.load(ordering: .relaxed), Self.maxKeepAliveDoublings)
            configuration.keepAlive?.interval =
                min(interval, Self.longestKeepAliveInterval) * (1 << doublings)
        }
        return configuration
    }

    private static let maxKeepAliveDoublings = 6
    /// 35,000 years. The product of a longer interval could exceed the range of a duration.
    private static let longestKeepAliveInterval = Duration.seconds(Int64(1) << 40)

    /// Doubles the keepalive interval of later connections, after a GOAWAY with `too_many_pings`
    /// (proposal A8). Called once for each connection.
    func doubleKeepAliveInterval() {
        pingComplaintCount.wrappingAdd(1, ordering: .relaxed)
    }
}
