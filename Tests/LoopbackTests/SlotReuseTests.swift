import Swiftlet
import SwiftletLoopback
import Testing

@Suite("A call whose stream takes the place of another", .timeLimit(.minutes(5)))
struct SlotReuseTests {
    private static let echo = Method<[UInt8], [UInt8]>(
        "/test.T/Echo", .unary, request: .bytes, reply: .bytes)

    @Test("is not ended by late events of the other one")
    func manyThreads() async throws {
        let server = try LoopbackServer { server in
            server.unary(Self.echo) { request, _ in request }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let options = CallOptions.with { $0.timeout = .seconds(120) }
        // Calls begin on many threads while other calls end on the connection's thread.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<64 {
                group.addTask {
                    for call in 0..<100 {
                        let body = [UInt8(task), UInt8(call)]
                        let reply = try await channel.unary(Self.echo, body, options: options)
                        try #require(reply == body)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(server.connectionCount == 1)
    }
}
