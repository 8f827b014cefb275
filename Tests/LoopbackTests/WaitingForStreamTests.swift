import SwiftletLoopback
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A call that waits for a stream of a subchannel")
struct WaitingForStreamTests {
    /// Records whether calls count as waiting while they begin again.
    private final class Owner: SubchannelOwner {
        let log = ChannelLog()
        let subchannel = Mutex<SubchannelCore?>(nil)
        let begun = Mutex<[Bool]>([])
        let useEndCount = Counter()

        func calls(on link: Link) -> any OwnCalls { fatalError("no report was expected") }

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

    /// A connected subchannel.
    private static func subchannel(
        over link: Link, waiting calls: [CallCore] = [], on queue: CompletionQueue, _ owner: Owner
    ) throws -> SubchannelCore {
        let plan = ConnectionPlan(
            try Target("127.0.0.1:1"), credentials: .insecure, arguments: ChannelArguments(),
            queues: [queue], sockets: nil, proxy: nil)
        let subchannel = SubchannelCore(
            id: 1, Endpoint([try ServerAddress("127.0.0.1:1")]), plan: plan, maxConnectionCount: 2,
            owner: owner)
        owner.subchannel.withLock { $0 = subchannel }
        subchannel.state.withLock { state in
            let inputs: [SubchannelCore.Life.Input] =
                [.wanted, .connected(link, named: nil, .init(), attempt: 1)]
                + calls.map { .waits($0) }
            for input in inputs { _ = state.life.handle(input, at: .now) }
        }
        return subchannel
    }

    @Test(
        "keeps a released channel open until it has begun again",
        arguments: [
            { $0.linkHasRoom($1) }, { subchannel, _ in subchannel.handle(.drainAll) },
            { subchannel, _ in subchannel.handle(.dropped) }, { $0.drainRefusing($1) },
        ] as [@Sendable (SubchannelCore, Link) -> Void])
    func handedOut(_ handOut: @Sendable (SubchannelCore, Link) -> Void) throws {
        let queue = try CompletionQueue(.byHand)
        defer { queue.shutdown() }
        let client = try LinkClient()
        let (link, server) = try client.connect()
        try server.send(RawFrame.settings([]))
        let owner = Owner()
        let subchannel = try Self.subchannel(
            over: link, waiting: (0..<2).map { _ in Self.call(client) }, on: queue, owner)
        handOut(subchannel, link)
        #expect(owner.begun.withLock { $0 } == [true, true])
        #expect(!subchannel.hasWaitingCalls)
        #expect(owner.useEndCount.count == 1)
        link.end(with: LinkError(phase: .http2, cause: "the test is over"))
        subchannel.handle(.dropped)
        _ = owner.subchannel.withLock { $0.take() }
    }

    @Test("whose connection has ended with the machine's network is no failure of the server")
    func refusedAfterNetworkLoss() throws {
        let queue = try CompletionQueue(.byHand)
        defer { queue.shutdown() }
        let (link, _) = try LinkClient().connect()
        let owner = Owner()
        let subchannel = try Self.subchannel(over: link, on: queue, owner)
        var loss = LinkError(phase: .http2, cause: "the machine has lost its network")
        loss.isNetworkLoss = true
        link.end(with: loss)
        // A call was refused before the subchannel got the report of the end.
        subchannel.drainRefusing(link)
        #expect(subchannel.snapshot.connectivity == .idle)
        subchannel.handle(.dropped)
        owner.subchannel.withLock { $0 = nil }
    }
}
