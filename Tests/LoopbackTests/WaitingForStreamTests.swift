import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A call that waits for a stream of a subchannel")
struct WaitingForStreamTests {
    private static func state(_ links: [Link], waiting call: CallCore) -> SubchannelCore.State {
        var state = SubchannelCore.State(
            addresses: [.ipv4Loopback(port: 1)],
            backoff: Backoff(.init(initial: .seconds(1), jitter: 0)), maxConnectionCount: 3,
            streams: SubchannelStreams(healthService: nil))
        state.links = links
        state.move(to: .ready)
        _ = state.waiting.append(call)
        return state
    }

    /// Records whether calls count as waiting while they begin again.
    private final class Owner: SubchannelOwner {
        let log = ChannelLog()
        let subchannel = Mutex<SubchannelCore?>(nil)
        let begun = Mutex<[Bool]>([])
        let useEndCount = Counter()

        var requestAuthority: RequestAuthority {
            RequestAuthority(authority: "a", scheme: "http", userAgent: "test")
        }

        func begin(_ call: CallCore) {
            let subchannel = subchannel.withLock { $0 }
            let hasWaitingCalls = subchannel?.hasWaitingCalls ?? false
            begun.withLock { $0.append(hasWaitingCalls) }
        }
        func subchannelUseEnded(_ subchannel: SubchannelCore) { useEndCount.add() }
        func subchannelChanged(_ subchannel: SubchannelCore) {}
        func subchannelLinksChanged(_ subchannel: SubchannelCore) {}
        func subchannel(_ subchannel: SubchannelCore, reported load: LoadReport) {}
    }

    private static func call(_ backend: any CallBackend) -> CallCore {
        CallCore(
            CallHead(
                MethodSignature(path: "/t.T/Echo", shape: .unary, contentSubtype: nil),
                CallOptions(), MessageLimits()),
            deadline: .never, backend: backend, observer: SingleResponse())
    }

    @Test(
        "keeps a released channel open until it has begun again",
        arguments: [
            { $0.linkHasRoom($1) }, { subchannel, _ in subchannel.drainAll() },
            { subchannel, _ in subchannel.drop() }, { $0.drainRefusing($1) },
        ] as [@Sendable (SubchannelCore, Link) -> Void])
    func handedOut(_ handOut: @Sendable (SubchannelCore, Link) -> Void) throws {
        let queue = try CompletionQueue(.byHand)
        defer { queue.shutdown() }
        let client = try LinkClient()
        let (link, server) = try client.connect()
        try server.send(RawFrame.settings([]))
        let owner = Owner()
        let plan = ConnectionPlan(
            try Target("127.0.0.1:1"), credentials: .insecure, arguments: ChannelArguments(),
            queues: [queue], sockets: nil, proxy: nil)
        let subchannel = SubchannelCore(
            id: 1, Endpoint([try ServerAddress("127.0.0.1:1")]), plan: plan, maxConnectionCount: 2,
            owner: owner)
        owner.subchannel.withLock { $0 = subchannel }
        subchannel.state.withLock { state in
            state.links = [link]
            state.move(to: .ready)
            for _ in 0..<2 { _ = state.waiting.append(Self.call(client)) }
        }
        handOut(subchannel, link)
        #expect(owner.begun.withLock { $0 } == [true, true])
        #expect(!subchannel.hasWaitingCalls)
        #expect(owner.useEndCount.count == 1)
        link.end(with: LinkError(phase: .http2, cause: "the test is over"))
        subchannel.drop()
        _ = owner.subchannel.withLock { $0.take() }
    }

    @Test("waits while a connection is open, and gets another pick when the last one is drained")
    func drained() throws {
        let clients = try (0..<2).map { _ in try LinkClient() }
        let links = try clients.map { try $0.connect().0 }
        let call = Self.call(clients[0])
        var state = Self.state(links, waiting: call)
        let first = state.drain([links[0]], at: .now)
        #expect(first.isEmpty)
        #expect(state.waiting.count == 1)
        let second = state.drain([links[1]], at: .now)
        #expect(second.count == 1)
        #expect(second.first === call)
        #expect(state.waiting.isEmpty)
        #expect(state.report(target: try Target("a.test")).connectivity == .idle)
        for link in links { link.end(with: LinkError(phase: .http2, cause: "the test is over")) }
    }

    @Test("may wait for one more connection, whose delay does not count attempts that succeeded")
    func additionalConnection() throws {
        let client = try LinkClient()
        let (link, server) = try client.connect()
        try server.send(RawFrame.settings([]))
        let call = client.start(SingleResponse())
        var state = Self.state([link], waiting: call)
        for _ in 0..<3 {
            let (delay, _) = state.beginAttempt(
                connectTimeout: .seconds(20), at: .now + .seconds(10))
            #expect(delay == .seconds(1))
        }
        link.end(with: LinkError(phase: .http2, cause: "the test is over"))
    }
}
