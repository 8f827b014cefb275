import Foundation
import Swiftlet
import SwiftletBalancing
import SwiftletCore
import SwiftletLoopback
import SwiftletMessages
import Synchronization
import Testing

@testable import SwiftletXDS

@Suite("A channel whose control plane sends too much", .timeLimit(.minutes(5)))
struct LiveBadInputTests {
    /// A policy whose check waits, as that of a very large resource does.
    private final class SlowPolicy: Sendable {
        // `DispatchSemaphore` is safe to use on any thread.
        private let begun = DispatchSemaphore(value: 0)
        private let end = DispatchSemaphore(value: 0)
        private let hasBegun = Atomic(false)

        /// Registers a policy whose first check waits.
        init(named name: String) {
            BalancingPolicies.register(name: name) { [self] _ in
                if !hasBegun.exchange(true, ordering: .relaxed) {
                    begun.signal()
                    end.wait()
                }
                return RoundRobin()
            }
        }

        /// Waits until the check of a resource has begun.
        func waitForBeginning() async {
            await withCheckedContinuation { waiting in
                Thread.detachNewThread { [begun] in
                    begun.wait()
                    waiting.resume()
                }
            }
        }

        func goOn() { end.signal() }
    }

    @Test("leaves other channels their time while it reads a response")
    func otherChannels() async throws {
        let policy = SlowPolicy(named: "slow-check")
        let mesh = try LiveMesh("xds-live-slow")
        let server = try mesh.server(1)
        try mesh.cluster("a", [server])
        let structure = Envoy.XDSTypes.TypedStruct.with { $0.typeURL = "slow-check" }
        mesh.plane.set(
            .cluster,
            [
                "a": Sample.cluster("a") {
                    $0.loadBalancingPolicy = .with { list in
                        list.policies = [
                            Sample.policy(
                                Envoy.Policies.WrrLocality.with {
                                    $0.endpointPickingPolicy = .with {
                                        $0.policies = [Sample.policy(structure)]
                                    }
                                })
                        ]
                    }
                }
            ])
        mesh.route(to: ["a": 1])
        let channel = try mesh.channel()
        let other = try Channel(server.target, credentials: .insecure)
        let call = Task { try await channel.unary(LiveMesh.ask, []) }
        await policy.waitForBeginning()
        // Both channels use the shared queue. The check would never end if it ran there.
        for _ in 0..<10 { #expect(try await other.unary(LiveMesh.ask, []) == [1]) }
        policy.goOn()
        #expect(try await call.value == [1])
        await channel.close()
        await other.close()
    }

    @Test("keeps its configuration when a response is larger than the limit")
    func tooLarge() async throws {
        let mesh = try LiveMesh("xds-live-large")
        try mesh.cluster("a", [try mesh.server(1)])
        mesh.route(to: ["a": 1])
        let channel = try mesh.channel()
        #expect(try await channel.unary(LiveMesh.ask, []) == [1])
        // A resource that is more than 64 MiB, and was asked for.
        let text = String(repeating: "x", count: 65 << 20)
        mesh.plane.set(
            .cluster, ["a": Sample.cluster("a") { $0.transportSocket = .with { $0.name = text } }])
        // The stream ends, and the next ones, too.
        try await eventually { mesh.plane.begunStreamCount >= 3 }
        for _ in 0..<10 { #expect(try await channel.unary(LiveMesh.ask, []) == [1]) }
        // The control plane sends something smaller, and the client reads it when it tries again.
        try mesh.cluster("a", [try mesh.server(2)])
        try await eventually { try await channel.unary(LiveMesh.ask, []) == [2] }
        await channel.close()
    }
}
