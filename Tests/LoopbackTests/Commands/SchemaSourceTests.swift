import Foundation
import Swiftlet
import SwiftletDynamic
import SwiftletLoopback
import Testing

@testable import SwiftletCLI

@Suite("The sources of declarations", .timeLimit(.minutes(5)))
struct SchemaSourceTests {
    private typealias Reflection = Method<SchemaFetch.Request, SchemaFetch.Response>

    /// A server that finds services and messages, and no methods and fields.
    private static func makeServer() throws -> LoopbackServer {
        let files = try ProtoCompiler().compile(
            source: """
                syntax = "proto3";
                package shop;
                service Cart { rpc Get(Item) returns (Item); }
                message Item { string id = 1; }
                """
        ).file
        let method = try Reflection(path: SchemaFetch(symbols: []).path, .bidirectional)
        return try LoopbackServer { server in
            server.bidirectional(method) { requests, replies, _ in
                for try await request in requests {
                    var reply = SchemaFetch.Response()
                    reply.messageResponse = .errorResponse(.with { $0.errorCode = 5 })
                    if case .fileContainingSymbol(let name) = request.messageRequest,
                        ["shop.Cart", "shop.Item"].contains(name)
                    {
                        reply.messageResponse = .fileDescriptorResponse(
                            .with {
                                $0.fileDescriptorProto = files.map { $0.encoded() }
                            })
                    }
                    if case .listServices = request.messageRequest {
                        reply.messageResponse = .listServicesResponse(
                            .with { $0.service = [.with { $0.name = "shop.Cart" }] })
                    }
                    try await replies.write(reply)
                }
            }
        }
    }

    @Test("find a method and a field of a server that knows only what is around them")
    func surroundings() async throws {
        let server = try Self.makeServer()
        for (name, text) in [
            ("shop.Cart.Get", "rpc Get(Item) returns (Item);\n"),
            ("shop.Cart/Get", "rpc Get(Item) returns (Item);\n"),
            ("shop.Item.id", "string id = 1;\n"),
        ] {
            let run = try await Program.run(["describe", server.target, name])
            #expect(run.output == text, "\(run.errors)")
        }
        let none = try await Program.run(["describe", server.target, "shop.Cart.Put"])
        #expect(none.errors.hasPrefix("swiftlet: there is no declaration 'shop.Cart.Put'"))
        let unknown = try await Program.run(["describe", server.target, "other.Cart.Put"])
        #expect(unknown.errors.hasPrefix("swiftlet: other.Cart.Put: the server answered error 5"))
    }

    @Test("are reflection and files together with --use-reflection")
    func both() async throws {
        let server = try Self.makeServer()
        let proto = RepositoryFiles.path("Protos/helloworld.proto")
        let options = ["--proto", proto, "--use-reflection"]
        for (words, text) in [
            (["list", server.target], "shop.Cart\nhelloworld.Greeter\n"),
            (["describe", server.target], "service Greeter {\n"),
            (["describe", server.target], "service Cart {\n"),
            (["list", server.target, "shop.Cart"], "shop.Cart/Get\n"),
            (["list", server.target, "helloworld.Greeter"], "helloworld.Greeter/SayHello\n"),
            (["describe", server.target, "shop.Item"], "message Item {\n"),
            (["describe", server.target, "helloworld.HelloRequest"], "message HelloRequest {\n"),
        ] {
            let run = try await Program.run(words + options)
            #expect(run.output.contains(text), "\(words): \(run.errors)")
        }
        let without = try await Program.run(["list", "--proto", proto])
        #expect(without.output == "helloworld.Greeter\n")
    }

    @Test("are files alone for a server without reflection")
    func withoutReflection() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let options = [
            "--use-reflection", "--proto", RepositoryFiles.path("Protos/helloworld.proto"),
        ]
        for (words, text) in [
            (["call", server.target, "helloworld.Greeter/SayHello"], "Hello"),
            (["list", server.target], "helloworld.Greeter\n"),
            (["describe", server.target], "service Greeter {\n"),
            (["repl", server.target], "helloworld.Greeter\n"),
        ] {
            let run = try await Program.run(words + options, input: "list\n")
            #expect(run.status == 0, "\(words): \(run.errors)")
            #expect(run.output.contains(text), "\(words): \(run.output)")
        }
    }

    @Test("can be written as a descriptor set, imports first")
    func protoset() async throws {
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.add(TestService())
            server.add(ReflectionService())
        }
        let folder = try TemporaryFolder()
        for (words, service) in [
            (["list", server.target], "grpc.testing.TestService"),
            (["list", server.target, "helloworld.Greeter"], "helloworld.Greeter"),
            (["describe", server.target, "grpc.testing.TestService"], "grpc.testing.TestService"),
            (["call", server.target, "helloworld.Greeter/SayHello"], "helloworld.Greeter"),
        ] {
            let path = "\(folder.path)/\(words[0])"
            let run = try await Program.run(words + ["--protoset-out", path])
            #expect(run.status == 0, "\(run.errors)")
            let bytes = try Data(contentsOf: URL(filePath: path))
            let files = try Google.Protobuf.FileDescriptorSet(decoding: Array(bytes)).file
            var known: Set<String> = []
            for file in files {
                #expect(known.isSuperset(of: file.dependency))
                known.insert(file.name ?? "")
            }
            let list = try await Program.run(["list", "--protoset", path])
            #expect(list.output.split(separator: "\n").contains(Substring(service)))
        }
    }

    @Test("can be listed as JSON")
    func json() async throws {
        let server = try Self.makeServer()
        let services = try await Program.run(["list", server.target, "--format", "json"])
        #expect(services.output == "[\n  {\n    \"name\": \"shop.Cart\"\n  }\n]\n")
        let methods = try await Program.run([
            "list", server.target, "shop.Cart", "--format", "json",
        ])
        #expect(
            methods.output == """
                [
                  {
                    "name": "shop.Cart/Get",
                    "request": "shop.Item",
                    "response": "shop.Item",
                    "streamsRequests": false,
                    "streamsResponses": false
                  }
                ]

                """)
        let described = try await Program.run([
            "describe", server.target, "shop.Item", "--format=json",
        ])
        let json = try JSONSerialization.jsonObject(with: Data(described.output.utf8))
        let message = (json as? [[String: Any]])?.first?["message"] as? [String: Any]
        #expect(message?["name"] as? String == "Item")
    }
}
