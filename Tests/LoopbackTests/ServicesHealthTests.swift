import Swiftlet
import SwiftletLoopback
import Testing

@Suite("Health", .timeLimit(.minutes(5)))
struct ServicesHealthTests {
    @Test("is available for each service, and for the server as a whole")
    func check() async throws {
        let health = HealthService()
        health.set(.notServing, for: "a.B")
        let server = try LoopbackServer { $0.add(health) }
        let client = HealthClient(channel: try Channel(server.target, credentials: .insecure))
        #expect(try await client.check() == .serving)
        #expect(try await client.check("a.B") == .notServing)
        #expect(try await client.list() == ["": .serving, "a.B": .notServing])
        let error = await #expect(throws: RPCError.self) { try await client.check("a.C") }
        #expect(error?.code == .notFound)
    }

    @Test("is sent to watching clients when it changes, and only then")
    func watch() async throws {
        let health = HealthService()
        let server = try LoopbackServer { $0.add(health) }
        let client = HealthClient(channel: try Channel(server.target, credentials: .insecure))
        var changes = try await client.watch("a.B").makeAsyncIterator()
        #expect(try await changes.next()?.status == .serviceUnknown)
        health.set(.serving, for: "a.B")
        #expect(try await changes.next()?.status == .serving)
        health.set(.serving, for: "a.B")
        health.set(.notServing, for: "another")
        health.set(.notServing, for: "a.B")
        #expect(try await changes.next()?.status == .notServing)
        health.set(nil, for: "a.B")
        #expect(try await changes.next()?.status == .serviceUnknown)
    }

    @Test("is no longer sent to a client that has cancelled its watch")
    func watchersLeave() async throws {
        let health = HealthService()
        let server = try LoopbackServer { $0.add(health) }
        let client = HealthClient(channel: try Channel(server.target, credentials: .insecure))
        let stream = try await client.watch()
        var changes = stream.makeAsyncIterator()
        #expect(try await changes.next()?.status == .serving)
        #expect(health.watcherCount() == 1)
        stream.cancel()
        try await eventually { health.watcherCount() == 0 }
    }
}
