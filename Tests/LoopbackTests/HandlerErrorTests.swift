import Swiftlet
import SwiftletLoopback
import SwiftletWellKnown
import Testing

@Suite("A handler's error", .timeLimit(.minutes(5)))
struct HandlerErrorTests {
    private static let hello = Method<HelloRequest, HelloReply>("/test.Hello/Say", .unary)

    private struct Unencodable: Error {}

    /// The error that the client receives when the handler throws `thrown`.
    private func outcome(
        of thrown: RPCError, trailers: Metadata = [:], _ arguments: ChannelArguments = .init()
    ) async throws -> RPCError? {
        let server = try LoopbackServer { server in
            server.unary(Self.hello) { _, context in
                context.setTrailingMetadata(trailers)
                throw thrown
            }
        }
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        return await #expect(throws: RPCError.self) {
            try await channel.unary(Self.hello, .init())
        }
    }

    @Test("arrives with its metadata, after the metadata that the handler has set")
    func metadata() async throws {
        var thrown = RPCError(.aborted, "once more")
        thrown.metadata = ["retry": "yes"]
        let error = try await outcome(of: thrown, trailers: ["first": "1"])
        #expect(error == thrown)
        #expect(error?.metadata == ["first": "1", "retry": "yes"])
    }

    @Test("is a rich status on both sides")
    func richStatus() async throws {
        var status = Google.RPC.Status(code: 3, message: "the name is empty")
        status.add(Google.RPC.ErrorInfo(reason: "NAME_EMPTY", domain: "example.com"))
        let error = try await outcome(of: RPCError(status))
        #expect(error?.code == .invalidArgument)
        #expect(error?.message == "the name is empty")
        #expect(try error?.richStatus() == status)
        #expect(try error?.richStatus()?.detail(Google.RPC.ErrorInfo.self)?.reason == "NAME_EMPTY")
        #expect(try RPCError(.aborted, "plain").richStatus() == nil)
        var broken = RPCError(.aborted, "broken")
        broken.details = [0xff]
        #expect(throws: WireError.self) { try broken.richStatus() }
    }

    @Test("of a rich status also arrives through a fake")
    func fake() async throws {
        let fake = try FakeChannel()
        let status = Google.RPC.Status(code: 5, message: "nobody")
        try fake.respond(to: Self.hello).sendError(RPCError(status))
        let error = await #expect(throws: RPCError.self) {
            try await fake.channel.unary(Self.hello, .init())
        }
        #expect(error?.code == .notFound)
        #expect(try error?.richStatus() == status)
    }

    @Test("keeps its status if its message is too long, and cuts the message between characters")
    func longMessage() async throws {
        for character in ["é", "x", "e\u{301}", "👩‍👩‍👧"] {
            let words = String(repeating: character, count: 10_000)
            var thrown = RPCError(.dataLoss, words)
            thrown.metadata = ["beside": "kept"]
            let error = try await outcome(of: thrown)
            let message = error?.message ?? ""
            #expect(error?.code == .dataLoss)
            #expect(error?.metadata["beside"] == "kept")
            #expect(message.utf8.count > 4_000 && words.hasPrefix(message))
        }
    }

    @Test("loses its details rather than its status")
    func longDetails() async throws {
        let words = String(repeating: "x", count: 20_000)
        let error = try await outcome(
            of: RPCError(
                Google.RPC.Status.with {
                    $0.code = 3
                    $0.message = words
                }))
        #expect(error?.code == .invalidArgument)
        #expect(error?.details == [])
        #expect(error.map { words.hasPrefix($0.message) } == true)
    }

    @Test("is as long as the client allows")
    func longerMessage() async throws {
        var arguments = ChannelArguments()
        arguments.maxMetadataByteCount = 1 << 20
        let thrown = RPCError(.dataLoss, String(repeating: "é", count: 20_000))
        #expect(try await outcome(of: thrown, arguments) == thrown)
    }

    @Test("names the failed step: decoding the request or encoding the response")
    func wording() async throws {
        let bytes = try Method<[UInt8], [UInt8]>(
            path: Self.hello.path, .unary, request: .bytes, reply: .bytes)
        let unencodable = Method<[UInt8], [UInt8]>(
            "/test.Hello/Unencodable", .unary, request: .bytes,
            reply: Codec(encode: { _, _ in throw Unencodable() }, decode: { _ in [] }))
        let server = try LoopbackServer { server in
            server.unary(Self.hello) { _, _ in HelloReply() }
            server.unary(unencodable) { request, _ in request }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let request = await #expect(throws: RPCError.self) {
            try await channel.unary(bytes, [0x0a, 5])
        }
        #expect(request?.code == .internal)
        #expect(request?.message.hasPrefix("the request cannot be decoded: ") == true)
        let reply = await #expect(throws: RPCError.self) {
            try await channel.unary(unencodable, [])
        }
        #expect(reply?.code == .internal)
        #expect(reply?.message.hasPrefix("the response cannot be encoded: ") == true)
    }

    @Test("is the error of the handler that was registered last")
    func replacing() async throws {
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.unary(
                Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
            ) { _, _ in throw RPCError(.aborted, "the second") }
        }
        let error = await #expect(throws: RPCError.self) {
            try await Greeter(channel: Channel(server.target, credentials: .insecure)).sayHello(
                .init())
        }
        #expect(error?.message == "the second")
    }
}
