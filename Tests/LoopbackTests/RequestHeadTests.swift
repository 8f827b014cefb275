import Swiftlet
import SwiftletCore
import SwiftletLoopback
import Testing

@Suite("The head of a request", .timeLimit(.minutes(1)))
struct RequestHeadTests {
    private static func method(_ subtype: String?) -> Method<[UInt8], [UInt8]> {
        let codec = Codec<[UInt8]>(
            contentSubtype: subtype,
            encode: { value, count in [UInt8](repeating: 0, count: count) + value },
            decode: { octets in octets.indices.map { octets[$0] } })
        return Method("/t.T/Stream", .bidirectional, request: codec, reply: codec)
    }

    private static let unfit: [(String, String?, CallOptions, StatusCode)] = [
        (
            "a compression that ends a line", nil,
            .with { $0.compression = CompressionAlgorithm(name: "x\r\ny: z") }, .internal
        ),
        (
            "a compression that nobody knows", nil,
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
        let channel = try Channel(peer.target)
        for (what, subtype, options, code) in Self.unfit {
            let error = await #expect(throws: RPCError.self, "\(what)") {
                let call = try await channel.bidirectional(Self.method(subtype), options)
                for try await _ in call.responses {}
            }
            #expect(error?.code == code, "\(what)")
            #expect(error?.phase == .preparing, "\(what)")
            #expect(error?.mayHaveBeenExecuted == false, "\(what)")
        }
        // Whatever had been sent before this would have come before it.
        #expect(try await channel.unary(HostileTrial.echo, [1]) == RawPeer.replyBody)
        #expect(peer.callCount == 1)
    }

    @Test("asks of plain HTTP nothing that is gRPC's")
    func plain() async throws {
        let server = try LoopbackServer { server in
            server.http("/rpc") { HTTPReply(contentType: "text/plain", body: $0.body) }
        }
        let channel = try Channel(server.target)
        let answer = try await channel.post(
            "/rpc", contentType: "text/plain", body: [1, 2],
            .with { $0.compression = CompressionAlgorithm(name: "snappy") })
        #expect(answer.body == [1, 2])
    }
}
