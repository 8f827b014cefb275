import Swiftlet
import SwiftletLoopback
import Testing

@Suite("Reflection", .timeLimit(.minutes(5)))
struct ServicesReflectionTests {
    private static func makeServer() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.add(ReflectionService())
            server.add(TestService())
            server.addGreeter()
        }
    }

    @Test("lists the services of a server, also those that were added after it")
    func services() async throws {
        let server = try Self.makeServer()
        let client = ReflectionClient(channel: try Channel(server.target, credentials: .insecure))
        #expect(
            try await client.services() == [
                "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
                "grpc.testing.TestService", "helloworld.Greeter",
                "xds.service.orca.v3.OpenRcaService",
            ])
    }

    @Test(
        "finds the file that declares a symbol, with all its imports",
        arguments: [
            "grpc.testing.TestService", "grpc.testing.TestService.UnaryCall",
        ])
    func symbols(_ symbol: String) async throws {
        let server = try Self.makeServer()
        let client = ReflectionClient(channel: try Channel(server.target, credentials: .insecure))
        let files = try await client.files(declaring: symbol).map {
            try Google.Protobuf.FileDescriptorProto(decoding: $0)
        }
        #expect(
            files.map(\.name) == [
                "grpc/testing/test.proto", "grpc/testing/empty.proto",
                "grpc/testing/messages.proto",
            ])
    }

    @Test("returns every bundled file by name, unchanged")
    func files() async throws {
        let server = try Self.makeServer()
        let client = ReflectionClient(channel: try Channel(server.target, credentials: .insecure))
        for file in Google.Protobuf.FileDescriptorProto.bundled {
            let found = try await client.files(named: try #require(file.name))
            #expect(found.first == file.encoded())
        }
    }

    @Test("finds the extensions that its files declare, inside and outside messages")
    func extensions() async throws {
        typealias Request = GRPC.Reflection.ServerReflectionRequest
        typealias Reply = GRPC.Reflection.ServerReflectionResponse
        let file = Google.Protobuf.FileDescriptorProto.with { file in
            file.name = "ext.proto"
            file.package = "e"
            file.messageType = [
                .with {
                    $0.name = "Base"
                    $0.extension = [
                        .with {
                            $0.name = "inner"
                            $0.number = 120
                            $0.extendee = ".e.Base"
                        }
                    ]
                }
            ]
            file.extension = [
                .with {
                    $0.name = "outer"
                    $0.number = 100
                    $0.extendee = ".e.Base"
                }
            ]
        }
        let server = try LoopbackServer { $0.add(ReflectionService(files: [file])) }
        let channel = try Channel(server.target, credentials: .insecure)
        let talk = try await channel.bidirectional(
            Method<Request, Reply>(
                "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", .bidirectional))
        var replies = talk.responses.makeAsyncIterator()
        try await talk.requests.write(
            .with { $0.messageRequest = .allExtensionNumbersOfType("e.Base") })
        guard
            case .allExtensionNumbersResponse(let numbers)? = try await replies.next()?
                .messageResponse
        else {
            Issue.record("no numbers")
            return
        }
        #expect(numbers.extensionNumber == [100, 120])
        try await talk.requests.write(
            .with {
                $0.messageRequest = .fileContainingExtension(
                    .init(containingType: "e.Base", extensionNumber: 120))
            })
        guard case .fileDescriptorResponse(let found)? = try await replies.next()?.messageResponse
        else {
            Issue.record("no file")
            return
        }
        #expect(found.fileDescriptorProto == [file.encoded()])
        talk.requests.finish()
        let client = ReflectionClient(channel: channel)
        for name in ["e.outer", "e.Base.inner"] {
            #expect(try await client.files(declaring: name) == [file.encoded()])
        }
    }

    @Test("answers NOT_FOUND for an unknown name")
    func unknown() async throws {
        let server = try Self.makeServer()
        let client = ReflectionClient(channel: try Channel(server.target, credentials: .insecure))
        for call in [
            { _ = try await client.files(declaring: "no.Such") },
            { _ = try await client.files(named: "no/such.proto") },
        ] {
            let error = await #expect(throws: RPCError.self) { try await call() }
            #expect(error?.code == .notFound)
            #expect(error?.origin == .server)
        }
    }

    @Test("ends with the status of its call, even after an answer")
    func status() async throws {
        typealias Request = GRPC.Reflection.ServerReflectionRequest
        typealias Reply = GRPC.Reflection.ServerReflectionResponse
        let method = Method<Request, Reply>(
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", .bidirectional)
        let server = try LoopbackServer { server in
            server.bidirectional(method) { requests, replies, _ in
                for try await _ in requests {
                    try await replies.write(
                        Reply(messageResponse: .listServicesResponse(.init(service: []))))
                }
                throw RPCError(.dataLoss, "the list is not complete")
            }
        }
        let client = ReflectionClient(channel: try server.makeChannel())
        let error = await #expect(throws: RPCError.self) { try await client.services() }
        #expect(error?.code == .dataLoss)
    }

    @Test("uses its old name if the server does not offer the new one")
    func alpha() async throws {
        typealias Request = GRPC.Reflection.ServerReflectionRequest
        typealias Reply = GRPC.Reflection.ServerReflectionResponse
        let old = Method<Request, Reply>(
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", .bidirectional)
        let server = try LoopbackServer { server in
            server.bidirectional(old) { requests, replies, _ in
                for try await _ in requests {
                    try await replies.write(
                        Reply(
                            messageResponse: .listServicesResponse(
                                .init(service: [.init(name: "an.Old")]))))
                }
            }
        }
        let client = ReflectionClient(channel: try Channel(server.target, credentials: .insecure))
        #expect(try await client.services() == ["an.Old"])
    }
}
