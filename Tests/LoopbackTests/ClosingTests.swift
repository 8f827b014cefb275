import SwiftletLoopback
import SwiftletStyles
import SwiftletTransport
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("A channel that is closed", .timeLimit(.minutes(2)))
struct ClosingTests {
    /// Blocks the thread that reports a connection, until the test opens the gate.
    private final class BlockingMeter: ChannelMeter, MeterSource {
        let gate = BlockingGate()
        let blockedCount = Atomic(0)

        func meter(of target: Target, isSecure: Bool) -> (any ChannelMeter)? { self }

        func record(_ change: ConnectionChange, _ labels: BackendLabels?) {
            guard case .opened = change else { return }
            blockedCount.add(1, ordering: .relaxed)
            gate.wait()
        }

        var measuresCalls: Bool { false }
        var measuresBalancing: Bool { false }
        var measuresControlPlane: Bool { false }
        func meter(of method: MethodSignature) -> (any CallMeter)? { nil }
        func record(_ decision: BalancingDecision) {}
        func record(_ change: ControlPlaneChange) {}

        static func == (left: BlockingMeter, right: BlockingMeter) -> Bool { left === right }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    @Test("while its first connection becomes usable waits for the calls, not for the grace period")
    func duringAdoption() async throws {
        let server = try LoopbackServer { _ in }
        let meter = BlockingMeter()
        var arguments = ChannelArguments()
        arguments.meterSource = HashableValue(meter)
        let queue = try CompletionQueue()
        defer { queue.shutdown() }
        let channel = try Channel(
            server.target, credentials: .insecure, arguments: arguments,
            interceptors: [.all(HoldingInterceptor.factory)], queue: queue)
        let held = try channel.startUnary(HostileTrial.echo, [1]) { _ in }
        channel.connect()
        try await eventually { meter.blockedCount.load(ordering: .relaxed) == 1 }
        // Longer than the time limit of the test.
        async let closed: Void = channel.close(grace: .seconds(3_600))
        try await eventually { channel.connectivity == .shutdown }
        meter.gate.open()
        held.cancel()
        await closed
    }
}
