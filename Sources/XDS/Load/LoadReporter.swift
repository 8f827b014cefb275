import SwiftletCore
import SwiftletMessages
import SwiftletTransport

/// Reports the load of clusters to their control planes, as a value: counters, streams, responses and the time go in,
/// and actions come out.
///
/// A stream is open to each server for which something is counted. After any input, the owner carries out what
/// ``takeActions()`` returns.
struct LoadReporter: Sendable {
    typealias Server = XDS.Bootstrap.Server

    enum Action: Sendable {
        /// Opens a stream. Reports `streamOpened`, or `streamClosed`.
        case open(Server)
        /// Closes the stream. Nothing more is reported of it.
        case close(Server)
        /// Sends a request. Reports `requestSent`.
        case send(Server, Envoy.LoadStats.LoadStatsRequest)
        /// Reads one response.
        case read(Server)
        /// Reports the time at this moment, instead of an earlier one; nil for never.
        case setTimer(MonotonicInstant?)
    }

    private let node: Envoy.Core.Node
    /// Between 0 and 1, for the jitter of the next delay.
    private let chance: @Sendable () -> Double
    private(set) var streams: [Server: LoadStream] = [:]
    private var actions: [Action] = []
    private var timer: MonotonicInstant?

    init(node: Envoy.Core.Node, chance: @escaping @Sendable () -> Double) {
        self.node = node
        self.chance = chance
    }
}

// MARK: - Inputs

extension LoadReporter {
    /// A balancer begins to count calls.
    mutating func add(_ load: ClusterLoad, at now: MonotonicInstant) {
        let server = load.settings.server
        if streams[server] == nil {
            streams[server] = LoadStream(at: now, chance: chance())
            actions.append(.open(server))
        }
        streams[server]?.add(load)
    }

    mutating func streamOpened(_ server: Server) {
        guard streams[server]?.phase == .opening else { return }
        streams[server]?.opened()
        actions.append(.send(server, .with { $0.node = node }))
        actions.append(.read(server))
    }

    /// The stream has ended, or could not be opened.
    mutating func streamClosed(_ server: Server, at now: MonotonicInstant) {
        guard let phase = streams[server]?.phase, phase == .opening || phase == .open else {
            return
        }
        streams[server]?.closed(at: now)
        closeIfFinished(server)
    }

    /// There is room for the next request.
    mutating func requestSent(_ server: Server, at now: MonotonicInstant) {
        guard streams[server]?.phase == .open else { return }
        streams[server]?.sent(at: now)
        closeIfFinished(server)
    }

    /// The server has sent a response. One that cannot be decoded is ignored, as by the C++ library.
    mutating func received(_ bytes: [UInt8], from server: Server, at now: MonotonicInstant) {
        guard streams[server]?.phase == .open else { return }
        actions.append(.read(server))
        guard let response = try? Envoy.LoadStats.LoadStatsResponse(decoding: bytes) else { return }
        streams[server]?.receive(response, at: now)
    }

    mutating func timerFired(at now: MonotonicInstant) {
        timer = nil
        for server in Array(streams.keys) {
            if streams[server]?.retry(at: now, chance: chance()) == true {
                actions.append(.open(server))
            }
            if let report = streams[server]?.report(at: now) {
                actions.append(.send(server, report))
            } else {
                closeIfFinished(server)
            }
        }
    }

    private mutating func closeIfFinished(_ server: Server) {
        guard streams[server]?.isFinished == true else { return }
        streams[server] = nil
        actions.append(.close(server))
    }
}

// MARK: - Outputs

extension LoadReporter {
    /// What the owner does now, in this order.
    mutating func takeActions() -> [Action] {
        let wakeTime = streams.values.compactMap(\.wakeTime).min()
        if wakeTime != timer {
            timer = wakeTime
            actions.append(.setTimer(wakeTime))
        }
        defer { actions = [] }
        return actions
    }
}
