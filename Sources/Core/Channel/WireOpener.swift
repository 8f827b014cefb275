import SwiftletTransport
import Synchronization

/// The target of a channel's connections, and how they are secured.
struct WireRoute: Sendable {
    let target: Target
    let credentials: ChannelCredentials
    let arguments: ChannelArguments
    /// The application protocols that are offered over TLS; nil offers those of the credentials.
    var protocols: [String]?
    /// Supplies connected sockets; nil connects to addresses.
    let sockets: SocketSupply?
    /// The proxy that connections are made through; nil for none.
    let proxy: ProxyServer?
}

/// Opens a connection ("wire") to one of several addresses: connects a socket, asks the proxy, if
/// any, for a tunnel, and adds the TLS layer. The owner performs the handshake. If that fails,
/// ``passOver(phase:_:)`` opens a wire to another address.
final class WireOpener: Sendable {
    enum Outcome: ~Copyable, Sendable {
        /// A wire to the address. If the program verifies the server, the handshake is complete and
        /// the verification has succeeded. Otherwise the handshake has not begun.
        case opened(LinkWire, SocketAddress)
        /// The handshake over the last wire has used its share of the time; the rest is for the
        /// other addresses. The owner passes the address over.
        case late(Duration)
        /// No address is left.
        case failed(ConnectionFailure)
    }

    typealias Report = @Sendable (consuming Outcome) -> Void

    fileprivate struct State {
        /// Addresses that have not failed, except the one that is connected.
        var addresses: [SocketAddress] = []
        /// The names that TLS checks. For an address without an entry, TLS checks the channel's name.
        var serverNames: [SocketAddress: String] = [:]
        /// Addresses that an attempt to connect was started to.
        var started: Set<SocketAddress> = []
        var failures: [(address: String, cause: String)] = []
        var dialer: Dialer?
        var tunnel: ProxyTunnel?
        /// The handshake that precedes the program's verification.
        var verification: VerifiedHandshake?
        /// The address of the last successful connect. Empty before it.
        var peer = ""
        var peerAddress: SocketAddress?
        /// The entry of ``serverNames`` that TLS checks for the peer.
        var peerName: String?
        var phase = RPCError.Phase.resolve
        var times: ConnectionTimes
        /// The number of wires that were opened.
        var wireCount = 0
        /// Nil before the start.
        var report: Report?
        var isClosed = false
    }

    private let route: WireRoute
    private let deadline: MonotonicInstant
    private let loop: EventLoop
    private let handshakeTimer = TimerSlot()
    private let state: Mutex<State>

    /// - Parameters:
    ///   - route: The target of the wire.
    ///   - begun: When the attempt began.
    ///   - timeLimit: How long the attempt may take. The owner ends it.
    ///   - loop: The loop that the wire belongs to.
    init(_ route: WireRoute, begun: MonotonicInstant, timeLimit: Duration, loop: EventLoop) {
        self.route = route
        self.loop = loop
        deadline = begun + timeLimit
        state = Mutex(State(times: ConnectionTimes(begun: begun)))
    }
}

extension WireOpener {
    /// Starts to connect. The resolver found `addresses` at `resolved`; they are not used when a
    /// `SocketSupply` provides the sockets. Calls `report` on the loop's thread for each outcome
    /// until ``close()``. Does nothing after ``close()``.
    ///
    /// - Parameter serverNames: The names that TLS checks. For an address without an entry, TLS checks the
    ///   channel's name.
    func start(
        _ addresses: [SocketAddress], serverNames: [SocketAddress: String] = [:],
        resolved: MonotonicInstant?, report: @escaping Report
    ) {
        let isClosed = state.withLock { state in
            state.times.resolved = resolved
            state.addresses = addresses
            state.serverNames = serverNames
            if !state.isClosed { state.report = report }
            return state.isClosed
        }
        guard !isClosed else { return }
        if let sockets = route.sockets { take(from: sockets) } else { dial() }
    }

    /// Replaces the addresses and their names. Returns false, and changes nothing, if the present work is for
    /// an address that is not listed any more, or has another name: then the owner starts again.
    func update(to addresses: [SocketAddress], serverNames: [SocketAddress: String]) -> Bool {
        let (isKept, isHandshaking, dialer, rest) = state.withLock { state in
            guard !state.isClosed, state.report != nil else {
                return (false, false, nil as Dialer?, [] as [SocketAddress])
            }
            let dialer = state.dialer
            if dialer == nil {
                guard let peer = state.peerAddress, addresses.contains(peer),
                    serverNames[peer] == state.peerName
                else { return (false, false, nil, []) }
            }
            let failed = Set(state.failures.map(\.address))
            state.serverNames = serverNames
            state.addresses = addresses.filter { address in
                !failed.contains("\(address)") && (dialer != nil || address != state.peerAddress)
            }
            let isHandshaking = state.tunnel != nil || state.phase == .tls
            return (true, dialer == nil && isHandshaking, dialer, state.addresses)
        }
        dialer?.update(to: rest)
        // The new addresses have a share of the time, too.
        if isHandshaking { limitHandshake(isNew: false) }
        return isKept
    }

