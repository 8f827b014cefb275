import SwiftletTransport
import Synchronization

@testable import SwiftletCore

/// A connection without a socket.
final class FakeLink: SubchannelLink {
    private struct State {
        var hasCarriedCall = false
        var callCount = 0
        var streamLimit = 100
    }

    let diagnosticID = DiagnosticID.next()
    let address: SocketAddress
    let isMultiplexed: Bool
    private let ready: MonotonicInstant
    private let state = Mutex(State())

    init(port: UInt16, at ready: MonotonicInstant, isMultiplexed: Bool = true) {
        address = .ipv4Loopback(port: port)
        self.ready = ready
        self.isMultiplexed = isMultiplexed
    }

    var peer: String { "\(address)" }
    var hasCarriedCall: Bool { state.withLock { $0.hasCarriedCall } }
    func age(at now: MonotonicInstant) -> Duration { now - ready }
    var callCount: Int { state.withLock { $0.callCount } }
    var roomCount: Int { state.withLock { max(0, $0.streamLimit - $0.callCount) } }
    func reportRoom() -> Bool { roomCount == 0 }
    var acceptsCalls: Bool { true }
    var hasEnded: Bool { false }
    var loss: LinkError { LinkError(phase: .http2, cause: "lost") }
    func place(_ call: CallCore, _ prepared: PreparedHeaders) -> CallPlacing { .refused }
    func changeOwner(to owner: any LinkOwner) {}
    func leave() {}
    func endSoon(with error: LinkError) {}
    func endCalls(with error: RPCError) {}
    func snapshot(isDraining: Bool) -> ConnectionSnapshot {
        ConnectionSnapshot(
            id: diagnosticID, localAddress: nil, peer: ServerAddress(address), isSecure: false,
            isDraining: isDraining, streams: CallCounts(), sendWindowByteCount: 0,
            sentPingCount: 0, tcp: nil)
    }
    var counts: ChannelCounts {
        var counts = ChannelCounts()
        counts.connectionCount = 1
        return counts
    }

    /// Sets the calls that run, of which at most `limit` have a stream.
    func carry(_ count: Int, limit: Int = 100) {
        state.withLock { state in
            state.hasCarriedCall = state.hasCarriedCall || count > 0
            state.callCount = count
            state.streamLimit = limit
        }
    }
}

/// A subchannel in virtual time, without connections. Addresses are ports.
final class SubchannelTrial {
    typealias Life = SubchannelLife

    private var life: Life
    var now = MonotonicInstant(nanoseconds: 0)
    /// The actions of the last input.
    private(set) var actions: [Life.Action] = []
    /// The last attempt that was begun.
    private(set) var attempt:
        (number: Int, serverNames: [SocketAddress: ServerName], timeLimit: Duration)?

    init(
        _ ports: [UInt16] = [1], maxConnectionCount: Int? = 1,
        backoff: Backoff.Configuration = .init(jitter: 0), healthService: String? = nil
    ) {
        life = Life(
            Self.endpoint(ports), ConnectionAttempts(backoff, connectTimeout: .seconds(20)),
            maxConnectionCount: maxConnectionCount,
            server: ServerReports(
                checksHealth: healthService != nil,
                healthService.map { HealthCheck(of: $0, by: NoReports()) }))
    }

    static func endpoint(_ ports: [UInt16], named name: String? = nil) -> Endpoint {
        var endpoint = Endpoint(ports.map { ServerAddress(.ipv4Loopback(port: $0)) })
        endpoint.attributes.serverName = name
        return endpoint
    }

    /// A call that never begins by itself.
    static func call() throws -> CallCore {
        CallCore(
            CallHead(
                MethodSignature(path: "/t.T/Echo", shape: .unary, contentSubtype: nil),
                CallOptions(), MessageLimits()),
            deadline: .never, backend: try backend.get(), observer: SingleResponse())
    }

    private static let backend = Result { try IdleBackend() }

    private final class IdleBackend: CallBackend {
        let openCalls = CallRegistry()
        let loop: EventLoop
        init() throws { loop = try EventLoop() }
        func begin(_ call: CallCore) {}
        func forget(_ call: CallCore) {}
        func deadlineError(of call: CallCore) -> RPCError { RPCError(.deadlineExceeded, "late") }
    }
}

// MARK: - Inputs

extension SubchannelTrial {
    /// Returns the actions as text, without those for the metrics.
    @discardableResult
    func handle(_ input: Life.Input, after delay: Duration = .zero) throws -> [String] {
        now = now + delay
        actions = life.handle(input, at: now)
        for case .connect(let addresses, let timeLimit, let number) in actions {
            attempt = (number, addresses.serverNames, timeLimit)
        }
        return try actions.compactMap { try text(of: $0) }
    }

