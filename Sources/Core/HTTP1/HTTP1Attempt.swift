import SwiftletTransport
import Synchronization

/// A connection whose TLS handshake, if any, is complete, and on which no HTTP was sent yet.
final class OpenConnection: Sendable {
    let address: SocketAddress
    let times: ConnectionTimes
    /// The protocol that ALPN selected; nil without TLS, or if the server selected none.
    let applicationProtocol: String?
    private let loop: EventLoop
    private let wire: Mutex<LinkWire?>

    init(_ wire: consuming LinkWire, by candidate: ConnectionCandidate) {
        address = candidate.address
        times = candidate.times
        loop = candidate.loop
        applicationProtocol = wire.applicationProtocol
        self.wire = Mutex(wire)
    }

    /// Hands the wire over. Nil if that was done before.
    func takeWire() -> LinkWire? { wire.withLock { $0.take() } }
}

extension OpenConnection: RacedConnection {
    func giveUp() { takeWire()?.close(on: loop) }
}

/// One attempt to get a connection whose version of HTTP is not known yet: looks the name up, and connects to
/// one of its addresses within the time limit.
final class HTTP1Attempt: Sendable {
    private typealias Race = ConnectionRace<OpenConnection>

    private struct State {
        var answer: NameLookups.Answer?
        var race: Race?
        var isCancelled = false
    }

    let begun = MonotonicInstant.now
    private let route: WireRoute
    private let loop: EventLoop
    private let wakeUp = WakeUp()
    private let state = Mutex(State())

    /// - Parameters:
    ///   - route: The target of the connection, and how it is secured.
    ///   - loop: The loop that the connection belongs to.
    init(_ route: WireRoute, loop: EventLoop) {
        self.route = route
        self.loop = loop
    }
}

extension HTTP1Attempt {
    func run() async throws(ConnectionFailure) -> OpenConnection {
        let addresses = try await addresses()
        let race = Race(
            addresses, route, begun: begun, resolved: .now, timeLimit: timeLimit, loop: loop
        ) { wire, candidate in OpenConnection(wire, by: candidate) }
        let isCancelled = state.withLock { state in
            state.race = race
            return state.isCancelled
        }
        if isCancelled { race.cancel() }
        return try await race.run().connection
    }

    /// Ends the attempt soon, with a failure.
    func cancel() {
        let race = state.withLock { state in
            state.isCancelled = true
            return state.race
        }
        wakeUp.cancel()
        race?.cancel()
    }

    /// What the attempt waits for now. A call whose deadline passes reports it as a cause.
    var progress: [(phase: RPCError.Phase, text: String)] {
        guard let race = state.withLock({ $0.race }) else {
            return [(.resolve, "look up \(route.target): no answer")]
        }
        return race.progress
    }

    private var timeLimit: Duration { route.arguments.connectTimeout }

    private func addresses() async throws(ConnectionFailure) -> [SocketAddress] {
        if route.sockets != nil { return [] }
        let found: [SocketAddress]
        if let proxy = route.proxy {
            found = try await lookUp(proxy.host, port: proxy.port)
        } else {
            switch route.target.resolution {
            case .addresses(let addresses): found = addresses
            case .name(let host, let port): found = try await lookUp(host, port: port)
            // Refused when the channel was made.
            case .registered: found = []
            }
        }
        guard !found.isEmpty else {
            throw ConnectionFailure(phase: .resolve, cause: "\(route.target) has no address")
        }
        return found
    }

    private func lookUp(
        _ host: String, port: UInt16
    ) async throws(ConnectionFailure) -> [SocketAddress] {
        let ticket = NameLookups.shared.lookUp(host) { [self] answer in
            state.withLock { $0.answer = answer }
            wakeUp.signal()
        }
        defer { NameLookups.shared.cancel(ticket) }
        let timer = TimerSlot()
        defer { timer.close() }
        timer.schedule(wakeUp, at: begun + timeLimit, on: loop)
        while true {
            switch state.withLock({ $0.answer }) {
            case .success(let addresses): return addresses.compactMap { $0.with(port: port) }
            case .failure(let error):
                throw ConnectionFailure(phase: .resolve, cause: "\(error)")
            case nil: break
            }
            guard MonotonicInstant.now < begun + timeLimit, await wakeUp.wait() else {
                throw ConnectionFailure(
                    phase: .resolve, cause: "look up \(host): no answer within \(timeLimit)")
            }
        }
    }
}
