import SwiftletLoopback
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

/// Connects when the picker has seen a call, and not before.
private struct OnDemand: BalancingPolicy {
    var name: String { "on_demand_test" }
    func makeBalancer() -> any Balancer { OnDemandBalancer() }
}

private struct OnDemandBalancer: Balancer {
    /// Tells the balancer of a call. Its state is CONNECTING, so no call makes it leave idle mode.
    final class WakingPicker: Picker {
        let wasAsked = Atomic(false)
        private let wakeUp: @Sendable () -> Void

        init(_ wakeUp: @escaping @Sendable () -> Void) { self.wakeUp = wakeUp }

        func pick(_ call: borrowing PickInfo) -> Pick {
            wasAsked.store(true, ordering: .relaxed)
            wakeUp()
            return .queue()
        }
    }

    private var picker: WakingPicker?
    private var subchannel: Subchannel?

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        let picker = WakingPicker(context.wakeUp)
        subchannel = context.makeSubchannel(to: update.endpoints[0])
        context.report(.connecting, picker)
        self.picker = picker
    }

    mutating func timeHasCome(_ context: inout BalancerContext) {
        guard picker?.wasAsked.load(ordering: .relaxed) ?? false, let subchannel else { return }
        context.connect(subchannel)
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {
        if state.connectivity == .ready { context.report(.ready, SinglePicker(subchannel)) }
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {}

    mutating func close(_ context: inout BalancerContext) {
        if let subchannel = subchannel.take() { context.drop(subchannel) }
    }
}

@Suite("A picker", .timeLimit(.minutes(5)))
struct PickerWakeUpTests {
    @Test("can make the channel call its balancer")
    func wakeUp() async throws {
        let server = try LoopbackServer { server in
            server.unary(ManyServersTests.whoAmI) { _, _ in [7] }
        }
        var arguments = ChannelArguments()
        arguments.balancing = OnDemand()
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        channel.connect()
        try await eventually { channel.connectivity == .connecting }
        #expect(server.connectionCount == 0)
        #expect(try await channel.unary(ManyServersTests.whoAmI, []) == [7])
        await channel.close()
    }
}
