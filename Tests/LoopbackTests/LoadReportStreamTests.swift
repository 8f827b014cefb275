import SwiftletBalancing
import SwiftletLoopback
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("Load reports outside of calls (A51)", .timeLimit(.minutes(5)))
struct LoadReportStreamTests {
    private static let whoAmI = ManyServersTests.whoAmI

    private static func server(
        _ number: UInt8, _ loads: LoadReportService
    ) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(whoAmI) { _, _ in [number] }
            server.add(loads)
        }
    }

    private static func load(requestsPerSecond: Double) -> LoadReport {
        var load = LoadReport()
        load.requestsPerSecond = requestsPerSecond
        load.cpuUtilization = 0.5
        return load
    }

    @Test("determine how weighted_round_robin spreads calls")
    func weights() async throws {
        let loads = [LoadReportService(), LoadReportService()]
        let servers = try loads.enumerated().map { try Self.server(UInt8($0.offset), $0.element) }
        loads[0].set(Self.load(requestsPerSecond: 30))
        loads[1].set(Self.load(requestsPerSecond: 10))
        var policy = WeightedRoundRobin()
        policy.enableOutOfBandLoadReport = true
        policy.outOfBandReportingPeriod = .milliseconds(20)
        policy.blackoutPeriod = .zero
        policy.weightUpdatePeriod = .milliseconds(100)
        var arguments = ChannelArguments()
        arguments.serviceConfig = ServiceConfig(balancing: policy)
        let channel = try Channel(
            "ipv4:" + servers.map(\.target).joined(separator: ","), credentials: .insecure,
            arguments: arguments)
        var answers: [UInt8: Int] = [:]
        while answers != [0: 30, 1: 10] {
            answers = [:]
            for _ in 0..<40 {
                let reply = try await channel.unary(
                    Self.whoAmI, [], options: .with { $0.waitForReady = true })
                answers[reply[0], default: 0] += 1
            }
        }
        #expect(loads.map(\.requestedIntervals) == [[.milliseconds(20)], [.milliseconds(20)]])
        await channel.close()
        try await eventually { loads.allSatisfy { $0.requestedIntervals.isEmpty } }
    }

    /// Sends calls to its only subchannel, and requests load reports like two balancers.
    private struct Listener: BalancingPolicy {
        let name = "listener"
        var intervals: [String: Duration]
        let received: Received

        func makeBalancer() -> any Balancer { ListenerBalancer(received: received) }
    }

    private final class Received: Hashable, Sendable {
        let loads = Mutex<[LoadReport]>([])
        static func == (left: Received, right: Received) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private struct ListenerBalancer: Balancer {
        let received: Received
        private var inner = PickFirst().makeBalancer()
        private var subchannel: Subchannel?
        private var wanted: [String: Duration] = [:]

        init(received: Received) { self.received = received }

        mutating func update(
            _ update: BalancerUpdate, _ context: inout BalancerContext
        ) throws(RPCError) {
            guard let policy = update.policy as? Listener else { return }
            let subchannel = self.subchannel ?? context.makeSubchannel(to: update.endpoints[0])
            self.subchannel = subchannel
            for name in Set(wanted.keys).union(policy.intervals.keys) {
                context.reportLoad(
                    of: subchannel, every: policy.intervals[name], requester: name)
            }
            wanted = policy.intervals
            context.connect(subchannel)
        }

        func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {}

        func subchannel(
            _ subchannel: Subchannel, changedTo state: SubchannelState,
            _ context: inout BalancerContext
        ) {
            if state.connectivity == .ready {
                context.report(.ready, SinglePicker(subchannel))
            }
        }

        func subchannel(
            _ subchannel: Subchannel, reported load: LoadReport,
            _ context: inout BalancerContext
        ) {
            received.loads.withLock { $0.append(load) }
        }

        mutating func close(_ context: inout BalancerContext) {
            if let subchannel { context.drop(subchannel) }
        }
    }

    @Test("that a server cannot send are an event of the channel")
    func unsupported() async throws {
        let server = try LoopbackServer { $0.unary(Self.whoAmI) { _, _ in [1] } }
        var policy = WeightedRoundRobin()
        policy.enableOutOfBandLoadReport = true
        var arguments = ChannelArguments()
        arguments.serviceConfig = ServiceConfig(balancing: policy)
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
        try await eventually {
            channel.snapshot?.events.contains { event in
                if case .loadReportsUnsupported(_, server.target) = event.kind {
                    true
                } else {
                    false
                }
            } == true
        }
    }

    @Test("have the shortest requested interval, and end when none is requested")
    func sharedStream() async throws {
        let loads = LoadReportService()
        loads.set(Self.load(requestsPerSecond: 5))
        let server = try Self.server(1, loads)
        let received = Received()
        let endpoints = [Endpoint([try ServerAddress(server.target)])]
        let resolver = PushedResolver(nil)
        let channel = try Channel(resolver.target(), credentials: .insecure)
        channel.connect()
        try await eventually { resolver.isStarted }
        func push(_ intervals: [String: Duration]) async {
            let policy = Listener(intervals: intervals, received: received)
            await resolver.push(
                ResolverResult(
                    endpoints: .success(endpoints),
                    serviceConfig: .success(ServiceConfig(balancing: policy))))
        }
        await push(["parent": .seconds(3_600), "child": .milliseconds(15)])
        try await eventually { received.loads.withLock { $0.count } > 2 }
        #expect(loads.requestedIntervals == [.milliseconds(15)])
        await push(["parent": .seconds(3_600)])
        try await eventually { loads.requestedIntervals == [.seconds(3_600)] }
        await push([:])
        try await eventually { loads.requestedIntervals.isEmpty }
        #expect(received.loads.withLock { $0.allSatisfy { $0.requestsPerSecond == 5 } })
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
    }

    @Test("are requested again when the stream has failed, and on the next connection")
    func asksAgain() async throws {
        let calls = Atomic(0)
        let server = try LoopbackServer { server in
            server.unary(Self.whoAmI) { _, _ in [1] }
            server.serverStreaming(
                Method<[UInt8], [UInt8]>(
                    "/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics", .serverStreaming,
                    request: .bytes, reply: .bytes)
            ) { _, _, _ in
                calls.add(1, ordering: .relaxed)
                throw RPCError(.unavailable, "not yet")
            }
        }
        var policy = WeightedRoundRobin()
        policy.enableOutOfBandLoadReport = true
        var arguments = ChannelArguments()
        arguments.serviceConfig = ServiceConfig(balancing: policy)
        arguments.initialReconnectBackoff = .milliseconds(5)
        let channel = try Channel(
            "ipv4:" + server.target, credentials: .insecure, arguments: arguments)
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
        try await eventually { calls.load(ordering: .relaxed) > 2 }
        #expect(server.connectionCount == 1)
        server.leaveGracefully()
        try await eventually { server.connectionCount == 2 }
        let before = calls.load(ordering: .relaxed)
        try await eventually { calls.load(ordering: .relaxed) > before + 1 }
    }

    @Test("let the channel become idle and its connection close")
    func idle() async throws {
        // Counted, because the channel may be idle again before the test reads the count.
        let openedCount = Atomic(0)
        let endedCount = Atomic(0)
        let server = try LoopbackServer { server in
            server.unary(Self.whoAmI) { _, _ in [1] }
            server.serverStreaming(Self.reports) { _, writer, context in
                openedCount.wrappingAdd(1, ordering: .relaxed)
                defer { endedCount.wrappingAdd(1, ordering: .relaxed) }
                while !context.isCancelled {
                    try await writer.write([])
                    try await context.sleep(for: .milliseconds(20))
                }
            }
        }
        var policy = WeightedRoundRobin()
        policy.enableOutOfBandLoadReport = true
        var arguments = ChannelArguments()
        arguments.serviceConfig = ServiceConfig(balancing: policy)
        arguments.idleTimeout = .seconds(1)
        let channel = try Channel(
            "ipv4:" + server.target, credentials: .insecure, arguments: arguments)
        #expect(try await channel.unary(Self.whoAmI, []) == [1])
        try await eventually { openedCount.load(ordering: .relaxed) == 1 }
        try await eventually { channel.connectivity == .idle }
        try await eventually { endedCount.load(ordering: .relaxed) == 1 }
    }

    private static let reports = Method<[UInt8], [UInt8]>(
        "/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics", .serverStreaming, request: .bytes,
        reply: .bytes)
}
