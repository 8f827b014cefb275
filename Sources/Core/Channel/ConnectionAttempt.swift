import SwiftletTransport
import Synchronization

/// One attempt to get a connection: connects to one of several addresses, completes the handshake,
/// and receives the server's first SETTINGS. Ends once, within its time limit.
///
/// An address that accepts the connection but does not use HTTP/2 counts as failed, like one that
/// does not answer: the attempt continues with the other addresses.
final class ConnectionAttempt: Sendable {
    fileprivate struct State {
        var link: Link?
        var isOver = false
    }

    let begun: MonotonicInstant
    private let addresses: [SocketAddress]
    private let serverNames: [SocketAddress: String]
    /// How long the attempt may take.
    private let timeLimit: Duration
    private let plan: ConnectionPlan
    private let loop: EventLoop
    private let owner: SubchannelCore
    private let opener: WireOpener
    /// Ends the attempt.
    private let timer = TimerSlot()
    private let state = Mutex(State())

    init(
        _ addresses: [SocketAddress], serverNames: [SocketAddress: String], plan: ConnectionPlan,
        timeLimit: Duration, owner: SubchannelCore
    ) {
        self.addresses = addresses
        self.serverNames = serverNames
        self.timeLimit = timeLimit
        self.plan = plan
        self.owner = owner
        loop = plan.nextLoop()
        begun = .now
        let route = WireRoute(
            target: plan.target, credentials: plan.credentials, arguments: plan.arguments,
            sockets: plan.sockets, proxy: plan.proxy)
        opener = WireOpener(route, begun: begun, timeLimit: timeLimit, loop: loop)
    }
}

extension ConnectionAttempt {
    func start() {
        timer.schedule(self, at: begun + timeLimit, on: loop)
        opener.start(
            addresses, serverNames: serverNames, resolved: plan.resolvedAt
        ) { [self] outcome in
            switch consume outcome {
            case .opened(let wire, let address): begin(wire, address)
            case .late(let share): linkIsLate(share)
            case .failed(let failure): fail(failure)
            }
        }
    }

    /// Replaces the addresses and their TLS names. Returns false, and changes nothing, if the attempt uses an
    /// address that is not listed any more, or has not been started: then another attempt is needed.
    func update(to addresses: [SocketAddress], serverNames: [SocketAddress: String]) -> Bool {
        opener.update(to: addresses, serverNames: serverNames)
    }

    /// The entry of the server names that was used for the connection.
    var peerName: String? { opener.peerName }

    /// Ends the attempt without a report.
    func cancel() {
        guard let link = finish() else { return }
        link?.end(with: Self.givenUp)
    }

    /// Ends the attempt. The first caller gets the link, if there is one; every later caller gets
    /// nil.
    private func finish() -> Link?? {
        let link: Link?? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            return .some(state.link.take())
        }
        guard let link else { return nil }
        timer.close()
        opener.close()
        return .some(link)
    }

    private func fail(_ failure: ConnectionFailure) {
        guard let link = finish() else { return }
        link?.end(with: Self.givenUp)
        owner.attemptFailed(self, failure)
    }

    private static var givenUp: LinkError { LinkError(phase: .http2, cause: "given up") }
}

// MARK: - From a wire to a connection

extension ConnectionAttempt {
    private func begin(_ wire: consuming LinkWire, _ address: SocketAddress) {
        let link = Link(
            wire, to: address, times: opener.times, plan.configuration, loop: loop,
            frameLog: plan.arguments.frameLog ?? .ofEnvironment, owner: self)
        let isOver = state.withLock { state in
            if !state.isOver { state.link = link }
            return state.isOver
        }
        if !isOver { link.start() }
    }

    private func linkIsLate(_ share: Duration) {
        guard let link = state.withLock({ $0.link }) else { return }
        let isSecured = link.isSecured
        passOver(
            link, phase: isSecured ? .http2 : .tls,
            "\(Self.missing(isSecured: isSecured)) within \(share)")
    }

    /// The connection to an address cannot be used: tries the remaining addresses. Has no effect
    /// for a link that was passed over before.
    private func passOver(_ link: Link, phase: RPCError.Phase, _ cause: String) {
        let isCurrent = state.withLock { state in
            guard !state.isOver, state.link === link else { return false }
            state.link = nil
            return true
        }
        guard isCurrent else { return }
        link.end(with: Self.givenUp)
        opener.passOver(phase: phase, cause)
    }
}

// MARK: - What the attempt waits for

extension ConnectionAttempt {
    /// What the attempt waits for now. A call whose deadline passes reports it as a cause.
    var progress: (phase: RPCError.Phase, text: String) {
        let progress = opener.progress
        let link = state.withLock { $0.link }
        guard progress.phase == .tls, link?.isSecured ?? !plan.credentials.isSecure else {
            return progress
        }
        let peer = link?.peer ?? "\(plan.target)"
        return (.http2, "connect \(peer): \(Self.missing(isSecured: true))")
    }

    private static func missing(isSecured: Bool) -> String {
        isSecured ? "no HTTP/2 SETTINGS from the server" : WireOpener.noHandshake
    }
}

extension ConnectionAttempt: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        let (phase, progress) = self.progress
        fail(opener.failure(phase, "\(progress) within \(timeLimit)"))
    }
}

// MARK: - The server's first frames

extension ConnectionAttempt: LinkOwner {
    func linkIsReady(_ link: Link) {
        guard finish() != nil else { return }
        link.changeOwner(to: owner)
        owner.attemptSucceeded(self, link)
    }

    func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame) {
        passOver(
            link, phase: .http2, "the server sent GOAWAY with its first SETTINGS (\(goAway.code))")
    }

    func linkHasRoom(_ link: Link) {}

    func linkEnded(_ link: Link, _ error: LinkError) {
        passOver(link, phase: error.phase == .tls ? .tls : .http2, error.cause)
    }
}
