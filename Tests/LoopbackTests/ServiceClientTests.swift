import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Testing

@Suite("A service's client", .timeLimit(.minutes(5)))
struct ServiceClientTests {
    private struct Stamped: ServiceClient {
        static let say = Method<HelloRequest, HelloReply>("/test.Hello/Say", .unary)
        let channel: Channel
        var defaultOptions: CallOptions { .with { $0.metadata = ["stamp": "client"] } }
    }

    private static func register(in server: inout ServerMethods) {
        server.unary(Stamped.say) { _, context in
            context.setTrailingMetadata(["seen": context.metadata["stamp"] ?? "none"])
            return HelloReply(message: context.metadata["stamp"] ?? "none")
        }
    }

    @Test("returns the metadata of the response")
    func response() async throws {
        let server = try LoopbackServer(register: Self.register)
        let client = Stamped(channel: try Channel(server.target, credentials: .insecure))
        let response = try await client.unaryResponse(Stamped.say, HelloRequest())
        #expect(response.message.message == "client")
        #expect(response.trailingMetadata["seen"] == "client")
        #expect("\(response)" == "\(response.message), trailing metadata [seen: client]")
    }

    @Test("completes the options of calls in every style, once")
    func styles() async throws {
        let server = try LoopbackServer(register: Self.register)
        let client = Stamped(channel: try Channel(server.target, credentials: .insecure))
        let futureReply = try await client.unaryCall(Stamped.say, HelloRequest()).response.value
        #expect(futureReply.message == "client")
        let blockingReply = try await onThread {
            try client.blockingUnary(Stamped.say, HelloRequest()).message
        }
        #expect(blockingReply.message == "client")
        let handlerReply = try await withCheckedThrowingContinuation { continuation in
            _ = try? client.startUnary(Stamped.say, HelloRequest()) { result in
                continuation.resume(with: result.map(\.message))
            }
        }
        #expect(handlerReply.message == "client")
        let channel = try Channel(
            server.target, credentials: .insecure, defaultOptions: client.defaultOptions)
        #expect(try await channel.unary(Stamped.say, .init()).message == "client")
    }

    @Test("completes options for calls that are made on its channel")
    func completed() async throws {
        let server = try LoopbackServer(register: Self.register)
        let client = Stamped(channel: try Channel(server.target, credentials: .insecure))
        let method = Stamped.say
        let channel = client.channel
        #expect(try await channel.unary(method, .init()).message == "none")
        #expect(
            try await channel.unary(method, .init(), options: client.withDefaults(.init())).message
                == "client")
        let own = client.withDefaults(.with { $0.metadata = ["stamp": "own"] })
        #expect(try await channel.unary(method, .init(), options: own).message == "own")
    }
}
