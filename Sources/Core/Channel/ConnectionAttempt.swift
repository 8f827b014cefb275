import SwiftletTransport
import Synchronization

/// One attempt to get a connection: connect to one of several addresses, shake hands, and receive the
/// server's first SETTINGS. Ends once, within its time.
///
/// An address that accepts the connection and then does not speak HTTP/2 counts as failed, like one that
/// does not answer: the attempt goes on with the other addresses.
final class ConnectionAttempt: Sendable {
    fileprivate struct State {
        /// Addresses that have not failed.
        var addresses: [SocketAddress] = []
        var failures: [Failure] = []
        var dialer: Dialer?
        var tunnel: ProxyTunnel?
        var link: Link?
        var peer = ""
        var phase = RPCError.Phase.connect
        var times: ConnectionTimes
        var isOver = false
    }

    fileprivate typealias Failure = (address: String, cause: String)

    let begun: MonotonicInstant
    /// How long the attempt may take.
    private let timeLimit: Duration
    private let plan: ConnectionPlan
    private let serverName: String?
    private let loop: EventLoop
    private let owner: SubchannelCore
    /// Ends the attempt.
    private let timer = TimerSlot()
    /// Ends the handshake with one address, so that it leaves time for the others.
    private let handshakeTimer = TimerSlot()
    private let state: Mutex<State>

    init(
        _ addresses: [SocketAddress], serverName: String?, plan: ConnectionPlan,
        timeLimit: Duration, owner: SubchannelCore
    ) {
        self.timeLimit = timeLimit
        self.plan = plan
        self.serverName = serverName
        self.owner = owner
        loop = plan.nextLoop()
        begun = .now
        var times = ConnectionTimes(begun: begun)
        times.resolved = plan.resolvedAt
        state = Mutex(State(addresses: addresses, times: times))
    }
}

extension ConnectionAttempt {
    func start() {
        timer.schedule(self, at: begun + timeLimit, on: loop)
        if let sockets = plan.sockets { return take(from: sockets) }
        dial(state.withLock { $0.addresses })
    }

    /// Gives up without a report.
    func cancel() {
        guard let (dialer, link) = finish() else { return }
        dialer?.cancel()
        link?.end(with: LinkError(phase: .http2, cause: "given up"))
    }

    /// Whoever ends the attempt first gets what is left of it; all others get nil.
    private func finish() -> (Dialer?, Link?)? {
        var tunnel: ProxyTunnel?
        let left: (Dialer?, Link?)? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            tunnel = state.tunnel.take()
            return (state.dialer.take(), state.link.take())
        }
        tunnel?.cancel()
        timer.close()
        handshakeTimer.close()
        return left
    }

    private func fail(_ failure: ConnectionFailure) {
        guard let (dialer, link) = finish() else { return }
        dialer?.cancel()
        link?.end(with: LinkError(phase: .http2, cause: "given up"))
        owner.attemptFailed(self, failure)
    }
}

// MARK: - From an address to a connection

extension ConnectionAttempt {
    private func take(from sockets: SocketSupply) {
        do throws(SystemError) {
            dialed(.connected(try sockets(), .unix(path: plan.target.text), []))
        } catch {
            fail(ConnectionFailure(phase: .connect, cause: "\(error)"))
        }
    }

    private func dial(_ addresses: [SocketAddress]) {
        let dialer = Dialer(
            addresses, attemptDelay: plan.arguments.happyEyeballsDelay,
            options: plan.arguments.socketOptions, loop: loop
        ) { [self] outcome in dialed(outcome) }
        let isOver = state.withLock { state in
            state.phase = .connect
            state.addresses = addresses
            if !state.isOver { state.dialer = dialer }
            return state.isOver
        }
        if !isOver { dialer.start() }
    }

    private func dialed(_ outcome: consuming Dialer.Outcome) {
        switch consume outcome {
        case .failed(let failures):
            let all = state.withLock { $0.note(failures) }
            fail(ConnectionFailure(phase: .connect, attempts: all))
        case .connected(let socket, let address, let failures):
            state.withLock { state in
                state.times.connected = .now
                state.times.failedAttemptCount = state.note(failures).count
                state.addresses.removeAll { $0 == address }
            }
            openTunnel(socket, address)
        }
    }

    /// Has the proxy, if there is one, connect the socket to the server.
    private func openTunnel(_ socket: consuming Socket, _ address: SocketAddress) {
        guard let proxy = plan.proxy, let (host, port) = plan.target.proxyDestination else {
            return secure(socket, address)
        }
        let handshake = ProxyHandshake(proxy, host: host, port: port)
        let tunnel = ProxyTunnel(socket, handshake, loop: loop) { [self] outcome in
            state.withLock { $0.tunnel = nil }
            switch consume outcome {
            case .connected(let socket): secure(socket, address)
            case .failed(let cause): passOver(nil, phase: .connect, "\(address)", cause)
            }
        }
        let isOver = state.withLock { state in
            state.dialer = nil
            state.peer = "\(address)"
            if !state.isOver { state.tunnel = tunnel }
            return state.isOver
        }
        if !isOver { tunnel.start() }
    }