    /// The last attempt succeeds.
    func connected(
        to link: FakeLink, named name: String? = nil, _ lesson: AddressOrder.Lesson = .init(),
        after delay: Duration = .zero
    ) throws -> [String] {
        try handle(
            .connected(
                link, named: name.map { ServerName(name: $0) }, lesson,
                attempt: attempt?.number ?? 0), after: delay)
    }

    /// The last attempt fails.
    func failed(
        _ lesson: AddressOrder.Lesson = .init(), wasDrained: Bool = false,
        after delay: Duration = .zero
    ) throws -> [String] {
        let failure = ConnectionFailure(
            phase: .connect, attempts: [.init(address: "a", cause: "refused")],
            wasDrained: wasDrained)
        return try handle(.failed(failure, lesson, attempt: attempt?.number ?? 0), after: delay)
    }

    /// Connects to a port, and returns the connection.
    func connect(to port: UInt16 = 1, isMultiplexed: Bool = true) throws -> FakeLink {
        try handle(.wanted)
        let link = FakeLink(port: port, at: now, isMultiplexed: isMultiplexed)
        _ = try connected(to: link)
        return link
    }

    func drains(
        _ link: FakeLink, _ code: ErrorCode = .noError, after delay: Duration = .zero
    ) throws -> [String] {
        let loss = LinkError(phase: .http2, cause: "GOAWAY", kind: .goAway(code))
        return try handle(.draining(link, loss), after: delay)
    }

    func ends(
        _ link: FakeLink, isNetworkLoss: Bool = false, after delay: Duration = .zero
    ) throws -> [String] {
        let loss = LinkError(phase: .http2, cause: "lost", isNetworkLoss: isNetworkLoss)
        return try handle(.ended(link, loss), after: delay)
    }
}

// MARK: - State

extension SubchannelTrial {
    var connectivity: ConnectivityState {
        get throws { life.report(target: try Target("a.test")).connectivity }
    }

    var links: SubchannelLinks { life.links }
    var addresses: [SocketAddress] { life.addresses.list }
    var failure: ConnectionFailure? { life.failure }
    var isConnecting: Bool { life.isConnecting }
    var isOver: Bool { life.isOver }
    var onlyLink: (any SubchannelLink)? { life.onlyLink }
    var wantedReports: (link: (any SubchannelLink)?, subjects: [SubchannelSubject]) {
        let (link, wanted) = life.wantedReports
        return (link, wanted.map(\.subject))
    }
    var hasWaitingCalls: Bool { life.hasWaitingCalls }

    func hasWaitingCalls(for link: FakeLink) -> Bool { life.hasWaitingCalls(for: link) }

    func linkForCall(after delay: Duration = .zero) -> (any SubchannelLink)? {
        life.linkForCall(at: now + delay)
    }

    func takeWaiting() -> [CallCore] { life.takeWaiting { _ in true } }

    private func text(of action: Life.Action) throws -> String? {
        switch action {
        case .report: "report \(try connectivity)"
        case .adopt(let link): "adopt \(Self.ports([link.address]))"
        case .giveUp(let link): "give up \(Self.ports([link.address]))"
        case .leave(let links): "leave \(Self.ports(links.map(\.address)))"
        case .reportLinks: "links"
        case .connect(let addresses, _, _): "connect \(Self.ports(addresses.ordered))"
        case .redirect(let addresses): "redirect \(Self.ports(addresses.list))"
        case .cancelAttempt: "cancel"
        case .setTimer(let time): "timer in \(Int((time - now) / .milliseconds(1))) ms"
        case .closeTimer: "no timer"
        case .begin(let calls): "begin \(calls.count)"
        case .reportEndOfUse: "end of use"
        case .release, .noteFailedAttempt, .noteDisconnected, .noteEnd: nil
        }
    }

    private static func ports(_ addresses: [SocketAddress]) -> String {
        addresses.map { address in "\(address)".split(separator: ":").last.map(String.init) ?? "" }
            .joined(separator: ",")
    }
}

extension ServerName: ExpressibleByStringLiteral {
    public init(stringLiteral name: String) { self.init(name: name) }
}

/// Makes no stream: these tests decide what is wanted, and carry nothing out.
struct NoReports: ReportSource {
    func makeStream(
        _ subject: SubchannelSubject, on link: Link, calls: any OwnCalls, backoff: Backoff,
        receiver: any ReportReceiver
    ) -> any ReportStream { fatalError("no stream was expected") }
}
