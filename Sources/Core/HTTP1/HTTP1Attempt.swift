import SwiftletTransport
import Synchronization

/// A connection whose TLS handshake is complete, if it has one, and that speaks nothing yet.
struct OpenConnection: ~Copyable, Sendable {
    var wire: LinkWire
    /// What the server sent behind its part of the handshake.
    var received: [UInt8]
    let address: SocketAddress
    var times: ConnectionTimes
    /// What ALPN chose; nil without TLS, and when the server chose nothing.
    let applicationProtocol: String?
}

/// One attempt to get a connection of which it is not known yet which version of HTTP it speaks: look
/// the name up, connect to one of its addresses, shake hands. Ends once, within its time.
final class HTTP1Attempt: Sendable {
    enum Outcome: ~Copyable, Sendable {
        case connected(OpenConnection)
        case failed(ConnectionFailure)
    }

    fileprivate struct State {
        /// Addresses that were not tried, in case a handshake fails.
        var addresses: [SocketAddress] = []
        var failures: [(address: String, cause: String)] = []
        var lookup: NameLookups.Ticket?
        var dialer: Dialer?
        var tunnel: ProxyTunnel?
        var handshake: Handshake?
        var phase = RPCError.Phase.resolve
        var times: ConnectionTimes
        var isOver = false
    }

    private let target: Target
    private let credentials: ChannelCredentials
    private let arguments: ChannelArguments
    private let protocols: [String]
    private let sockets: SocketSupply?
    private let proxy: ProxyServer?
    private let loop: EventLoop
    private let begun = MonotonicInstant.now
    private let timer = TimerSlot()
    private let state: Mutex<State>
    private let report: @Sendable (HTTP1Attempt, consuming Outcome) -> Void

    /// - Parameters:
    ///   - protocols: The application protocols that are offered over TLS.
    ///   - sockets: Where connected sockets come from, instead of from the target's addresses.
    ///   - proxy: The proxy that connects to the target. Nil connects directly.
    ///   - report: Called once, on the loop's thread, unless the attempt is cancelled.
    init(
        _ target: Target, credentials: ChannelCredentials, arguments: ChannelArguments,
        offering protocols: [String], sockets: SocketSupply?, proxy: ProxyServer?,
        loop: EventLoop,
        report: @escaping @Sendable (HTTP1Attempt, consuming Outcome) -> Void
    ) {
        self.target = target
        self.credentials = credentials
        self.arguments = arguments
        self.protocols = protocols
        self.sockets = sockets
        self.proxy = proxy
        self.loop = loop
        self.report = report
        state = Mutex(State(times: ConnectionTimes(begun: begun)))
    }
}

extension HTTP1Attempt {
    /// To be called on the loop's thread.
    func start() {
        timer.schedule(self, at: begun + arguments.connectTimeout, on: loop)
        if let sockets { return take(from: sockets) }
        if let proxy { return lookUp(proxy.host, port: proxy.port) }
        switch target.resolution {
        case .addresses(let addresses): dial(addresses)
        case .name(let host, let port): lookUp(host, port: port)
        // Refused when the channel was made.
        case .registered: dial([])
        }
    }

    /// Gives up without a report.
    func cancel() { _ = finish() }

    /// What the attempt waits for: the cause of a call whose deadline passes meanwhile.
    var progress: (phase: RPCError.Phase, text: String) {
        let (phase, hasTunnel) = state.withLock { ($0.phase, $0.tunnel != nil) }
        let text =
            switch phase {
            case .resolve: "look up \(target): no answer"
            case .connect where hasTunnel: "connect to \(target): no answer of the proxy"
            case .connect: "connect to \(target): no answer"
            default: "connect to \(target): the TLS handshake did not complete"
            }
        return (phase, text)
    }

    /// False when the attempt is over already.
    private func finish() -> Bool {
        typealias Left = (NameLookups.Ticket?, Dialer?, ProxyTunnel?, Handshake?)
        let left: Left? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            return (
                state.lookup.take(), state.dialer.take(), state.tunnel.take(),
                state.handshake.take()
            )
        }
        timer.close()
        guard let (lookup, dialer, tunnel, handshake) = left else { return false }
        if let lookup { NameLookups.shared.cancel(lookup) }
        dialer?.cancel()
        tunnel?.cancel()
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
                case .success(let addresses): dial(addresses.compactMap { $0.with(port: port) })
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
                state.dialer = nil
                state.times.connected = .now
                state.times.failedAttemptCount = state.note(failures).count
                state.addresses.removeAll { $0 == address }
            }
            openTunnel(socket, address)
        }
    }

    /// Has the proxy, if there is one, connect the socket to the server.
    private func openTunnel(_ socket: consuming Socket, _ address: SocketAddress) {
        guard let proxy, let (host, port) = target.proxyDestination else {
            return shakeHands(socket, address)
        }
        let handshake = ProxyHandshake(proxy, host: host, port: port)
        let tunnel = ProxyTunnel(socket, handshake, loop: loop) { [self] outcome in
            state.withLock { $0.tunnel = nil }
            switch consume outcome {
            case .connected(let socket): shakeHands(socket, address)
            case .failed(let cause): passOver(address, phase: .connect, cause)
            }
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.tunnel = tunnel }
            return state.isOver
        }
        if isOver { tunnel.cancel() } else { tunnel.start() }
    }

    private func shakeHands(_ socket: consuming Socket, _ address: SocketAddress) {
        state.withLock { $0.phase = .tls }
        let wire: LinkWire
        do throws(TLSError) {
            let session = try credentials.session(
                for: arguments.defaultHost ?? target.host, override: arguments.targetNameOverride,
                offering: protocols)
            wire = LinkWire(socket, session)
        } catch {
            return passOver(address, phase: .tls, "\(error)")
        }
        let handshake = Handshake(wire, loop) { [self] outcome in
            switch consume outcome {
            case .failed(let cause): passOver(address, phase: .tls, cause)
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
        var times = state.withLock { state in
            state.handshake = nil
            return state.times
        }
        if wire.isSecure { times.secured = .now }
        let connection = OpenConnection(
            wire: wire, received: received, address: address, times: times)
        guard finish() else { return }
        report(self, .connected(connection))
    }

    /// The handshake with one address, or with the proxy at it, failed. Tries the other addresses.
    private func passOver(_ address: SocketAddress, phase: RPCError.Phase, _ cause: String) {
        let (left, failures) = state.withLock { state in
            state.handshake = nil
            state.failures.append(("\(address)", "connect \(address): \(cause)"))
            return (state.addresses, state.failures)
        }
        guard left.isEmpty else { return dial(left) }
        fail(ConnectionFailure(phase: phase, attempts: failures))
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

extension HTTP1Attempt.State {
    /// Returns all failures so far.
    fileprivate mutating func note(
        _ failures: [HappyEyeballs<String>.Failure]
    ) -> [(address: String, cause: String)] {
        addresses.removeAll { address in failures.contains { $0.address == address } }
        self.failures += failures.map { ("\($0.address)", $0.cause) }
        return self.failures
    }
}

extension HTTP1Attempt: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        let (phase, text) = progress
        var failure = ConnectionFailure(phase: phase)
        failure.attempts = state.withLock { $0.failures }
        failure.cause = "\(text) within \(arguments.connectTimeout)"
        fail(failure)
    }
}
