import Swiftlet
import SwiftletCore
import SwiftletLoopback
import Testing

@Suite("The loopback server", .timeLimit(.minutes(5)))
struct ServicesCompressionTests {
    private static let words = String(repeating: "the same words again and ", count: 400)
    private static let say = Method<HelloRequest, HelloReply>("/test.Words/Say", .unary)
    private static let sayMany = Method<HelloRequest, HelloReply>(
        "/test.Words/SayMany", .serverStreaming)

    /// A server that compresses with the algorithm that the request names.
    private static func makeServer() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(say) { request, context in
                context.compress(with: CompressionAlgorithm(name: request.name))
                return HelloReply(message: words)
            }
            server.serverStreaming(sayMany) { request, replies, context in
                context.compress(with: CompressionAlgorithm(name: request.name))
                for number in 0..<4 {
                    try await replies.write(
                        HelloReply(message: words), allowsCompression: number % 2 == 0)
                }
            }
        }
    }

    @Test("compresses its answers when the handler requests it", arguments: ["gzip", "deflate"])
    func compresses(_ algorithm: String) async throws {
        let server = try Self.makeServer()
        let channel = try Channel(server.target, credentials: .insecure)
        let response = try await channel.unaryResponse(Self.say, .init(name: algorithm))
        #expect(response.message.message == Self.words)
        #expect(response.wasCompressed)
    }

    @Test(
        "does not compress with an unknown algorithm, or without a request",
        arguments: ["", "snappy"])
    func leavesAsItIs(_ algorithm: String) async throws {
        let server = try Self.makeServer()
        let channel = try Channel(server.target, credentials: .insecure)
        let response = try await channel.unaryResponse(Self.say, .init(name: algorithm))
        #expect(response.message.message == Self.words)
        #expect(!response.wasCompressed)
    }

    @Test("compresses only with algorithms that the client accepts")
    func obeysAcceptEncoding() async throws {
        let server = try Self.makeServer()
        let channel = try Channel(server.target, credentials: .insecure)
        for (accepted, isCompressed) in [
            ("identity", false), ("deflate, identity", false), ("identity, gzip", true),
        ] {
            var options = CallOptions()
            // Sent after the client's own header, which it replaces at the server.
            options.metadata.append(received: .text(accepted), for: "grpc-accept-encoding")
            let response = try await channel.unaryResponse(
                Self.say, .init(name: "gzip"), options: options)
            #expect(response.message.message == Self.words)
            #expect(response.wasCompressed == isCompressed, "accepting \(accepted)")
        }
    }

    @Test("compresses single messages of a stream")
    func compressesSome() async throws {
        let server = try Self.makeServer()
        let channel = try Channel(server.target, credentials: .insecure)
        let replies = try await channel.serverStreaming(Self.sayMany, .init(name: "gzip"))
        var count = 0
        for try await reply in replies {
            #expect(reply.message == Self.words)
            count += 1
        }
        #expect(count == 4)
        #expect(replies.compressedMessages == 0b0101)
    }

    @Test("answers UNIMPLEMENTED to a compression that it does not know")
    func unknownEncoding() async throws {
        let server = try Self.makeServer()
        let channel = try Channel(server.target, credentials: .insecure)
        var options = CallOptions()
        options.metadata.append(received: .text("snappy"), for: "grpc-encoding")
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.say, .init(), options: options)
        }
        #expect(error?.code == .unimplemented)
        #expect(error?.message.contains("snappy") == true)
    }

    @Test("reads compressed and uncompressed messages of a stream")
    func readsCompressed() async throws {
        let join = Method<HelloRequest, HelloReply>("/test.Words/Join", .clientStreaming)
        let server = try LoopbackServer { server in
            server.clientStreaming(join) { requests, context in
                var flags = ""
                for try await request in requests {
                    #expect(request.name == Self.words)
                    flags += context.lastMessageWasCompressed ? "1" : "0"
                }
                return HelloReply(message: flags)
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let reply = try await channel.clientStreaming(
            join, options: .with { $0.compression = .deflate }
        ) {
            requests in
            for isCompressed in [true, false, false, true] {
                try await requests.write(.init(name: Self.words), allowsCompression: isCompressed)
            }
        }
        #expect(reply.message == "1001")
    }
}
