import Generated
import Swiftlet
import SwiftletDynamic
import SwiftletLoopback
import Testing

/// The files that the sources were generated from. The script puts their folders here.
private let schema = Result {
    try Schema(
        ProtoCompiler(reading: ProtoDirectories(protoFolders).read).compile([
            "helloworld.proto", "routeguide.proto", "grpc/testing/messages.proto",
            "grpc/health/v1/health.proto", "grpc/reflection/v1/reflection.proto", "names.proto",
            "bare.proto", "hostile.proto",
        ]))
}

private func matches<M: Message>(_ type: M.Type) {
    #expect(throws: Never.self) { try check(type, against: schema.get()) }
}

@Suite("Generated source")
struct GeneratedTests {
    @Test("has the messages of the schema")
    func messages() {
        matches(Helloworld.HelloRequest.self)
        matches(Helloworld.HelloReply.self)
        matches(Routeguide.Point.self)
        matches(Routeguide.Rectangle.self)
        matches(Routeguide.Feature.self)
        matches(Routeguide.RouteNote.self)
        matches(Routeguide.RouteSummary.self)
        matches(Grpc.Testing.SimpleRequest.self)
        matches(Grpc.Testing.SimpleResponse.self)
        matches(Grpc.Testing.StreamingOutputCallRequest.self)
        matches(Grpc.Testing.TestOrcaReport.self)
        matches(Grpc.Health.V1.HealthCheckResponse.self)
        matches(Grpc.Health.V1.HealthListResponse.self)
        matches(Grpc.Reflection.V1.ServerReflectionRequest.self)
        matches(Grpc.Reflection.V1.ServerReflectionResponse.self)
    }

    @Test("has the messages of proto2, and those whose names clash")
    func names() {
        matches(Names.TypeNames.Node.self)
        matches(Names.TypeNames.Node.Item.self)
        matches(Names.TypeNames.Node.Many.self)
        matches(Names.TypeNames.Pair.self)
        matches(Names.TypeNames.StringMessage.self)
        matches(Names.TypeNames.Case.self)
        matches(Names.TypeNames.FooMessage.self)
        matches(Thing.self)
    }

    @Test("has messages whose fields, cases and types have names of Swift")
    func hostileNames() {
        typealias Package = Hostile.SelfPackage.TypePackage.SwiftPackage
        matches(Package.Keywords.self)
        matches(Package.Choices.self)
        matches(Package.LOWER.self)
        matches(Package.StringMessage.self)
        matches(Package.Result.self)
        matches(Package.Task.self)
        #expect(Package.Choices(class: .selfCase(1)) != Package.Choices())
    }

    @Test("encodes and decodes messages that contain themselves")
    func recursion() throws {
        var node = Names.TypeNames.Node(name: "root", ratio: 1)
        node.next = .with { $0.name = "next" }
        node.value = .child(.with { $0.children = [.with { $0.name = "leaf" }] })
        #expect(try Names.TypeNames.Node(decoding: node.encoded()) == node)
        #expect(Names.TypeNames.Node.defaultPort == 50051)
    }

    @Test("calls a loopback service")
    func loopback() async throws {
        struct Greeter: Helloworld.GreeterService {
            func sayHello(
                _ request: Helloworld.HelloRequest, _ context: ServerContext
            ) async throws -> Helloworld.HelloReply { .init(message: "Hi \(request.name)") }
        }
        let server = try LoopbackServer { $0.add(Greeter()) }
        let client = Helloworld.GreeterClient(
            channel: try Channel(server.target, credentials: .insecure))
        #expect(try await client.sayHello(.init(name: "you")).message == "Hi you")
        await #expect(throws: RPCError.self) {
            for try await _ in try await client.sayHelloStreamReply(.init()) {}
        }
    }

    @Test("calls a fake through the protocol of the client")
    func fake() async throws {
        func greeting(_ greeter: some Helloworld.GreeterClientProtocol) async throws -> String {
            try await greeter.sayHello(.init(name: "you")).message
        }
        let fake = try Helloworld.FakeGreeter()
        try fake.sayHello().sendMessage(.init(message: "fake"))
        #expect(try await greeting(fake.client) == "fake")
    }
}
