import Swiftlet
import SwiftletCore
import SwiftletLoopback
import SwiftletMessages
import Synchronization
import Testing

@testable import SwiftletXDS

@Suite("A channel with a control plane", .timeLimit(.minutes(5)))
struct LiveMeshTests {
    /// What the tasks that call have seen.
    private final class Progress: Sendable {
        private let state = Mutex((answers: Set<UInt8>(), count: 0, isOver: false))

        /// The answers of the next calls.
        func next() async throws -> Set<UInt8> {
            state.withLock { ($0.answers, $0.count) = ([], 0) }
            try await eventually { state.withLock { $0.count } >= 32 }
            return state.withLock { $0.answers }
        }

        var isOver: Bool { state.withLock { $0.isOver } }

        func note(_ answer: UInt8) {
            state.withLock { state in
                state.answers.insert(answer)
                state.count += 1
            }
        }

        func end() { state.withLock { $0.isOver = true } }
    }

    private static func answer(of channel: Channel) async throws -> UInt8 {
        try await channel.unary(LiveMesh.ask, [])[0]
    }

    @Test("loses no call while routes, weights, endpoints and clusters change")
    func changes() async throws {
        let mesh = try LiveMesh("xds-live-changes")
        let (a, b, c) = (try mesh.server(1), try mesh.server(2), try mesh.server(3))
        try mesh.cluster("a", [a])
        try mesh.cluster("b", [b])
        mesh.route(to: ["a": 1])
        let channel = try mesh.channel()
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    while !progress.isOver { progress.note(try await Self.answer(of: channel)) }
                }
            }
            func seen(_ expected: Set<UInt8>) async throws {
                // A call that has begun earlier may have another answer.
                try await eventually { try await progress.next() == expected }
            }
            try await seen([1])
            for _ in 0..<3 {
                mesh.route(to: ["b": 1])
                try await eventually { try await Self.answer(of: channel) == 2 }
                try await seen([2])
                mesh.route(to: ["a": 1, "b": 1])
                try await seen([1, 2])
                mesh.plane.set(.endpoints, ["b": try LiveMesh.endpoints("b", [c])])
                try await eventually { try await Self.answer(of: channel) == 3 }
                try await seen([1, 3])
                mesh.route(to: ["a": 1])
                try await eventually { try await Self.answer(of: channel) == 1 }
                try await seen([1])
                mesh.plane.set(.cluster, ["b": nil])
                try mesh.cluster("b", [b])
            }
            progress.end()
            try await group.waitForAll()
        }
        // The routes come back to it in each round. Nothing else makes a connection.
        #expect(a.connectionCount == 4)
        await channel.close()
    }

    @Test("says once that it does not encrypt the calls to a cluster whose settings demand TLS")
    func encryptionIgnored() async throws {
        let mesh = try LiveMesh("xds-live-plaintext")
        let server = try mesh.server(1)
        try mesh.cluster("plain", [server])
        mesh.plane.set(.endpoints, ["secret": try LiveMesh.endpoints("secret", [server])])
        let roots = Envoy.TLS.CertificateValidationContext.with { $0.systemRootCerts = .init() }
        let context = Envoy.TLS.UpstreamTlsContext.with {
            $0.commonTLSContext = .with { $0.validationContextType = .validationContext(roots) }
        }
        mesh.plane.set(
            .cluster,
            [
                "secret": Sample.cluster("secret") {
                    $0.transportSocket = .with {
                        $0.name = "tls"
                        $0.configType = .typedConfig(Sample.any(context))
                    }
                }
            ])
        mesh.route(to: ["plain": 1])
        let channel = try mesh.channel()
        #expect(try await Self.answer(of: channel) == 1)
        func clusters() -> [String] {
            (channel.snapshot?.events ?? []).compactMap {
                if case .encryptionIgnored(let cluster) = $0.kind { cluster } else { nil }
            }
        }
        #expect(clusters().isEmpty)
        mesh.route(to: ["secret": 1])
        try await eventually { clusters() == ["secret"] }
        mesh.route(to: ["secret": 1, "plain": 1])
        for _ in 0..<10 { #expect(try await Self.answer(of: channel) == 1) }
        #expect(clusters() == ["secret"])
        await channel.close()
    }

    @Test("leaves nothing at the control plane when it is closed")
    func closed() async throws {
        let mesh = try LiveMesh("xds-live-closed")
        try mesh.cluster("a", [try mesh.server(1)])
        mesh.route(to: ["a": 1])
        let channel = try mesh.channel()
        let other = try mesh.channel()
        #expect(try await Self.answer(of: channel) == 1)
        #expect(try await Self.answer(of: other) == 1)
        #expect(mesh.plane.streamCount == 1, "channels to one target share the client")
        await channel.close()
        #expect(try await Self.answer(of: other) == 1)
        await other.close()
        try await eventually { mesh.plane.streamCount == 0 }
    }

    @Test("asks again after it was idle")
    func idle() async throws {
        let mesh = try LiveMesh("xds-live-idle")
        try mesh.cluster("a", [try mesh.server(1)])
        mesh.route(to: ["a": 1])
        var arguments = ChannelArguments()
        arguments.idleTimeout = .milliseconds(1)
        let channel = try mesh.channel(arguments)
        for _ in 0..<5 {
            #expect(try await Self.answer(of: channel) == 1)
            try await eventually { channel.connectivity == .idle && mesh.plane.streamCount == 0 }
        }
        await channel.close()
    }

    @Test("keeps an open stream of a cluster that is gone, and releases the cluster after it")
    func openStream() async throws {
        let mesh = try LiveMesh("xds-live-stream")
        try mesh.cluster("a", [try mesh.server(1)])
        try mesh.cluster("b", [try mesh.server(2)])
        mesh.route(to: ["a": 1])
        let channel = try mesh.channel()
        let call = try await channel.bidirectional(LiveMesh.talk)
        var answers = call.responses.makeAsyncIterator()
        try await call.requests.write([])
        #expect(try await answers.next() == [1])
        mesh.route(to: ["b": 1])
        try await eventually { try await Self.answer(of: channel) == 2 }
        mesh.plane.set(.cluster, ["a": nil])
        for _ in 0..<3 {
            try await call.requests.write([])
            #expect(try await answers.next() == [1])
        }
        call.requests.finish()
        #expect(try await answers.next() == nil)
        await channel.close()
    }

    @Test("names the resource, the reason and the node in its errors")
    func errors() async throws {
        let mesh = try LiveMesh("xds-live-errors")
        mesh.route(to: ["a": 1])
        mesh.plane.set(.cluster, ["a": Sample.cluster("a") { $0.lbPolicy = .maglev }])
        let channel = try mesh.channel()
        let error = await #expect(throws: RPCError.self) { try await Self.answer(of: channel) }
        #expect(error?.code == .unavailable)
        #expect(
            error?.message
                == "xds: CDS resource a: is not valid: lb_policy: 'MAGLEV' is not supported (node n1)"
        )
        try mesh.cluster("a", [try mesh.server(1)])
        try await eventually { (try? await Self.answer(of: channel)) == 1 }
        await channel.close()
    }

    @Test("fails calls with the reason if its control plane cannot be reached")
    func unreachable() async throws {
        // Port 1 has no server.
        let bootstrap = try XDS.Bootstrap(
            json: """
                {"xds_servers": [{"server_uri": "127.0.0.1:1", "channel_creds": [{"type": "insecure"}]}]}
                """)
        let mesh = try LiveMesh("xds-live-unreachable", bootstrap: bootstrap)
        let channel = try mesh.channel()
        let error = await #expect(throws: RPCError.self) { try await Self.answer(of: channel) }
        #expect(error?.code == .unavailable)
        let message = error?.message ?? ""
        #expect(
            message.contains(
                "xds: LDS resource svc: the control plane 127.0.0.1:1 cannot be reached"))
        #expect(message.contains("refused"))
        await channel.close()
    }

    @Test("needs the authority of its target in the bootstrap")
    func authority() async throws {
        let mesh = try LiveMesh("xds-live-authority")
        let channel = try Channel("xds-live-authority://other/svc", credentials: .insecure)
        let error = await #expect(throws: RPCError.self) { try await Self.answer(of: channel) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("the bootstrap has no authority 'other'") == true)
        await channel.close()
        withExtendedLifetime(mesh) {}
    }
}
