import SwiftletTransport
import Synchronization

/// One attempt to get a connection: look the name up, connect to one of its addresses, shake
/// hands, and hear the server's first SETTINGS. Ends once, within its time.
///
/// An address that lets itself be connected to and then has no HTTP/2 to offer is passed over like
/// one that does not answer: others may be left.
final class ConnectionAttempt: Sendable {
    fileprivate struct State {
        /// Addresses that have not failed.
        var addresses: [SocketAddress] = []
        var failures: [Failure] = []
        var dialer: Dialer?
        var link: Link?
        var peer = ""
        /// An address must not keep the others from being tried.
        var handshakeTimer: TimerHandle?
        var phase = RPCError.Phase.resolve
        var timer: TimerHandle?
        var times: ConnectionTimes
        var isOver = false
    }

    fileprivate typealias Failure = (address: String, cause: String)

    let begun: MonotonicInstant
    private let target: Target
    private let credentials: ChannelCredentials
    private let arguments: ChannelArguments
    private let configuration: ConnectionConfiguration
    private let loop: EventLoop
    private let owner: ChannelCore
    private let state: Mutex<State>

    init(
        _ target: Target, credentials: ChannelCredentials, arguments: ChannelArguments,
        configuration: ConnectionConfiguration, loop: EventLoop, owner: ChannelCore
    ) {
        self.target = target
        self.credentials = credentials
        self.arguments = arguments
        self.configuration = configuration
        self.loop = loop
        self.owner = owner
        begun = .now
        state = Mutex(State(times: ConnectionTimes(begun: begun)))
    }
}

extension ConnectionAttempt {
    func start() {
        let timer = loop.schedule(self, at: begun + arguments.connectTimeout)
        let isOver = state.withLock { state in
            if !state.isOver { state.timer = timer }
            return state.isOver
        }
        guard !isOver else { return loop.cancel(timer) }
        if let sockets = owner.sockets { return take(from: sockets) }
        switch target.resolution {
        case .addresses(let addresses): dial(addresses)
        case .name(let host, let port): lookUp(host, port: port)
        }
    }

    /// Gives up without a report.
    func cancel() {
        guard let (dialer, link) = finish() else { return }
        dialer?.cancel()
        link?.end(with: LinkError(phase: .http2, cause: "given up"))
    }

    /// Whoever ends the attempt first gets what is left of it; all others get nil.
    private func finish() -> (Dialer?, Link?)? {
        let (result, timers): ((Dialer?, Link?)?, [TimerHandle]) = state.withLock { state in
            guard !state.isOver else { return (nil, []) }
            state.isOver = true
            let timers = [state.timer.take(), state.handshakeTimer.take()].compactMap(\.self)
            return ((state.dialer.take(), state.link.take()), timers)
        }
        for timer in timers { loop.cancel(timer) }
        return result
    }

    private func fail(_ failure: ConnectionFailure) {
        guard let (dialer, link) = finish() else { return }
        dialer?.cancel()
        link?.end(with: LinkError(phase: .http2, cause: "given up"))
        owner.attemptFailed(self, failure)
    }
}

// MARK: - Name, address, connection

extension ConnectionAttempt {
    /// The system's resolver blocks, so it gets a thread for as long as it takes.
    private func lookUp(_ host: String, port: UInt16) {
        let didStart = Thread.start { [self] in
            do throws(NameLookup.Failure) {
                let addresses = try NameLookup.addresses(of: host, port: port)
                loop.run { [self] in dial(addresses) }
            } catch {
                let cause = "\(error)"
                loop.run { [self] in fail(ConnectionFailure(phase: .resolve, cause: cause)) }
            }
        }
        if !didStart {
            fail(ConnectionFailure(phase: .resolve, cause: "look up \(host): no thread for it"))
        }
    }

    private func take(from sockets: SocketSupply) {
        do throws(SystemError) {
            dialed(.connected(try sockets(), .unix(path: target.text), []))
        } catch {
            fail(ConnectionFailure(phase: .connect, cause: "\(error)"))
        }
    }

    private func dial(_ addresses: [SocketAddress]) {
        guard !addresses.isEmpty else {
            return fail(ConnectionFailure(phase: .resolve, cause: "\(target) has no address"))
        }
        let dialer = Dialer(
            addresses, attemptDelay: arguments.happyEyeballsDelay,
            options: arguments.socketOptions, loop: loop
        ) { [self] outcome in dialed(outcome) }
        let isOver = state.withLock { state in
            state.phase = .connect
            if state.times.resolved == nil { state.times.resolved = .now }
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
            let session: (any TLSSession)?
            do throws(TLSError) {
                session = try credentials.session(
                    for: target.host, override: arguments.targetNameOverride)
            } catch {
                return passOver(nil, phase: .tls, "\(address)", "\(error)")
            }
            shakeHands(LinkWire(socket, session), address)
        }
    }

    private func shakeHands(_ wire: consuming LinkWire, _ address: SocketAddress) {
        let link = Link(
            wire, to: address, times: state.withLock { $0.times }, configuration, loop: loop,
            owner: self)
        let (isOver, otherCount) = state.withLock { state in
            state.dialer = nil
            state.peer = "\(address)"
            state.phase = .http2
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
        let left = now.duration(to: begun + arguments.connectTimeout)
        let share = left / (otherCount + 1)
        let timer = loop.schedule(HandshakeTimer(self, link, share), at: now + share)
        let isOver = state.withLock { state in
            if !state.isOver { state.handshakeTimer = timer }
            return state.isOver
        }
        if isOver { loop.cancel(timer) }
    }

    fileprivate func handshakeIsLate(_ link: Link, _ time: Duration) {
        passOver(link, phase: .http2, link.peer, "no HTTP/2 SETTINGS within \(time)")
    }

    /// An address was connected to in vain: tries those that are left.
    ///
    /// - Parameter link: Nil before there is one. One that was passed over already changes nothing.
    private func passOver(
        _ link: Link?, phase: RPCError.Phase, _ peer: String, _ cause: String
    ) {
        typealias Left = (addresses: [SocketAddress], failures: [Failure], timer: TimerHandle?)
        let left: Left? = state.withLock { state in
            guard !state.isOver, state.link === link else { return nil }
            state.link = nil
            state.failures.append((peer, "connect \(peer): \(cause)"))
            return (state.addresses, state.failures, state.handshakeTimer.take())
        }
        guard let left else { return }
        if let timer = left.timer { loop.cancel(timer) }
        link?.end(with: LinkError(phase: .http2, cause: "given up"))
        guard left.addresses.isEmpty else { return dial(left.addresses) }
        fail(ConnectionFailure(phase: phase, attempts: left.failures))
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
        let (phase, peer, dialer) = state.withLock { ($0.phase, $0.peer, $0.dialer) }
        var failure = ConnectionFailure(phase: phase)
        let failures = dialer?.cancel() ?? []
        failure.attempts = state.withLock { $0.note(failures) }
        let what =
            switch phase {
            case .resolve: "look up \(target)"
            case .connect: "connect to \(target)"
            default: "connect \(peer): no HTTP/2 SETTINGS from the server"
            }
        failure.cause = "\(what): nothing within \(arguments.connectTimeout)"
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