    /// The entry of the server names that was used for the last address.
    var peerName: String? { state.withLock { $0.peerName } }

    /// Ends without a report, and releases the owner.
    func close() {
        let (dialer, tunnel, verification, report) = state.withLock { state in
            state.isClosed = true
            return (
                state.dialer.take(), state.tunnel.take(), state.verification.take(),
                state.report.take()
            )
        }
        handshakeTimer.close()
        dialer?.cancel()
        tunnel?.cancel()
        verification?.cancel()
        // Released outside the lock.
        _ = report
    }

    /// The handshake with the current address has failed. Opens a wire to one of the remaining
    /// addresses, or reports the failure.
    func passOver(phase: RPCError.Phase, _ cause: String) {
        handshakeTimer.cancel()
        let (isLast, failures) = state.withLock { state in
            let peer = state.peer
            state.failures.append((peer, "connect \(peer): \(cause)"))
            return (state.addresses.isEmpty, state.failures)
        }
        guard isLast else { return dial() }
        report(.failed(ConnectionFailure(phase: phase, attempts: failures)))
    }

    /// The failure of an attempt whose time limit has passed.
    func failure(_ phase: RPCError.Phase, _ cause: String) -> ConnectionFailure {
        let dialer = state.withLock { $0.dialer }
        let failures = dialer?.cancel() ?? []
        let started = dialer?.startedAddresses ?? []
        return state.withLock { state in
            state.started.formUnion(started)
            var failure = ConnectionFailure(
                phase: phase, attempts: state.note(failures), cause: cause)
            failure.untried = state.addresses.filter { !state.started.contains($0) }
            return failure
        }
    }

    /// The times so far.
    var times: ConnectionTimes { state.withLock { $0.times } }

    /// What the opener waits for. In the phase `tls` the wire is open, and its owner has more
    /// details.
    var progress: (phase: RPCError.Phase, text: String) {
        let (phase, peer, hasTunnel, verification) = state.withLock {
            ($0.phase, $0.peer, $0.tunnel != nil, $0.verification)
        }
        return switch phase {
        case .tls where verification?.isVerifying ?? false:
            (.tls, "connect \(peer): \(Self.noVerification)")
        case .resolve: (.resolve, "look up \(route.target): no answer")
        case .connect where hasTunnel: (.connect, "connect \(peer): \(Self.noTunnel)")
        case .connect: (.connect, "connect to \(route.target): no answer")
        default: (.tls, "connect \(peer): \(Self.noHandshake)")
        }
    }

    fileprivate static let noTunnel = "no answer from the proxy"
    static let noHandshake = "the TLS handshake did not complete"
    fileprivate static let noVerification = "the program's verification of the server did not end"
}

// MARK: - From an address to a wire

extension WireOpener {
    private func take(from sockets: SocketSupply) {
        do throws(SystemError) {
            dialed(.connected(try sockets(), .unix(path: route.target.text), []))
        } catch {
            report(.failed(ConnectionFailure(phase: .connect, cause: "\(error)")))
        }
    }

    private func dial() {
        let dialer: Dialer? = state.withLock { state in
            state.phase = .connect
            guard !state.isClosed else { return nil }
            let dialer = Dialer(
                state.addresses, attemptDelay: route.arguments.happyEyeballsDelay,
                options: route.arguments.socketOptions, loop: loop
            ) { [self] outcome in dialed(outcome) }
            state.dialer = dialer
            return dialer
        }
        dialer?.start()
    }

    private func dialed(_ outcome: consuming Dialer.Outcome) {
        switch consume outcome {
        case .failed(let failures):
            let all = state.withLock { $0.note(failures) }
            report(.failed(ConnectionFailure(phase: .connect, attempts: all)))
        case .connected(let socket, let address, let failures):
            let started = state.withLock { $0.dialer }?.startedAddresses ?? []
            let isListed = state.withLock { state in
                state.dialer = nil
                state.started.formUnion(started)
                state.times.failedAttemptCount = state.note(failures).count
                // The address may have been removed while the dialer reported it.
                guard route.sockets != nil || state.addresses.contains(address) else {
                    return false
                }
                state.peer = "\(address)"
                state.peerAddress = address
                state.peerName = state.serverNames[address]
                state.times.connected = .now
                state.addresses.removeAll { $0 == address }
                return true
            }
            guard isListed else { return dial() }
            limitHandshake()
            openTunnel(socket, address)
        }
    }

