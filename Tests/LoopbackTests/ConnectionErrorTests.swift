import Swiftlet
import SwiftletLoopback
import Testing

/// Tests which facts about a connection an error contains.
@Suite("An error of a connection", .timeLimit(.minutes(5)))
struct ConnectionErrorTests {
    @Test("names the GOAWAY that came before it")
    func goAway() async throws {
        let peer = try RawPeer(
            RawScript { connection, _ in
                try connection.send(RawFrame.goAway(last: 1, 11, "quota\nexceeded"))
                try connection.close()
            })
        let channel = try Channel(peer.target, credentials: .insecure)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [1])
        }
        #expect(error?.code == .unavailable)
        #expect(error?.causes == ["GOAWAY ENHANCE_YOUR_CALM \"quota exceeded\""])
    }

    @Test("lists the addresses that were tried, also after the deadline")
    func attempts() async throws {
        let channel = try Channel("127.0.0.1:1", credentials: .insecure)
        // After this call, the channel has the failed attempt for that address.
        _ = try? await channel.unary(HostileTrial.echo, [1])
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(
                HostileTrial.echo, [1, 2, 3],
                options: .with {
                    $0.waitForReady = true
                    $0.timeout = .milliseconds(100)
                })
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.causes.contains { $0.contains("connection refused") } == true)
        #expect(error?.attempts.map(\.address) == ["127.0.0.1:1"])
        #expect(error?.timeline?.sentByteCount == 0)
    }
}
