import Swiftlet
import SwiftletLoopback
import Testing

/// Tests connections that share a thread. The actions of one server must not delay calls to
/// another.
@Suite("One server does not delay another's calls", .timeLimit(.minutes(5)))
struct FairnessTests {
    /// Breaks the protocol, and continues to send until the client closes the connection.
    private static let talkative = RawScript { connection, _ in
        let ping = RawFrame.bytes(RawFrame.ping, [1, 2, 3, 4, 5, 6, 7, 8])
        let noise = Array(repeatElement(ping, count: 100_000).joined())
        try connection.send(RawFrame.bytes(RawFrame.settings, stream: 1) + noise)
        while true { try connection.send(noise) }
    }

    @Test("that continues to send after it broke the protocol", arguments: [1, 4])
    func afterTheEnd(connectionCount: Int) async throws {
        let queue = try CompletionQueue()
        let peers = try (0..<connectionCount).map { _ in try RawPeer(Self.talkative) }
        let channels = try peers.map {
            try Channel($0.target, credentials: .insecure, queue: queue)
        }
        let correct = try RawPeer(.correct)
        let other = try Channel(correct.target, credentials: .insecure, queue: queue)
        for channel in channels {
            let options = CallOptions.with { $0.timeout = .seconds(120) }
            await #expect(throws: RPCError.self) {
                try await channel.unary(HostileTrial.echo, [9], options: options)
            }
        }
        try await expectAnswers(from: other, correct)
    }

    @Test("that sends messages without end")
    func endless() async throws {
        let queue = try CompletionQueue()
        let endless = try RawPeer(
            RawScript { connection, stream in
                try connection.headers(stream)
                while true { try connection.message(stream, [UInt8](repeating: 7, count: 8_192)) }
            })
        let channel = try Channel(endless.target, credentials: .insecure, queue: queue)
        let correct = try RawPeer(.correct)
        let other = try Channel(correct.target, credentials: .insecure, queue: queue)
        let stream = Method<[UInt8], [UInt8]>(
            "/t.T/Stream", .serverStreaming, request: .bytes, reply: .bytes)
        let reader = Task {
            var count = 0
            for try await _ in try await channel.serverStreaming(stream, [1]) { count += 1 }
            return count
        }
        try await expectAnswers(from: other, correct)
        reader.cancel()
        _ = await reader.result
    }

    /// Expects that calls are answered, and that a deadline ends a call in time.
    private func expectAnswers(from channel: Channel, _ peer: RawPeer) async throws {
        let options = CallOptions.with { $0.timeout = .seconds(120) }
        for _ in 0..<10 {
            #expect(
                try await channel.unary(HostileTrial.echo, [9], options: options)
                    == RawPeer.replyBody)
        }
        peer.conduct = .hold
        let (answer, error) = try await withGrowingTimeout(until: { $0.0 != nil }) { options in
            let conversation = try await channel.bidirectional(HostileTrial.talk, options: options)
            var answers = conversation.responses.makeAsyncIterator()
            let answer = try? await answers.next()
            let error = await #expect(throws: RPCError.self) { _ = try await answers.next() }
            return (answer, error)
        }
        #expect(answer == RawPeer.replyBody)
        #expect(error?.code == .deadlineExceeded)
    }
}
