import Swiftlet
import SwiftletLoopback
import Testing

/// PROTOCOL-HTTP2.md: a request without a message ends with an empty DATA frame that carries
/// END_STREAM. The servers of gRPC for Go and Java, and ``RawPeer``, ignore END_STREAM on HEADERS.
@Suite("A request without messages", .timeLimit(.minutes(5)))
struct EmptyRequestTests {
    private static let collect = Method<[UInt8], [UInt8]>(
        "/a.B/Collect", .clientStreaming, request: .bytes, reply: .bytes)
    private static let chat = Method<[UInt8], [UInt8]>(
        "/a.B/Chat", .bidirectional, request: .bytes, reply: .bytes)

    @Test("ends for the server, on a new connection and on an open one")
    func cold() async throws {
        let peer = try RawPeer(.correct)
        let channel = try Channel(peer.target, credentials: .insecure)
        for _ in 0..<2 {
            let reply = try await channel.clientStreaming(Self.collect, options: Self.soon) {
                _ async throws(RPCError) in
            }
            #expect(reply == RawPeer.replyBody)
            let conversation = try await channel.bidirectional(Self.chat, options: Self.soon)
            conversation.requests.finish()
            var replies: [[UInt8]] = []
            for try await reply in conversation.responses { replies.append(reply) }
            #expect(replies == [RawPeer.replyBody])
        }
    }

    @Test("ends for the server after it has waited for a stream")
    func waited() async throws {
        var script = RawScript.correct
        script.opening = { try $0.send(RawFrame.settings([(3, 1)])) }
        let peer = try RawPeer(script)
        let channel = try Channel(peer.target, credentials: .insecure)
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    let reply = try await channel.clientStreaming(Self.collect, options: Self.soon)
                    {
                        _ async throws(RPCError) in
                    }
                    #expect(reply == RawPeer.replyBody)
                }
            }
            try await group.waitForAll()
        }
    }

    private static let soon = CallOptions.with { $0.timeout = .seconds(60) }
}