    private func secure(_ socket: consuming Socket, _ address: SocketAddress) {
        state.withLock { state in
            // Before the session is made, which may take a while: it loads certificates.
            state.phase = .http2
            state.peer = "\(address)"
        }
        let session: (any TLSSession)?
        do throws(TLSError) {
            session = try plan.credentials.session(
                for: serverName ?? plan.arguments.defaultHost ?? plan.target.host,
                override: plan.arguments.targetNameOverride)
        } catch {
            return passOver(nil, phase: .tls, "\(address)", "\(error)")
        }
        shakeHands(LinkWire(socket, session), address)
    }

    private func shakeHands(_ wire: consuming LinkWire, _ address: SocketAddress) {
        let link = Link(
            wire, to: address, times: state.withLock { $0.times }, plan.configuration,
            loop: loop, frameLog: plan.arguments.frameLog ?? .ofEnvironment, owner: self)
        let (isOver, otherCount) = state.withLock { state in
            state.dialer = nil
            if !state.isOver { state.link = link }
            return (state.isOver, state.addresses.count)
        }
        guard !isOver else { return }
        if otherCount > 0 { limitHandshake(of: link, otherCount: otherCount) }
        link.start()
    }

    /// Leaves the other addresses their share of the time.
    private func limitHandshake(of link: Link, otherCount: Int) {
        let now = MonotonicInstant.now
        let share = now.duration(to: begun + timeLimit) / (otherCount + 1)
        handshakeTimer.schedule(HandshakeTimer(self, link, share), at: now + share, on: loop)
    }

    fileprivate func handshakeIsLate(_ link: Link, _ time: Duration) {
        let isSecured = link.isSecured
        passOver(
            link, phase: isSecured ? .http2 : .tls, link.peer,
            "\(Self.missing(isSecured: isSecured)) within \(time)")
    }

    /// An address was connected to in vain: tries those that are left.
    ///
    /// - Parameter link: Nil before there is one. One that was passed over already changes nothing.
    private func passOver(
        _ link: Link?, phase: RPCError.Phase, _ peer: String, _ cause: String
    ) {
        typealias Left = (addresses: [SocketAddress], failures: [Failure])
        let left: Left? = state.withLock { state in
            guard !state.isOver, state.link === link else { return nil }
            state.link = nil
            state.failures.append((peer, "connect \(peer): \(cause)"))
            return (state.addresses, state.failures)
        }
        guard let left else { return }
        handshakeTimer.cancel()
        link?.end(with: LinkError(phase: .http2, cause: "given up"))
        guard left.addresses.isEmpty else { return dial(left.addresses) }
        fail(ConnectionFailure(phase: phase, attempts: left.failures))
    }
}

// MARK: - What the attempt waits for

extension ConnectionAttempt {
    /// What the attempt waits for now: the cause of a call whose deadline passes meanwhile.
    var progress: (phase: RPCError.Phase, text: String) {
        let (phase, peer, link, hasTunnel) = state.withLock {
            ($0.phase, $0.peer, $0.link, $0.tunnel != nil)
        }
        switch phase {
        case .connect where hasTunnel:
            return (.connect, "connect \(peer): no answer of the proxy")
        case .connect: return (.connect, "connect to \(plan.target): no answer")
        default:
            let isSecured = link?.isSecured ?? !plan.credentials.isSecure
            return (
                isSecured ? .http2 : .tls,
                "connect \(peer): \(Self.missing(isSecured: isSecured))"
            )
        }
    }

    private static func missing(isSecured: Bool) -> String {
        isSecured ? "no HTTP/2 SETTINGS from the server" : "the TLS handshake did not complete"
    }
}

/// Ends the share of an attempt's time that one address has.
private final class HandshakeTimer: TimerTarget {
    private let attempt: ConnectionAttempt
    private let link: Link
    private let time: Duration

    init(_ attempt: ConnectionAttempt, _ link: Link, _ time: Duration) {
        self.attempt = attempt
        self.link = link
        self.time = time
    }

    func timerFired(now: MonotonicInstant) { attempt.handshakeIsLate(link, time) }
}

extension ConnectionAttempt.State {
    /// Returns all failures so far.
    fileprivate mutating func note(
        _ failures: [HappyEyeballs<String>.Failure]
    ) -> [(address: String, cause: String)] {
        addresses.removeAll { address in failures.contains { $0.address == address } }
        self.failures += failures.map { ("\($0.address)", $0.cause) }
        return self.failures
    }
}

extension ConnectionAttempt: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        let (phase, progress) = self.progress
        let dialer = state.withLock { $0.dialer }
        var failure = ConnectionFailure(phase: phase)
        let failures = dialer?.cancel() ?? []
        failure.attempts = state.withLock { $0.note(failures) }
        failure.cause = "\(progress) within \(timeLimit)"
        fail(failure)
    }
}

// MARK: - The first words of the server

extension ConnectionAttempt: LinkOwner {
    func linkIsReady(_ link: Link) {
        guard finish() != nil else { return }
        link.changeOwner(to: owner)
        owner.attemptSucceeded(self, link)
    }

    func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame) {
        passOver(
            link, phase: .http2, link.peer, "the server said GOAWAY at once (\(goAway.code))")
    }

    func linkHasRoom(_ link: Link) {}

    func linkEnded(_ link: Link, _ error: LinkError) {
        passOver(link, phase: error.phase == .tls ? .tls : .http2, link.peer, error.cause)
    }
}
