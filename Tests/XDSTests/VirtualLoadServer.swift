import SwiftletCore
import SwiftletMessages
import SwiftletTransport

@testable import SwiftletXDS

/// A reporter of loads in virtual time, and what it does.
struct VirtualLoadServer {
    private(set) var reporter: LoadReporter
    private(set) var now = MonotonicInstant(nanoseconds: 0)
    let servers: [XDS.Bootstrap.Server]
    /// The counters of balancers that are in use.
    private var loads: [ClusterLoad] = []
    /// What was done, in order: `open 0`, `close 0`, `read 0`, `node 0`, or a report as ``line(_:)`` writes it.
    private(set) var log: [String] = []
    private(set) var lastReport: Envoy.LoadStats.LoadStatsRequest?
    private(set) var timer: MonotonicInstant?

    init(servers count: Int = 1) throws(RPCError) {
        servers = try Sample.servers(count)
        let node = Envoy.Core.Node.with { $0.id = "n1" }
        reporter = LoadReporter(node: node, chance: { 0.5 })
    }

    private mutating func run(_ input: (inout LoadReporter) -> Void) {
        input(&reporter)
        for action in reporter.takeActions() {
            switch action {
            case .open(let server): log.append("open \(index(server))")
            case .close(let server): log.append("close \(index(server))")
            case .read(let server): log.append("read \(index(server))")
            case .setTimer(let time): timer = time
            case .send(let server, let request):
                if let node = request.node { log.append("node \(index(server)) \(node.id)") }
                if request.node == nil || !request.clusterStats.isEmpty {
                    lastReport = request
                    let lines = request.clusterStats.map { Self.line($0) }
                    log.append(
                        "report \(index(server))" + lines.map { " \($0)" }.joined(separator: ";"))
                }
            }
        }
    }

    private func index(_ server: XDS.Bootstrap.Server) -> Int {
        servers.firstIndex(of: server) ?? -1
    }

    /// The cluster, the seconds, and for each zone: issued, succeeded, failed, running; then the drops.
    private static func line(_ stats: Envoy.Endpoints.ClusterStats) -> String {
        let interval = stats.loadReportInterval.flatMap { Duration($0) } ?? .zero
        let seconds = interval / .seconds(1)
        var line = stats.clusterName
        if !stats.clusterServiceName.isEmpty { line += "/\(stats.clusterServiceName)" }
        line += " \(seconds)s"
        for place in stats.upstreamLocalityStats {
            line +=
                " \(place.locality?.zone ?? "?"):\(place.totalIssuedRequests),\(place.totalSuccessfulRequests),\(place.totalErrorRequests),\(place.totalRequestsInProgress)"
        }
        if stats.totalDroppedRequests > 0 { line += " drops:\(stats.totalDroppedRequests)" }
        for drop in stats.droppedRequests { line += " \(drop.category):\(drop.droppedCount)" }
        return line
    }
}

// MARK: - Inputs

extension VirtualLoadServer {
    /// A balancer begins to count the calls of a cluster.
    @discardableResult
    mutating func add(
        _ name: String = "c", for server: Int = 0,
        _ change: (inout Envoy.Clusters.Cluster) -> Void = { _ in }
    ) -> ClusterLoad {
        let (server, now) = (servers[server], now)
        let load = Sample.load(name, for: server, at: now, change)
        run { $0.add(load, at: now) }
        loads.append(load)
        return load
    }

    /// The last balancer that was added is closed.
    mutating func removeLast() { loads.removeLast() }

    mutating func open(_ server: Int = 0) {
        let server = servers[server]
        run { $0.streamOpened(server) }
    }

    mutating func sent(_ server: Int = 0) {
        let (server, now) = (servers[server], now)
        run { $0.requestSent(server, at: now) }
    }

    mutating func end(_ server: Int = 0) {
        let (server, now) = (servers[server], now)
        run { $0.streamClosed(server, at: now) }
    }

    mutating func receive(_ bytes: [UInt8], from server: Int = 0) {
        let (server, now) = (servers[server], now)
        run { $0.received(bytes, from: server, at: now) }
    }

    /// The server wants these clusters; nil for all.
    mutating func want(
        _ clusters: [String]? = nil, every interval: Duration? = .seconds(2), from server: Int = 0
    ) {
        let response = Envoy.LoadStats.LoadStatsResponse.with {
            $0.clusters = clusters ?? []
            $0.sendAllClusters = clusters == nil
            $0.loadReportingInterval = interval.map { .init($0) }
        }
        receive(response.encoded(), from: server)
    }

    /// Opens the stream, and lets the server want all clusters every two seconds.
    mutating func start(_ server: Int = 0) {
        open(server)
        sent(server)
        want(from: server)
    }

    /// Moves the time, and reports it at each moment that the reporter has asked for. Each request is sent at once.
    mutating func advance(by duration: Duration, sends: Bool = true) {
        let end = now + duration
        while let time = timer, time <= end {
            now = max(now, time)
            fire(sends: sends)
        }
        now = end
    }

    /// Moves the time while the timer is late.
    mutating func advanceLate(by duration: Duration) {
        now = now + duration
        fire(sends: true)
    }

    private mutating func fire(sends: Bool) {
        timer = nil
        let (now, count) = (now, log.count)
        run { $0.timerFired(at: now) }
        guard sends else { return }
        for server in servers.indices
        where log[count...].contains(where: { $0.hasPrefix("report \(server)") }) { sent(server) }
    }

    /// What was done since the last call of this function, without the reads.
    mutating func take() -> [String] {
        defer { log = [] }
        return log.filter { !$0.hasPrefix("read") }
    }
}
