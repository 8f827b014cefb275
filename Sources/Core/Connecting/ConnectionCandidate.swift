import SwiftletTransport
import Synchronization

/// Why the way to an address ended without a connection. The candidate knows the step.
struct CandidateFailure: Error, Equatable {
    var cause: String
    /// Whether the server has drained the connection without an error, as it may do with any that it does not need.
    var isDrain = false

    static var givenUp: CandidateFailure { CandidateFailure(cause: LinkError.givenUp.cause) }
}

/// The whole way to one address: the socket, the proxy, TLS, the program's verification, and the answer of
/// the server to HTTP/2. A ``ConnectionRace`` runs several at once.
final class ConnectionCandidate: Sendable {
    /// What the candidate waits for.
    struct Progress: Sendable {
        var phase: RPCError.Phase
        var missing: String
    }

    private struct State: ~Copyable {
        var progress = Progress(phase: .connect, missing: "no answer")
        var times: ConnectionTimes
        /// What the server has done with the connection of HTTP/2; nil before it did anything.
        var answer: Answer?
    }

    private enum Answer { case ready, failed(CandidateFailure) }

    let address: SocketAddress
    /// What is known of the server at this address; nil if it is treated as the target is.
    let serverName: ServerName?
    let loop: EventLoop
    private static let proxyTurn = Atomic<UInt>(0)
    private let plan: ConnectionPlan
    private let wakeUp = WakeUp()
    private let state: Mutex<State>

    init(
        _ address: SocketAddress, serverName: ServerName?, _ plan: ConnectionPlan,
        times: ConnectionTimes, loop: EventLoop
    ) {
        self.address = address
        self.serverName = serverName
        self.plan = plan
        self.loop = loop
        state = Mutex(State(times: times))
    }
}

// MARK: - The way

extension ConnectionCandidate {
    /// Connects the socket, requests the tunnel, and completes the TLS handshake and the program's
    /// verification. The wire has read nothing after the handshake.
    func openWire() async throws(CandidateFailure) -> LinkWire {
        let wire = LinkWire(try await connectedSocket(), try makeSession())
        do throws(CandidateFailure) {
            try await secure(wire)
        } catch {
            wire.close(on: loop)
            throw error
        }
        return wire
    }

    private func connectedSocket() async throws(CandidateFailure) -> Socket {
        let first = try await firstAddress()
        let tunnel = try tunnel()
        var socket = ConnectingSocket(try makeSocket(to: first), loop, wakeUp)
        if plan.sockets == nil { try await socket.connect(to: first) }
        state.withLock { $0.times.connected = .now }
        if let tunnel {
            wait(for: "no answer from the proxy", .connect)
            try await socket.requestTunnel(tunnel)
        }
        guard let socket = socket.take() else { throw .givenUp }
        return socket
    }

    /// The address that the socket connects to: that of the endpoint's proxy, or else the candidate's.
    private func firstAddress() async throws(CandidateFailure) -> SocketAddress {
        guard let proxy = serverName?.proxy else { return address }
        if let address = SocketAddress(host: proxy.host, port: proxy.port) { return address }
        let answer: NameLookups.Answer = try await result { found in
            let ticket = NameLookups.shared.lookUp(proxy.host, found)
            return { NameLookups.shared.cancel(ticket) }
        }
        switch answer {
        case .failure(let failure): throw CandidateFailure(cause: "\(failure)")
        case .success(let found) where found.isEmpty:
            throw CandidateFailure(cause: "the proxy \(proxy) has no address")
        case .success(let found):
            // The next candidate takes the next one: this one may not answer.
            let turn = Self.proxyTurn.wrappingAdd(1, ordering: .relaxed).oldValue
            return found[Int(turn % UInt(found.count))].with(port: proxy.port)
        }
    }

    /// What is asked of the proxy; nil without one.
    private func tunnel() throws(CandidateFailure) -> ProxyHandshake? {
        if let proxy = serverName?.proxy {
            guard let (host, port) = Target.split("\(address)"), let port else {
                throw CandidateFailure(cause: "no proxy connects to \(address)")
            }
            return ProxyHandshake(proxy: proxy, host: host, port: port)
        }
        guard let proxy = plan.proxy, let (host, port) = plan.target.destination else {
            return nil
        }
        return ProxyHandshake(proxy: proxy, host: host, port: port)
    }

    private func makeSocket(to address: SocketAddress) throws(CandidateFailure) -> Socket {
        do throws(SystemError) {
            if let sockets = plan.sockets { return try sockets() }
            let socket = try Socket(for: address)
            if address.isTCP {
                try socket.setTCPOptions(userTimeout: plan.arguments.userTimeout)
            }
            return socket
        } catch {
            throw CandidateFailure(cause: "\(error)")
        }
    }

    private func makeSession() throws(CandidateFailure) -> (any TLSSession)? {
        // Before the session is made, which may take a while: it loads certificates.
        wait(for: "the TLS handshake did not complete", .tls)
        do throws(TLSError) {
            if let security { return try security.makeSession(offering: plan.protocols) }
            return try plan.credentials.session(
                for: host, override: plan.arguments.targetNameOverride,
                offering: plan.protocols)
        } catch {
            throw CandidateFailure(cause: "\(error)")
        }
    }