    /// Asks the proxy, if there is one, to connect the socket to the server.
    private func openTunnel(_ socket: consuming Socket, _ address: SocketAddress) {
        guard let proxy = route.proxy, let (host, port) = route.target.proxyDestination else {
            return secure(socket, address)
        }
        let handshake = ProxyHandshake(proxy, host: host, port: port)
        let tunnel = ProxyTunnel(socket, handshake, loop: loop) { [self] outcome in
            state.withLock { $0.tunnel = nil }
            switch consume outcome {
            case .connected(let socket): secure(socket, address)
            case .failed(let cause): passOver(phase: .connect, cause)
            }
        }
        let isClosed = state.withLock { state in
            if !state.isClosed { state.tunnel = tunnel }
            return state.isClosed
        }
        if isClosed { tunnel.cancel() } else { tunnel.start() }
    }

    private func secure(_ socket: consuming Socket, _ address: SocketAddress) {
        // Set before the session is made, which may take a while: it loads certificates.
        let name: String? = state.withLock { state in
            state.phase = .tls
            return state.peerName
        }
        let session: (any TLSSession)?
        let host = name ?? route.arguments.defaultHost ?? route.target.host
        let override = route.arguments.targetNameOverride
        do throws(TLSError) {
            session = try route.credentials.session(
                for: host, override: override, offering: route.protocols)
        } catch {
            return passOver(phase: .tls, "\(error)")
        }
        guard let verification = route.credentials.verification, session != nil else {
            return report(.opened(LinkWire(socket, session), address))
        }
        verify(
            LinkWire(socket, session, pausesAfterHandshake: true), address,
            VerificationPlan(
                verification: verification,
                server: override ?? route.credentials.targetNameOverride ?? host))
    }

    private struct VerificationPlan {
        var verification: PeerVerification
        /// The name or address that the server's certificate must be for.
        var server: String
    }

    private func verify(
        _ wire: consuming LinkWire, _ address: SocketAddress, _ plan: VerificationPlan
    ) {
        let handshake = VerifiedHandshake(
            wire, plan.verification, server: plan.server, loop: loop
        ) { [self] outcome in
            state.withLock { $0.verification = nil }
            switch consume outcome {
            case .verified(let wire): report(.opened(wire, address))
            case .failed(let cause): passOver(phase: .tls, cause)
            }
        }
        let isClosed = state.withLock { state in
            if !state.isClosed { state.verification = handshake }
            return state.isClosed
        }
        if isClosed { handshake.cancel() } else { handshake.start() }
    }

    private func report(_ outcome: consuming Outcome) {
        guard let report = state.withLock({ $0.report }) else { return }
        report(outcome)
    }
}

// MARK: - The time of a handshake

extension WireOpener {
    /// Limits the handshakes with the proxy and with the server to an equal share of the time.
    ///
    /// - Parameter isNew: False if the handshake has begun and there are other addresses now.
    private func limitHandshake(isNew: Bool = true) {
        let (number, otherCount) = state.withLock { state in
            if isNew { state.wireCount += 1 }
            return (state.wireCount, state.addresses.count)
        }
        guard otherCount > 0 else { return handshakeTimer.cancel() }
        let now = MonotonicInstant.now
        let share = now.duration(to: deadline) / (otherCount + 1)
        handshakeTimer.schedule(
            HandshakeTimer(self, number, share), noLaterThan: now + share, on: loop)
    }

    fileprivate func handshakeIsLate(_ number: Int, _ share: Duration) {
        let (isCurrent, tunnel, verification) = state.withLock { state in
            let isCurrent =
                state.wireCount == number && (state.tunnel != nil || state.phase == .tls)
            return isCurrent
                ? (true, state.tunnel.take(), state.verification.take()) : (false, nil, nil)
        }
        guard isCurrent else { return }
        handshakeTimer.cancel()
        if let tunnel {
            tunnel.cancel()
            return passOver(phase: .connect, "\(Self.noTunnel) within \(share)")
        }
        guard let verification else { return report(.late(share)) }
        let cause = verification.isVerifying ? Self.noVerification : Self.noHandshake
        verification.cancel()
        passOver(phase: .tls, "\(cause) within \(share)")
    }
}

/// Ends the handshake with one address at the end of its share of the attempt's time.
private final class HandshakeTimer: TimerTarget {
    private let opener: WireOpener
    private let number: Int
    private let share: Duration

    init(_ opener: WireOpener, _ number: Int, _ share: Duration) {
        self.opener = opener
        self.number = number
        self.share = share
    }

    func timerFired(now: MonotonicInstant) { opener.handshakeIsLate(number, share) }
}

extension WireOpener.State {
    /// Returns all failures so far.
    fileprivate mutating func note(
        _ failures: [HappyEyeballs<String>.Failure]
    ) -> [(address: String, cause: String)] {
        let failed = Set(failures.map(\.address))
        addresses.removeAll { failed.contains($0) }
        self.failures += failures.map { ("\($0.address)", $0.cause) }
        return self.failures
    }
}
