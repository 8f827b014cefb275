import Swiftlet
import SwiftletCore
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletXDS

@Suite("The thread of a control plane", .timeLimit(.minutes(5)))
struct LiveThreadTests {
    /// Counts the changes that a client of a control plane reports, and those outside of its loop.
    private final class Meter: ChannelMeter {
        private let loop: EventLoop
        let all = Atomic(0)
        let elsewhere = Atomic(0)

        init(_ loop: EventLoop) { self.loop = loop }

        var measuresCalls: Bool { false }
        var measuresBalancing: Bool { false }
        var measuresControlPlane: Bool { true }
        func meter(of method: MethodSignature) -> (any CallMeter)? { nil }
        func record(_ change: ConnectionChange, _ labels: BackendLabels?) {}
        func record(_ decision: BalancingDecision) {}

        func record(_ change: ControlPlaneChange) {
            all.add(1, ordering: .relaxed)
            if !loop.isCurrent { elsewhere.add(1, ordering: .relaxed) }
        }
    }

    /// The results of a resolver, each with whether its loop or that of the control plane has reported it.
    private final class Results: Sendable {
        private let all = Mutex<[(result: ResolverResult, isOfLoops: Bool)]>([])

        func add(_ result: ResolverResult, isOfLoops: Bool) {
            all.withLock { $0.append((result, isOfLoops)) }
        }

        /// The clusters of the last result.
        var clusters: Set<String> {
            let last = all.withLock { $0.last?.result }
            guard case .success(let config)? = last?.serviceConfig else { return [] }
            return Set((config.balancing as? ClusterManager)?.clusters.keys.map(\.string) ?? [])
        }

        var lastIsOfLoops: Bool? { all.withLock { $0.last?.isOfLoops } }

        /// Releases the selectors of all results but the last one, on this thread.
        func releaseEarlier() {
            var released: [(result: ResolverResult, isOfLoops: Bool)] = []
            all.withLock { all in
                released = Array(all.dropLast())
                all.removeFirst(released.count)
            }
            released.removeAll()
        }
    }

    @Test("handles what is watched, asked for and received, and no other thread does")
    func watches() async throws {
        let mesh = try LiveMesh("xds-live-thread")
        try mesh.cluster("a", [try mesh.server(1)])
        try mesh.cluster("b", [try mesh.server(2)])
        mesh.route(to: ["a": 1])
        let plane = try ControlPlaneChannels.queue.loop
        let meter = Meter(plane)
        let queue = try CompletionQueue()
        let loop = queue.loop
        let resolver = try MeshResolver(
            Target("xds-live-thread:///svc"), authority: "svc", ChannelArguments(), on: loop,
            bootstrap: try mesh.plane.bootstrap, meter: meter)
        let results = Results()
        resolver.start(
            ResolverResults { results.add($0, isOfLoops: loop.isCurrent || plane.isCurrent) })
        try await eventually { results.clusters == ["a"] }
        mesh.route(to: ["b": 1])
        try await eventually { results.clusters == ["a", "b"] }
        // The last use of a cluster may end on any thread, for example where a call ends.
        results.releaseEarlier()
        try await eventually { results.clusters == ["b"] }
        #expect(results.lastIsOfLoops == true)
        #expect(meter.all.load(ordering: .relaxed) > 0)
        #expect(meter.elsewhere.load(ordering: .relaxed) == 0)
        resolver.stop()
        queue.shutdown()
    }
}