    private func secure(_ wire: borrowing LinkWire) async throws(CandidateFailure) {
        guard wire.isSecure else { return }
        var content = ReceiveBuffer()
        do throws(LinkError) {
            try await wire.shakeHands(on: loop, wakeUp, into: &content)
        } catch {
            throw CandidateFailure(cause: error.cause)
        }
        state.withLock { $0.times.secured = .now }
        if let security {
            HeldLocks.assertNone(calling: "endpoint security")
            guard let reason = security.nameCheck(wire.withSession(\.peerNames) ?? []) else {
                return
            }
            throw CandidateFailure(
                cause: "the certificate of the server was refused: \(PeerText.clean(reason))")
        }
        if let verification = plan.credentials.verification {
            try await verify(wire.withSession(\.verifiedCertificates) ?? [], by: verification)
        }
    }

    /// Runs the program's check of the certificates in a task of its own, so that it blocks no other
    /// connection of the loop, and so that a check that ignores its cancellation does not prolong the race.
    private func verify(
        _ chain: [[UInt8]], by verification: PeerVerification
    ) async throws(CandidateFailure) {
        wait(for: "the program's verification of the server did not end", .tls)
        let server =
            plan.arguments.targetNameOverride ?? plan.credentials.targetNameOverride ?? host
        let verdict: Result<Void, CandidateFailure> = try await result { verdict in
            let check = Task.detached {
                do {
                    HeldLocks.assertNone(calling: "verification")
                    try await verification.check(chain, server)
                    verdict(.success(()))
                } catch {
                    let cause = "the program's verification refused the server: \(error)"
                    verdict(.failure(CandidateFailure(cause: cause)))
                }
            }
            return check.cancel
        }
        try verdict.get()
    }

    /// Waits for the result of work on another thread. `start` begins the work, and returns what cancels it.
    private func result<Value: Sendable>(
        _ start: (@escaping @Sendable (Value) -> Void) -> @Sendable () -> Void
    ) async throws(CandidateFailure) -> Value {
        let box = Box<Value>()
        let cancel = start { [wakeUp] value in
            box.value.withLock { $0 = value }
            wakeUp.signal()
        }
        defer { cancel() }
        while true {
            guard await wakeUp.wait() else { throw .givenUp }
            if let value = box.value.withLock({ $0 }) { return value }
        }
    }

    /// Nil while the work runs.
    private final class Box<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    /// What secures the connection instead of the channel's credentials; nil for those.
    private var security: EndpointSecurity? {
        plan.credentials.isDecidedByEndpoints ? serverName?.security : nil
    }

    /// The server's name for TLS.
    private var host: String {
        serverName?.name ?? plan.arguments.defaultAuthority.flatMap { Target.split($0)?.host }
            ?? plan.target.host
    }
}

// MARK: - HTTP/2

extension ConnectionCandidate {
    /// Begins HTTP/2 on the wire, and waits for the server's SETTINGS.
    func openLink(_ wire: consuming LinkWire) async throws(CandidateFailure) -> Link {
        wait(for: "no HTTP/2 SETTINGS from the server", .http2)
        let link = Link(
            wire, to: address, times: state.withLock { $0.times }, plan.configuration, loop: loop,
            frameLog: plan.arguments.frameLog ?? .ofEnvironment, owner: self)
        link.start()
        do throws(CandidateFailure) {
            while true {
                switch state.withLock({ $0.answer }) {
                case .ready: return link
                case .failed(let failure): throw failure
                case nil: guard await wakeUp.wait() else { throw .givenUp }
                }
            }
        } catch {
            link.endSoon(with: .givenUp)
            throw error
        }
    }

    /// The first failure stays: it explains those that follow.
    private func answer(_ answer: Answer) {
        state.withLock { state in
            if case .failed = state.answer { return }
            state.answer = answer
        }
        wakeUp.signal()
    }
}

extension ConnectionCandidate: LinkOwner {
    func linkIsReady(_ link: Link) { answer(.ready) }

    func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame) {
        let cause = "the server sent GOAWAY with its first SETTINGS (\(goAway.code))"
        answer(.failed(CandidateFailure(cause: cause, isDrain: goAway.code == .noError)))
    }

    func linkHasRoom(_ link: any SubchannelLink) {}

    func linkEnded(_ link: any SubchannelLink, _ error: LinkError) {
        // The server may refuse the client's certificate after the handshake (RFC 8446 §4.4.2).
        if error.phase == .tls { wait(for: "", .tls) }
        answer(.failed(CandidateFailure(cause: error.cause)))
    }
}

// MARK: - From any thread

extension ConnectionCandidate {
    /// Makes the way end soon, with a failure.
    func cancel() { wakeUp.cancel() }

    var times: ConnectionTimes { state.withLock { $0.times } }

    var progress: Progress { state.withLock { $0.progress } }

    /// What the candidate connects to, for errors.
    var subject: String {
        if let proxy = serverName?.proxy { return "connect to the proxy \(proxy) for \(address)" }
        guard let proxy = plan.proxy, plan.sockets == nil else { return "connect \(address)" }
        return "connect to the proxy \(proxy) (\(address)) for \(plan.target)"
    }

    private func wait(for missing: String, _ phase: RPCError.Phase) {
        state.withLock { $0.progress = Progress(phase: phase, missing: missing) }
    }
}
