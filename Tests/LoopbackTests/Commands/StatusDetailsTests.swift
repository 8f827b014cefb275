import Foundation
import Swiftlet
import SwiftletDynamic
import SwiftletLoopback
import SwiftletWellKnown
import Testing

@Suite("The details of a status", .timeLimit(.minutes(5)))
struct StatusDetailsTests {
    /// A server whose SayHello fails with `status`.
    private static func makeServer(failingWith status: Google.RPC.Status) throws -> LoopbackServer {
        try LoopbackServer { server in
            let method = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
            server.unary(method) { _, _ in throw RPCError(status) }
            server.add(ReflectionService())
        }
    }

    @Test("are printed as JSON below the error")
    func standardTypes() async throws {
        var status = Google.RPC.Status(code: 3, message: "no name")
        status.add(Google.RPC.ErrorInfo(reason: "NAME_EMPTY", domain: "example.com"))
        status.add(Google.RPC.RetryInfo(retryDelay: .init(seconds: 2)))
        let server = try Self.makeServer(failingWith: status)
        let run = try await Program.run(["call", server.target, "helloworld.Greeter/SayHello"])
        #expect(run.status == 64 + 3)
        let lines = run.errors.split(separator: "\n", maxSplits: 1)
        #expect(lines.first?.hasPrefix("swiftlet: INVALID_ARGUMENT: no name") == true)
        #expect(
            lines.last == """
                {
                  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                  "reason": "NAME_EMPTY",
                  "domain": "example.com"
                }
                {
                  "@type": "type.googleapis.com/google.rpc.RetryInfo",
                  "retryDelay": "2s"
                }

                """)
    }

    @Test("are looked up by reflection when the method does not use their type")
    func typeOfAnotherService() async throws {
        var status = Google.RPC.Status(code: 5, message: "lost")
        status.add(RouteGuide.Feature(name: "Bridge"))
        let server = try Self.makeServer(failingWith: status)
        let run = try await Program.run(["call", server.target, "helloworld.Greeter/SayHello"])
        #expect(run.errors.contains("\"@type\": \"type.googleapis.com/routeguide.Feature\""))
        #expect(run.errors.contains("\"name\": \"Bridge\""))
    }

    @Test("are printed as base64 with a note when their type is not found")
    func unknownType() async throws {
        var status = Google.RPC.Status(code: 5, message: "lost")
        status.details = [
            .with { detail in
                detail.typeURL = "example.com/a.B"
                detail.value = [1, 2, 3]
            }
        ]
        let server = try Self.makeServer(failingWith: status)
        let run = try await Program.run([
            "call", server.target, "helloworld.Greeter/SayHello", "--proto",
            RepositoryFiles.path("Protos/helloworld.proto"),
        ])
        #expect(run.errors.contains("\"value\": \"AQID\""))
        #expect(run.errors.contains("the schema has no message 'a.B'"))
    }
}
