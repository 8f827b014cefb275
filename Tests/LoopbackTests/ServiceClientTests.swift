import Swiftlet
import SwiftletLoopback
import Testing

@Suite("A service's client", .timeLimit(.minutes(1)))
struct ServiceClientTests {
    private struct Stamped: ServiceClient {
        static let serviceName = "test.Hello"
        let channel: Channel
        var defaultOptions: CallOptions { .with { $0.metadata = ["stamp": "client"] } }
    }

    private static func register(in server: inout ServerMethods) {
        server.unary(Method<HelloRequest, HelloReply>("/test.Hello/Say", .unary)) { _, context in
            context.setTrailingMetadata(["seen": context.metadata["stamp"] ?? "none"])
            return HelloReply(message: context.metadata["stamp"] ?? "none")
        }
    }

    @Test("tells what comes with the one answer")
    func response() async throws {
        let server = try LoopbackServer(register: Self.register)
        let client = Stamped(channel: try Channel(server.target))
        let response: Response<HelloReply> = try await client.unaryResponse("Say", HelloRequest())
        #expect(response.message.message == "client")
        #expect(response.trailingMetadata["seen"] == "client")
        #expect("\(response)" == "\(response.message), trailing metadata [seen: client]")
    }

    @Test("completes options for calls that are made on its channel")
    func completed() async throws {
        let server = try LoopbackServer(register: Self.register)
        let client = Stamped(channel: try Channel(server.target))
        let method: Method<HelloRequest, HelloReply> = client.method("Say", .unary)
        let channel = client.channel
        #expect(try await channel.unary(method, .init()).message == "none")
        #expect(
            try await channel.unary(method, .init(), client.completed(.init())).message == "client")
        let own = client.completed(.with { $0.metadata = ["stamp": "own"] })
        #expect(try await channel.unary(method, .init(), own).message == "own")
    }
}
