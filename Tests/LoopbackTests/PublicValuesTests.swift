import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import Synchronization
import Testing

@Suite("Values that a user's test makes", .timeLimit(.minutes(5)))
struct PublicValuesTests {
    private struct Stamp: CallCredentials {
        var allowsInsecureConnections: Bool { true }

        func metadata(for call: CallDescription) async throws(RPCError) -> Metadata {
            ["stamp": "\(call.serviceName) \(call.methodName) \(call.shape) \(call.isSecure)"]
        }
    }

    @Test("credentials receive the call's description, and can be tested with one made by hand")
    func credentials() async throws {
        let description = CallDescription(
            path: "/t.T/Say", shape: .unary, authority: "localhost", isSecure: true)
        let metadata = try await Stamp().metadata(for: description)
        #expect(Array(metadata) == [.init(name: "Stamp", value: .text("t.T Say unary true"))])

        let say = Method<HelloRequest, HelloReply>("/t.T/Say", .unary)
        let server = try LoopbackServer { server in
            server.unary(say) { _, context in
                HelloReply(message: context.metadata["stamp"] ?? "none")
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let reply = try await channel.unary(
            say, .init(), options: .with { $0.credentials = Stamp() })
        #expect(reply.message == "t.T Say unary false")
    }

    @Test("an error, a timeline and an HTTP answer can be made in full")
    func values() {
        var error = RPCError(.unavailable, "no server")
        error.attempts = [.init(address: "127.0.0.1:1", cause: "connection refused")]
        #expect("\(error)" == "UNAVAILABLE: no server; 127.0.0.1:1: connection refused")

        let start = ContinuousClock.now
        var timeline = CallTimeline(started: start)
        timeline.lastByte = start + .seconds(2)
        #expect(timeline.duration == .seconds(2))

        let answer = HTTPAnswer(status: 404, headers: ["a": "b"], body: [1])
        #expect((answer.status, answer.headers["a"], answer.body) == (404, "b", [1]))
    }
}
