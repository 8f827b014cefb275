import SwiftletTransport
import Synchronization

/// One attempt to get a connection: look the name up, connect to one of its addresses, shake
/// hands, and hear the server's first SETTINGS. Ends once, within its time.
final class ConnectionAttempt: Sendable {
    private struct State {
        var dialer: Dialer?
        var link: Link?
        var peer = ""
        var phase = RPCError.Phase.resolve
        var timer: TimerHandle?
        var times: ConnectionTimes
        var isOver = false
    }

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
        state.withLock { $0.timer = timer }
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
        let (result, timer): ((Dialer?, Link?)?, TimerHandle?) = state.withLock { state in
            guard !state.isOver else { return (nil, nil) }
            state.isOver = true
            return ((state.dialer.take(), state.link.take()), state.timer.take())
        }
        if let timer { loop.cancel(timer) }
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
            dialed(.connected(try sockets(), .unix(path: target.text), failureCount: 0))
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
            state.times.resolved = .now
            if !state.isOver { state.dialer = dialer }
            return state.isOver
        }
        if !isOver { dialer.start() }
    }

    private func dialed(_ outcome: consuming Dialer.Outcome) {
        switch consume outcome {
        case .failed(let failures):
            fail(
                ConnectionFailure(
                    phase: .connect, attempts: failures.map { ("\($0.address)", $0.cause) }))
        case .connected(let socket, let address, let failureCount):
            state.withLock { state in
                state.times.connected = .now
                state.times.failedAttemptCount = failureCount
            }
            let session: (any TLSSession)?
            do throws(TLSError) {
                session = try credentials.session(
                    for: target.host, override: arguments.targetNameOverride)
            } catch {
                return fail(
                    ConnectionFailure(
                        phase: .tls, attempts: [("\(address)", "connect \(address): \(error)")]))
            }
            shakeHands(LinkWire(socket, session), address)
        }
    }

    private func shakeHands(_ wire: consuming LinkWire, _ address: SocketAddress) {
        let link = Link(
            wire, to: address, times: state.withLock { $0.times }, configuration, loop: loop,
            owner: self)
        let isOver = state.withLock { state in
            state.dialer = nil
            state.peer = "\(address)"
            state.phase = .http2
            if !state.isOver { state.link = link }
            return state.isOver
        }
        if !isOver { link.start() }
    }
}

extension ConnectionAttempt: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        let (phase, peer, dialer) = state.withLock { ($0.phase, $0.peer, $0.dialer) }
        var failure = ConnectionFailure(phase: phase)
        failure.attempts = dialer?.cancel().map { ("\($0.address)", $0.cause) } ?? []
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

    func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame) {}

    func linkHasRoom(_ link: Link) {}

    func linkEnded(_ link: Link, _ error: LinkError) {
        let phase: RPCError.Phase = error.phase == .tls ? .tls : .http2
        fail(
            ConnectionFailure(
                phase: phase,
                attempts: [(link.peer, "connect \(link.peer): \(error.cause)")]))
    }
}
