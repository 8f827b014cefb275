import Swiftlet
import SwiftletDynamic
import SwiftletLoopback
import Testing

@testable import SwiftletCLI

@Suite("The commands that inspect a server", .timeLimit(.minutes(5)))
struct InspectionCommandTests {
    private static func makeServer(_ health: HealthService = HealthService()) throws
        -> LoopbackServer
    {
        try LoopbackServer { server in
            server.addGreeter()
            server.add(ReflectionService())
            server.add(TestService())
            server.add(health)
        }
    }

    @Test("list its services, and the methods of one")
    func list() async throws {
        let server = try Self.makeServer()
        let services = try await Program.run(["list", server.target])
        #expect(services.output.split(separator: "\n").contains("helloworld.Greeter"))
        let methods = try await Program.run(["list", server.target, "helloworld.Greeter"])
        #expect(
            methods.output == """
                helloworld.Greeter/SayHello
                helloworld.Greeter/SayHelloStreamReply
                helloworld.Greeter/SayHelloBidiStream

                """)
    }

    @Test("describe a service as .proto text")
    func describeService() async throws {
        let server = try Self.makeServer()
        let run = try await Program.run(["describe", server.target, "helloworld.Greeter"])
        #expect(
            run.output == """
                service Greeter {
                  rpc SayHello(HelloRequest) returns (HelloReply);
                  rpc SayHelloStreamReply(HelloRequest) returns (stream HelloReply);
                  rpc SayHelloBidiStream(stream HelloRequest) returns (stream HelloReply);
                }

                """)
    }

    /// A server that lists a thousand services. `answer` is called for each request, also for the one for the list.
    private static func makeReflection(
        _ answer: @escaping @Sendable (SchemaFetch.Request) -> SchemaFetch.Response
    ) throws -> LoopbackServer {
        typealias Reflection = Method<SchemaFetch.Request, SchemaFetch.Response>
        let method = try Reflection(path: SchemaFetch(symbols: []).path, .bidirectional)
        return try LoopbackServer { server in
            server.bidirectional(method) { requests, replies, _ in
                for try await request in requests {
                    var reply = answer(request)
                    if case .listServices = request.messageRequest {
                        reply.messageResponse = .listServicesResponse(
                            .with {
                                $0.service = (0..<1_000).map { n in .with { $0.name = "s.S\(n)" } }
                            })
                    }
                    try await replies.write(reply)
                }
            }
        }
    }

    @Test("stop at the limit of requests, also if the server lists services without end")
    func endlessServices() async throws {
        let requestCount = Counter()
        let server = try Self.makeReflection { _ in
            requestCount.add()
            return .with { $0.messageResponse = .errorResponse(.with { $0.errorCode = 5 }) }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        var reflection = ServerReflection(channel: channel, target: server.target)
        reflection.limits.maxRequestCount = 20
        let limited = reflection
        let error = await #expect(throws: LookupError.self) {
            try await limited.schemaOfDescribedServices()
        }
        #expect(error?.description.contains("lead to more than 20 requests") == true)
        #expect(requestCount.count == 20)
        await channel.close()
    }

    @Test("stop at the limit of memory for all services together")
    func largeServices() async throws {
        let server = try Self.makeReflection { request in
            guard case .fileContainingSymbol(let name) = request.messageRequest else {
                return .init()
            }
            let file = Google.Protobuf.FileDescriptorProto.with {
                $0.name = name
                $0.package = "s"
                $0.service = [.with { $0.name = String(name.dropFirst(2)) }]
            }
            return .with {
                $0.messageResponse = .fileDescriptorResponse(
                    .with { $0.fileDescriptorProto = [file.encoded()] })
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        var reflection = ServerReflection(channel: channel, target: server.target)
        let service = MemoryLayout<Google.Protobuf.ServiceDescriptorProto>.stride
        reflection.limits.maxMemoryByteCount = 3 * service
        let limited = reflection
        let error = await #expect(throws: LookupError.self) {
            try await limited.schemaOfDescribedServices()
        }
        #expect(error?.description.contains("\(3 * service) bytes of memory") == true)
        await channel.close()
    }

    @Test("describe all services, and name those that the server does not describe")
    func describeAll() async throws {
        let server = try Self.makeServer()
        let run = try await Program.run(["describe", server.target])
        #expect(run.status == 0)
        #expect(run.output.contains("service Greeter {\n"))
        #expect(run.output.contains("service TestService {\n"))
        #expect(
            run.errors
                == "swiftlet: the server does not describe xds.service.orca.v3.OpenRcaService\n")
    }

    @Test("print the request of a method as JSON to fill in")
    func template() async throws {
        let server = try Self.makeServer()
        let run = try await Program.run([
            "describe", server.target, "grpc.testing.TestService/StreamingInputCall", "--template",
        ])
        #expect(
            run.output == """
                {
                  "payload": {
                    "type": "COMPRESSABLE",
                    "body": ""
                  },
                  "expectCompressed": {
                    "value": false
                  }
                }

                """)
    }

    @Test("print the states of the channel until it is ready, or fails")
    func state() async throws {
        let server = try Self.makeServer()
        let ready = try await Program.run(["state", server.target])
        #expect(ready.status == 0)
        #expect(ready.output.hasSuffix("READY\n"))
        // No server listens on port 1. Another test may use the port of a server that has ended.
        let failed = try await Program.run(["state", "127.0.0.1:1"])
        #expect(failed.status == 64 + 14)
        #expect(failed.output.hasSuffix("TRANSIENT_FAILURE\n"))
    }

    @Test("measure round trips, also to a server without a health service")
    func ping() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let run = try await Program.run([
            "ping", server.target, "-c", "3", "--interval", "1ms",
        ])
        #expect(run.status == 0)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines.last?.hasPrefix("min ") == true)
    }

    @Test("print each change of a service's health, until they are interrupted")
    func watch() async throws {
        let health = HealthService()
        health.set(.serving, for: "a.B")
        let server = try Self.makeServer(health)
        let program = try Program(["health", server.target, "a.B", "--watch"])
        #expect(try await program.line(endingIn: "SERVING") == "SERVING")
        health.set(.notServing, for: "a.B")
        #expect(try await program.line(endingIn: "SERVING") == "NOT_SERVING")
        program.interrupt()
        #expect(try await program.end().status == 64 + 1)
    }
}
