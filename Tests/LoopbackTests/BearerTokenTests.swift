import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@Suite("A bearer token", .timeLimit(.minutes(5)))
struct BearerTokenTests {
    struct NoToken: Error {}

    private func server(_ tokens: Notes) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(
                Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
            ) { _, context in
                tokens.add(context.metadata["authorization"] ?? "none")
                return HelloReply()
            }
        }
    }

    @Test("is fetched once and kept until it expires or is refused")
    func caching() async throws {
        let seen = Notes()
        let fetches = Atomic(0)
        let server = try server(seen)
        let token = BearerToken(allowsInsecureConnections: true) {
            let number = fetches.wrappingAdd(1, ordering: .relaxed).newValue
            // The second token expires so early that it is not used again.
            return BearerToken.Token("t\(number)", validFor: .seconds(number == 2 ? 1 : 3_600))
        }
        let channel = try Channel(
            server.target, credentials: .insecure, defaultOptions: .with { $0.credentials = token })
        let greeter = Greeter(channel: channel)
        for _ in 0..<3 { _ = try await greeter.sayHello(.init()) }
        token.invalidate()
        for _ in 0..<3 { _ = try await greeter.sayHello(.init()) }
        #expect(
            seen.all == [
                "Bearer t1", "Bearer t1", "Bearer t1", "Bearer t2", "Bearer t3", "Bearer t3",
            ])
    }

    @Test("is fetched once for calls that start together, in every face")
    func together() async throws {
        let seen = Notes()
        let fetches = Atomic(0)
        let server = try server(seen)
        let token = BearerToken(allowsInsecureConnections: true) {
            fetches.wrappingAdd(1, ordering: .relaxed)
            await Task.yield()
            return BearerToken.Token("only")
        }
        let channel = try Channel(
            server.target, credentials: .insecure, defaultOptions: .with { $0.credentials = token })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { _ = try await Greeter(channel: channel).sayHello(.init()) }
            }
            group.addTask {
                _ = try await onThread {
                    try channel.blockingUnary(
                        Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary),
                        .init())
                }
            }
            try await group.waitForAll()
        }
        #expect(fetches.load(ordering: .relaxed) == 1)
        #expect(Set(seen.all) == ["Bearer only"])
        #expect(seen.all.count == 21)
    }

    @Test("is not fetched again by a call that starts while the fetch ends")
    func atTheEnd() async throws {
        let call = CallDescription(
            path: "/t.T/Call", shape: .unary, authority: "t", isSecure: false)
        for _ in 0..<5_000 {
            let fetches = Atomic(0)
            let token = BearerToken(allowsInsecureConnections: true) {
                fetches.wrappingAdd(1, ordering: .relaxed)
                return BearerToken.Token("only")
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try await token.metadata(for: call) } }
                try await group.waitForAll()
            }
            try #require(fetches.load(ordering: .relaxed) == 1)
        }
    }

    @Test("that cannot be fetched fails the call, and the next call tries again")
    func failure() async throws {
        let seen = Notes()
        let fetches = Atomic(0)
        let server = try server(seen)
        let token = BearerToken(allowsInsecureConnections: true) {
            guard fetches.wrappingAdd(1, ordering: .relaxed).newValue > 1 else { throw NoToken() }
            return BearerToken.Token("second")
        }
        let channel = try Channel(
            server.target, credentials: .insecure, defaultOptions: .with { $0.credentials = token })
        let error = await #expect(throws: RPCError.self) {
            try await Greeter(channel: channel).sayHello(.init())
        }
        #expect(error?.code == .unauthenticated)
        #expect(error?.mayHaveBeenExecuted == false)
        _ = try await Greeter(channel: channel).sayHello(.init())
        #expect(seen.all == ["Bearer second"])
    }

    @Test("is not sent without TLS unless that is allowed")
    func clear() async throws {
        let seen = Notes()
        let server = try server(seen)
        let options = CallOptions.with { $0.credentials = BearerToken("secret") }
        let channel = try Channel(server.target, credentials: .insecure)
        let error = await #expect(throws: RPCError.self) {
            try await Greeter(channel: channel).sayHello(.init(), options: options)
        }
        #expect(error?.code == .unauthenticated)
        #expect(seen.all == [])
    }
}
