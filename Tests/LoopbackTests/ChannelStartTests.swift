import Dispatch
import SwiftletBalancing
import SwiftletLoopback
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("A channel that starts", .timeLimit(.minutes(5)))
struct ChannelStartTests {
    private static let whoAmI = ManyServersTests.whoAmI

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { server in server.unary(whoAmI) { _, _ in [1] } }
    }

    /// Registers a scheme whose factory fails the first time.
    private static func registerFailingOnce(
        _ scheme: String, _ server: LoopbackServer
    ) throws {
        let resolver = FixedResolver(endpoints: [Endpoint([try ServerAddress(server.target)])])
        let count = Atomic(0)
        try Resolvers.register(scheme) { (_) throws(RPCError) in
            guard count.wrappingAdd(1, ordering: .relaxed).oldValue > 0 else {
                throw RPCError(.unavailable, "not yet")
            }
            return resolver
        }
    }

    private static func fail(_ channel: Channel) async {
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(whoAmI, [])
        }
        #expect(error?.message == "not yet")
    }

    private static let waiting = CallOptions.with { $0.waitForReady = true }

    @Test("makes its resolver again after a delay if that failed")
    func failingFactory() async throws {
        let server = try Self.server()
        try Self.registerFailingOnce("fails-once", server)
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .milliseconds(5)
        let channel = try Channel(
            "fails-once:///x", credentials: .insecure, arguments: arguments)
        await Self.fail(channel)
        #expect(try await channel.unary(Self.whoAmI, [], options: Self.waiting) == [1])
    }

    @Test("makes its resolver again at once if the network is back")
    func networkIsBack() async throws {
        let server = try Self.server()
        try Self.registerFailingOnce("fails-until-network", server)
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .seconds(3_600)
        arguments.maxReconnectBackoff = .seconds(3_600)
        let channel = try Channel(
            "fails-until-network:///x", credentials: .insecure, arguments: arguments)
        await Self.fail(channel)
        let core = try #require(channel.backend as? ChannelCore)
        core.resetBackoff()
        #expect(try await channel.unary(Self.whoAmI, [], options: Self.waiting) == [1])
    }

    /// Calls the program while it is started.
    private final class CallingResolver: Resolver {
        let resets = Counter()
        let whileStarting = Mutex<(@Sendable () -> Void)?>(nil)

        func start(_ results: ResolverResults) { whileStarting.withLock { $0.take() }?() }
        func requestResolution() {}
        func resetBackoff() { resets.add() }
        func stop() {}
    }

    @Test("reports to its resolver that the network is back, also while it handles another event")
    func networkIsBackMeanwhile() async throws {
        let resolver = CallingResolver()
        let channel = try Channel(OwnScheme.target { _ in resolver }, credentials: .insecure)
        let core = try #require(channel.backend as? ChannelCore)
        resolver.whileStarting.withLock { $0 = { [weak core] in core?.resetBackoff() } }
        channel.connect()
        try await eventually { resolver.resets.count == 1 }
    }

    /// Records the tasks whose values it gets.
    private final class TaskResolver: Resolver {
        @TaskLocal static var caller = "none"
        let endpoint: Endpoint
        let calls = Mutex<[String]>([])
        let requests = Counter()

        init(_ endpoint: Endpoint) { self.endpoint = endpoint }

        func start(_ results: ResolverResults) {
            calls.withLock { $0.append("start by \(Self.caller)") }
            results.report(ResolverResult([endpoint]))
        }
        func requestResolution() {
            calls.withLock { $0.append("request by \(Self.caller)") }
            requests.add()
        }
        func stop() { calls.withLock { $0.append("stop by \(Self.caller)") } }
    }

    @Test("calls its resolver on its loop, not in the task that is the cause")
    func contexts() async throws {
        let server = try Self.server()
        let resolver = TaskResolver(Endpoint([try ServerAddress(server.target)]))
        try Resolvers.register("contexts-test") { _ in resolver }
        let channel = try Channel("contexts-test:///x", credentials: .insecure)
        let core = try #require(channel.backend as? ChannelCore)
        try await TaskResolver.$caller.withValue("the program") {
            #expect(try await channel.unary(Self.whoAmI, []) == [1])
            // As a call does that finds its connection closed.
            let member = try #require(core.state.withLock { $0.members.values.first })
            let link = try #require(member.allLinks.first)
            member.drainRefusing(link)
            try await eventually { resolver.requests.count > 0 }
            #expect(try await channel.unary(Self.whoAmI, []) == [1])
            channel.reconnect()
            #expect(try await channel.unary(Self.whoAmI, []) == [1])
        }
        let calls = resolver.calls.withLock { $0 }
        #expect(Set(calls) == ["start by none", "request by none", "stop by none"])
        #expect(server.connectionCount == 3)
    }

    @Test("waits for a new connection if it begins after reconnect()")
    func reconnecting() async throws {
        let server = try Self.server()
        let channel = try Channel(
            server.target, credentials: .insecure, queue: CompletionQueue(.ownThread))
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
        let core = try #require(channel.backend as? ChannelCore)
        let link = try #require(core.state.withLock { $0.members.values.first }?.allLinks.first)
        // The loop stops nothing meanwhile.
        let isBlocked = Atomic(false)
        let mayGoOn = DispatchSemaphore(value: 0)
        channel.queue.loop.run {
            isBlocked.store(true, ordering: .relaxed)
            mayGoOn.wait()
        }
        try await eventually { isBlocked.load(ordering: .relaxed) }
        channel.reconnect()
        async let answer = channel.unary(Self.whoAmI, [])
        try await eventually {
            link.callCount > 0 || core.state.withLock { $0.waiting.count } > 0
        }
        #expect(link.callCount == 0)
        mayGoOn.signal()
        #expect(try await answer == [1])
        #expect(server.connectionCount == 2)
    }

    @Test("by connect() connects also with a policy that connects only for calls")
    func lazyPolicy() async throws {
        let server = try Self.server()
        var arguments = ChannelArguments()
        arguments.balancing = RingHash()
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        channel.connect()
        for await state in channel.connectivityChanges where state == .ready { break }
        #expect(server.connectionCount == 1)
    }

    @Test("on a queue that was shut down is not kept by its other queues")
    func shutDownQueue() async throws {
        let queues = [try CompletionQueue(.byHand), try CompletionQueue(.byHand)]
        queues[0].shutdown()
        weak var core: ChannelCore?
        do {
            let made = ChannelCore(
                try Target("nowhere"), credentials: .insecure, arguments: ChannelArguments(),
                queues: queues)
            #expect(made.connectivity == .shutdown)
            core = made
        }
        try await eventually { core == nil }
    }
}
