import Foundation
import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@testable import SwiftletCLI

@Suite("gRPC Swift 1", .timeLimit(.minutes(5)))
struct GRPCSwiftTests {
    private static let sayHello = FakeChannelTests.sayHello

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(sayHello) { request, context in
                context.sendInitialMetadata(["x-first": context.metadata["x-tenant"] ?? "none"])
                context.setTrailingMetadata(["x-last": "\(context.deadline != .never)"])
                if request.name.isEmpty { throw RPCError(.invalidArgument, "a name is needed") }
                return HelloReply(message: "Hello \(request.name)")
            }
        }
    }

    @Test("ClientConnection.insecure(group:).connect(host:port:): a channel on a group of threads")
    func connection() async throws {
        let server = try Self.server()
        let group = try CompletionQueue.Group(threads: 2)
        #expect(group.queues.count == 2)
        #expect(group.next() !== group.next())
        for _ in 0..<2 {
            let channel = try Channel(
                server.target, credentials: .insecure, queue: group.next())
            let reply = try await channel.unary(Self.sayHello, HelloRequest(name: "you"))
            #expect(reply.message == "Hello you")
        }
        group.shutdown()
        await group.waitForShutdown()
    }

    @Test("CallOptions: the client holds defaults, and a call overrides them")
    func options() async throws {
        struct Client: ServiceClient {
            let channel: Channel
            let defaultOptions = CallOptions.with {
                $0.metadata = ["x-tenant": "default"]
                $0.timeout = .seconds(60)
            }
        }
        let client = Client(channel: try Self.server().makeChannel())
        let request = HelloRequest(name: "you")
        let plain = try await client.unaryResponse(Self.sayHello, request)
        #expect(plain.initialMetadata["x-first"] == "default")
        #expect(plain.trailingMetadata["x-last"] == "true")
        let own = try await client.unaryResponse(
            Self.sayHello, request, options: .with { $0.metadata = ["x-tenant": "own"] })
        #expect(own.initialMetadata["x-first"] == "own")
        #expect(own.trailingMetadata["x-last"] == "true")
    }

    @Test("UnaryCall: starts at once; each part is a future for tasks, threads, callbacks and map")
    func unaryCall() async throws {
        let channel = try Self.server().makeChannel()
        let call = channel.unaryCall(Self.sayHello, HelloRequest(name: "you"))
        #expect(try await onThread { try call.response.wait().message } == "Hello you")
        #expect(try await call.initialMetadata.value["x-first"] == "none")
        #expect(try await call.trailingMetadata.value["x-last"] == "false")
        #expect(try await call.status.value == .ok)
        #expect(try await call.response.map(\.message.count).value == 9)
        let called = await withCheckedContinuation { continuation in
            call.response.whenComplete { continuation.resume(returning: $0) }
        }
        #expect(try called.get().message == "Hello you")
        let failing = channel.unaryCall(Self.sayHello, HelloRequest())
        #expect(try await failing.status.value == Status(.invalidArgument, "a name is needed"))
    }

    @Test("GRPCStatus: one pair of code and message, for a status and for a thrown error")
    func status() async throws {
        let channel = try Self.server().makeChannel()
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.sayHello, HelloRequest())
        }
        #expect(error?.status == Status(.invalidArgument, "a name is needed"))
        #expect(RPCError(Status.ok) == nil)
        #expect(RPCError(Status(.notFound, "gone")) == RPCError(.notFound, "gone"))
        #expect(StatusCode.invalidArgument.rawValue == 3)
    }

    @Test(
        "TestClient: responses are queued per path, first in, first out; beyond them a call fails")
    func testClient() async throws {
        let fake = try FakeChannel()
        let parts = Notes()
        try fake.respond(to: Self.sayHello) { part in
            if case .message(let request) = part { parts.add(request.name) }
        }.sendMessage(
            HelloReply(message: "first"), initialMetadata: ["a": "1"], trailingMetadata: ["b": "2"])
        try fake.respond(to: Self.sayHello).sendError(RPCError(.notFound, "second"))
        let whole = try await fake.channel.unaryResponse(Self.sayHello, HelloRequest(name: "x"))
        #expect(whole.message.message == "first")
        #expect(whole.initialMetadata["a"] == "1" && whole.trailingMetadata["b"] == "2")
        #expect(parts.all == ["x"])
        for code in [StatusCode.notFound, .failedPrecondition] {
            let error = await #expect(throws: RPCError.self) {
                try await fake.channel.unary(Self.sayHello, HelloRequest())
            }
            #expect(error?.code == code)
        }
    }

    @Test("FakeChannel: inferred parts are inserted, forbidden ones refused, early ones buffered")
    func fakeChannel() async throws {
        let fake = try FakeChannel()
        let response = fake.respond(to: FakeChannelTests.listFeatures)
        // Before the call is made, and without headers.
        try response.sendMessage(.with { $0.name = "early" })
        #expect(throws: RPCError.self) { try response.sendInitialMetadata([:]) }
        let stream = try await fake.channel.serverStreaming(
            FakeChannelTests.listFeatures, .init())
        var features = stream.makeAsyncIterator()
        #expect(try await features.next()?.name == "early")
        try response.sendEnd()
        #expect(throws: RPCError.self) { try response.sendMessage(.init()) }
        #expect(try await features.next() == nil)
    }

    @Test("The plug-in's options: visibility, client, test client, file names, method case")
    func generator() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "swiftlet-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "in/a"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = """
            syntax = "proto3"; package p;
            message M {} service S { rpc GetIt(M) returns (M); }
            """
        try Data(source.utf8).write(to: folder.appending(path: "in/a/b.proto"))
        func generate(_ name: String, _ options: [String]) async throws -> [String: String] {
            let output = folder.appending(path: name)
            let words =
                ["a/b.proto", "-I", folder.appending(path: "in").path, "--output", output.path]
                + options
            try await GenerateCommand.run(Arguments(words, of: GenerateCommand.self))
            var files: [String: String] = [:]
            let paths = try FileManager.default.subpathsOfDirectory(atPath: output.path)
            for path in paths where path.hasSuffix(".swift") {
                files[path] = try String(
                    contentsOf: output.appending(path: path), encoding: .utf8)
            }
            return files
        }
        let all = try await generate(
            "1",
            [
                "--visibility", "public", "--client", "yes", "--fake", "yes", "--file-naming",
                "path-to-underscores", "--keep-method-casing", "yes",
            ])
        #expect(all["a_b.swift"]?.contains("public nonisolated struct SClient") == true)
        #expect(all["a_b.swift"]?.contains("static let GetIt") == true)
        #expect(all["a_b+Testing.swift"]?.contains("public nonisolated struct FakeS") == true)
        let least = try await generate(
            "2", ["--visibility", "internal", "--client", "no", "--file-naming", "drop-path"])
        #expect(least["b.swift"]?.contains("struct M") == true)
        #expect(least.values.allSatisfy { !$0.contains("public ") && !$0.contains("SClient") })
        #expect(least["b+Testing.swift"] == nil)
    }
}
