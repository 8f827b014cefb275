import SwiftletTransport
import Synchronization

/// A connection whose TLS handshake, if any, is complete, and on which no HTTP was sent yet.
struct OpenConnection: ~Copyable, Sendable {
    var wire: LinkWire
    /// The bytes that the server sent after its part of the handshake.
    var received: [UInt8]
    let address: SocketAddress
    var times: ConnectionTimes
    /// The protocol that ALPN selected; nil without TLS, or if the server selected none.
    let applicationProtocol: String?
}

/// One attempt to get a connection whose version of HTTP is not known yet: looks the name up,
/// connects to one of its addresses, and completes the handshake. Ends once, within its time limit.
final class HTTP1Attempt: Sendable {
    enum Outcome: ~Copyable, Sendable {
        case connected(OpenConnection)
        case failed(ConnectionFailure)
    }

    fileprivate struct State {
        var lookup: NameLookups.Ticket?
        var handshake: Handshake?
        var isOver = false
    }

    private let route: WireRoute
    private let loop: EventLoop
    private let begun = MonotonicInstant.now
    private let opener: WireOpener
    private let timer = TimerSlot()
    private let state = Mutex(State())
    private let report: @Sendable (HTTP1Attempt, consuming Outcome) -> Void

    /// - Parameters:
    ///   - route: The target of the connection, and how it is secured.
    ///   - loop: The loop that the connection belongs to.
    ///   - report: Called once, on the loop's thread, unless the attempt is cancelled.
    init(
        _ route: WireRoute, loop: EventLoop,
        report: @escaping @Sendable (HTTP1Attempt, consuming Outcome) -> Void
    ) {
        self.route = route
        self.loop = loop
        self.report = report
        opener = WireOpener(
            route, begun: begun, timeLimit: route.arguments.connectTimeout, loop: loop)
    }
}

extension HTTP1Attempt {
    /// To be called on the loop's thread.
    func start() {
        timer.schedule(self, at: begun + route.arguments.connectTimeout, on: loop)
        if route.sockets != nil { return open([]) }
        if let proxy = route.proxy { return lookUp(proxy.host, port: proxy.port) }
        switch route.target.resolution {
        case .addresses(let addresses): open(addresses)
        case .name(let host, let port): lookUp(host, port: port)
        // Refused when the channel was made.
        case .registered: open([])
        }
    }

    /// Ends the attempt without a report.
    func cancel() { _ = finish() }

    /// What the attempt waits for now. A call whose deadline passes reports it as a cause.
    var progress: (phase: RPCError.Phase, text: String) { opener.progress }

    /// Ends the attempt. False if it has ended before.
    private func finish() -> Bool {
        let left: (NameLookups.Ticket?, Handshake?)? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            return (state.lookup.take(), state.handshake.take())
        }
        guard let (lookup, handshake) = left else { return false }
        timer.close()
        opener.close()
        if let lookup { NameLookups.shared.cancel(lookup) }
        handshake?.cancel()
        return true
    }

    private func fail(_ failure: ConnectionFailure) {
        if finish() { report(self, .failed(failure)) }
    }

    private func lookUp(_ host: String, port: UInt16) {
        let ticket = NameLookups.shared.lookUp(host) { [self] answer in
            loop.run { [self] in
                switch answer {
                case .success(let addresses): open(addresses.compactMap { $0.with(port: port) })
                case .failure(let error):
                    fail(ConnectionFailure(phase: .resolve, cause: "\(error)"))
                }
            }
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.lookup = ticket }
            return state.isOver
        }
        if isOver { NameLookups.shared.cancel(ticket) }
    }

    private func open(_ addresses: [SocketAddress]) {
        guard !addresses.isEmpty || route.sockets != nil else {
            return fail(
                ConnectionFailure(phase: .resolve, cause: "\(route.target) has no address"))
        }
        opener.start(addresses, resolved: .now) { [self] outcome in
            switch consume outcome {
            case .opened(let wire, let address): shakeHands(wire, address)
            case .late(let share):
                passOver("\(WireOpener.noHandshake) within \(share)")
            case .failed(let failure): fail(failure)
            }
        }
    }

    private func shakeHands(_ wire: consuming LinkWire, _ address: SocketAddress) {
        let handshake = Handshake(wire, loop) { [self] outcome in
            switch consume outcome {
            case .failed(let cause): passOver(cause)
            case .done(let wire, let received): succeed(wire, received, address)
            }
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.handshake = handshake }
            return state.isOver
        }
        if isOver { handshake.cancel() } else { handshake.start() }
    }

    private func succeed(
        _ wire: consuming LinkWire, _ received: [UInt8], _ address: SocketAddress
    ) {
        var times = opener.times
        if wire.isSecure { times.secured = .now }
        let connection = OpenConnection(
            wire: wire, received: received, address: address, times: times)
        state.withLock { $0.handshake = nil }
        guard finish() else { return }
        report(self, .connected(connection))
    }

    /// The handshake with an address has failed. Tries the other addresses.
    private func passOver(_ cause: String) {
        let handshake = state.withLock { $0.handshake.take() }
        handshake?.cancel()
        opener.passOver(phase: .tls, cause)
    }
}

extension OpenConnection {
    fileprivate init(
        wire: consuming LinkWire, received: [UInt8], address: SocketAddress,
        times: ConnectionTimes
    ) {
        let chosen = wire.applicationProtocol
        self.init(
            wire: wire, received: received, address: address, times: times,
            applicationProtocol: chosen)
    }
}

extension HTTP1Attempt: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        let (phase, text) = progress
        fail(opener.failure(phase, "\(text) within \(route.arguments.connectTimeout)"))
    }
}
