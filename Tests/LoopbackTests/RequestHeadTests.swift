import Swiftlet
import SwiftletCore
import SwiftletJSONRPC
import SwiftletLoopback
import Testing

@Suite("The head of a request", .timeLimit(.minutes(5)))
struct RequestHeadTests {
    private static func method(_ subtype: String?) -> Method<[UInt8], [UInt8]> {
        let codec = Codec<[UInt8]>(
            contentSubtype: subtype,
            encode: { value, count in [UInt8](repeating: 0, count: count) + value },
            decode: { bytes in bytes.indices.map { bytes[$0] } })
        return Method("/t.T/Stream", .bidirectional, request: codec, reply: codec)
    }

    private static let unfit: [(String, String?, CallOptions, StatusCode)] = [
        (
            "a compression that ends a line", nil,
            .with { $0.compression = CompressionAlgorithm(name: "x\r\ny: z") }, .internal
        ),
        (
            "an unknown compression", nil,
            .with { $0.compression = CompressionAlgorithm(name: "snappy") }, .internal
        ),
        (
            "a compression without a name", nil,
            .with { $0.compression = CompressionAlgorithm(name: "") }, .internal
        ),
        ("an empty authority", nil, .with { $0.authority = "" }, .invalidArgument),
        (
            "an authority that ends a line", nil, .with { $0.authority = "a\r\nb" },
            .invalidArgument
        ),
        ("an empty content subtype", "", .init(), .invalidArgument),
        ("a content subtype that ends a line", "a\r\nb", .init(), .invalidArgument),
    ]

    @Test("that cannot be sent is refused before its stream begins")
    func unfit() async throws {
        let peer = try RawPeer(RawScript.correct)
        let channel = try Channel(peer.target, credentials: .insecure)
        for (what, subtype, options, code) in Self.unfit {
            let error = await #expect(throws: RPCError.self, "\(what)") {
                let call = try await channel.bidirectional(Self.method(subtype), options: options)
                for try await _ in call.responses {}
            }
            #expect(error?.code == code, "\(what)")
            #expect(error?.phase == .preparing, "\(what)")
            #expect(error?.mayHaveBeenExecuted == false, "\(what)")
        }
        // If a refused call had been sent, it would have arrived before this one.
        #expect(try await channel.unary(HostileTrial.echo, [1]) == RawPeer.replyBody)
        #expect(peer.callCount == 1)
    }

    @Test("of plain HTTP may have a compression that gRPC does not support")
    func plain() async throws {
        let server = try LoopbackServer { server in
            server.http("/rpc") { HTTPReply(contentType: "text/plain", body: $0.body) }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let answer = try await channel.post(
            "/rpc", contentType: "text/plain", body: [1, 2],
            options: .with { $0.compression = CompressionAlgorithm(name: "snappy") })
        #expect(answer.body == [1, 2])
    }

    private static let agents: [(prefix: String?, suffix: String?, String)] = [
        (nil, nil, "grpc-swift-swiftlet/\(UserAgent.version)"),
        ("shop/1.4", nil, "shop/1.4 grpc-swift-swiftlet/\(UserAgent.version)"),
        (nil, "(night)", "grpc-swift-swiftlet/\(UserAgent.version) (night)"),
        ("shop/1.4", "(night)", "shop/1.4 grpc-swift-swiftlet/\(UserAgent.version) (night)"),
        ("", "", "grpc-swift-swiftlet/\(UserAgent.version)"),
    ]

    @Test("names the library, and the program before it and after it")
    func userAgent() async throws {
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { _, context in
                Array((context.metadata["user-agent"] ?? "none").utf8)
            }
        }
        for (prefix, suffix, value) in Self.agents {
            var arguments = ChannelArguments()
            arguments.userAgentPrefix = prefix
            arguments.userAgentSuffix = suffix
            let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
            let seen = try await channel.unary(HostileTrial.echo, [])
            #expect(String(decoding: seen, as: UTF8.self) == value)
        }
    }

    @Test("waits while the program's limit of calls is reached, even if the server allows more")
    func maxConcurrentStreams() async throws {
        let overlap = Overlap()
        let server = try LoopbackServer { server in
            server.maxConcurrentStreams = 100
            server.unary(HostileTrial.echo) { request, _ in
                await overlap.stay()
                return request
            }
        }
        var arguments = ChannelArguments()
        arguments.maxConcurrentStreams = 3
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number: UInt8 in 0..<50 {
                group.addTask {
                    let reply = try await channel.unary(HostileTrial.echo, [number])
                    #expect(reply == [number])
                }
            }
            try await group.waitForAll()
        }
        #expect((1...3).contains(overlap.most))
        #expect(server.connectionCount == 1)
    }
}
