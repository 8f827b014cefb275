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

    @Test("cause at most 16 look-ups, one for each name")
    func manyTypes() async throws {
        let lookUps = Notes()
        var status = Google.RPC.Status(code: 5, message: "lost")
        status.details = (0..<100).map { number in
            .with { $0.typeURL = "example.com/a.B\(number / 2)" }
        }
        let reflection = try Method<SchemaFetch.Request, SchemaFetch.Response>(
            path: SchemaFetch(symbols: []).path, .bidirectional)
        let server = try LoopbackServer { [status] server in
            let method = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
            server.unary(method) { _, _ in throw RPCError(status) }
            server.bidirectional(reflection) { requests, replies, _ in
                for try await request in requests {
                    var reply = SchemaFetch.Response()
                    reply.messageResponse = .errorResponse(.with { $0.errorCode = 5 })
                    if case .fileContainingSymbol(let name)? = request.messageRequest {
                        lookUps.add(name)
                        if name == "helloworld.Greeter" {
                            let files = try ProtoCompiler().compile(
                                source: """
                                    syntax = "proto3";
                                    package helloworld;
                                    service Greeter { rpc SayHello(M) returns (M); }
                                    message M {}
                                    """
                            ).file
                            reply.messageResponse = .fileDescriptorResponse(
                                .with { $0.fileDescriptorProto = files.map { $0.encoded() } })
                        }
                    }
                    try await replies.write(reply)
                }
            }
        }
        let run = try await Program.run(["call", server.target, "helloworld.Greeter/SayHello"])
        #expect(run.status == 64 + 5)
        let names = lookUps.all.filter { $0.hasPrefix("a.B") }
        #expect(Set(names) == Set((0..<16).map { "a.B\($0)" }), "\(names)")
        #expect(names.count == 16)
        #expect(run.errors.contains("\"@type\": \"example.com/a.B49\""))
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
