import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("A connection that is drained while calls begin", .timeLimit(.minutes(5)))
struct DrainedRouteTests {
    /// pick_first, which calls the program when its subchannel has lost its connection.
    private struct CallingPolicy: BalancingPolicy {
        let name = "calling"
        let connectionWasLost: Action

        func makeBalancer() -> any Balancer { CallingBalancer(connectionWasLost) }
    }

    private final class Action: Hashable, Sendable {
        let body = Mutex<(@Sendable () -> Void)?>(nil)
        static func == (left: Action, right: Action) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private struct CallingBalancer: Balancer {
        private let connectionWasLost: Action
        private var inner = PickFirst().makeBalancer()

        init(_ connectionWasLost: Action) { self.connectionWasLost = connectionWasLost }

        mutating func update(
            _ update: BalancerUpdate, _ context: inout BalancerContext
        ) throws(RPCError) {
            try inner.update(
                BalancerUpdate(endpoints: update.endpoints, policy: PickFirst()), &context)
        }

        mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
            inner.resolverFailed(error, &context)
        }

        mutating func subchannel(
            _ subchannel: Subchannel, changedTo state: SubchannelState,
            _ context: inout BalancerContext
        ) {
            if state.connectivity == .idle {
                let body = connectionWasLost.body.withLock { $0.take() }
                body?()
            }
            inner.subchannel(subchannel, changedTo: state, &context)
        }

        mutating func exitIdle(_ context: inout BalancerContext) { inner.exitIdle(&context) }

        mutating func close(_ context: inout BalancerContext) { inner.close(&context) }
    }

    @Test("makes a call of its balancer wait for the next connection")
    func callOfBalancer() async throws {
        let server = try LoopbackServer { server in
            server.unary(ManyServersTests.whoAmI) { _, _ in [1] }
        }
        let action = Action()
        var arguments = ChannelArguments()
        arguments.balancing = CallingPolicy(connectionWasLost: action)
        let channel = try Channel(
            server.target, credentials: .insecure, arguments: arguments,
            queue: try CompletionQueue())
        let (answers, answer) = AsyncStream.makeStream(of: [UInt8]?.self)
        _ = try await channel.unary(ManyServersTests.whoAmI, [])
        action.body.withLock { body in
            body = { [weak channel] in
                do {
                    _ = try channel?.startUnary(
                        ManyServersTests.whoAmI, [], options: .with { $0.waitForReady = true }
                    ) { answer.yield(try? $0.get().message) }
                } catch {
                    answer.yield(nil)
                }
            }
        }
        server.leaveGracefully()
        for await reply in answers {
            #expect(reply == [1])
            break
        }
        #expect(server.connectionCount == 2)
    }

    @Test("gets one GOAWAY, however many calls it refuses")
    func oneGoAway() throws {
        let client = try LinkClient()
        let (link, server) = try client.connect()
        try server.send(RawFrame.settings([]))
        let call = client.start(SingleResponse())
        try #require(call.hasStream)
        for _ in 0..<3 { link.leave() }
        let types = try server.receivedTypes()
        #expect(types.count { $0 == RawFrame.goAway } == 1)
        link.end(with: LinkError(phase: .http2, cause: "the test is over"))
    }
}
