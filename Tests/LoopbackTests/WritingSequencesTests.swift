import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

private let collect = Method<[UInt8], [UInt8]>(
    "/t.T/Collect", .clientStreaming, request: .bytes, reply: .bytes)
private let spread = Method<[UInt8], [UInt8]>(
    "/t.T/Spread", .serverStreaming, request: .bytes, reply: .bytes)

/// Every way to write, with the values of a sequence.
@Suite("A sequence of messages", .timeLimit(.minutes(5)))
struct WritingSequencesTests {
    private struct Broken: Error {}

    private let messages: [[UInt8]] = (0..<100).map { [$0] }
    private var expected: [UInt8] { Array(0..<100) }

    private func channel() throws -> Channel {
        let server = try LoopbackServer { server in
            server.clientStreaming(collect) { requests, _ in
                var all: [UInt8] = []
                for try await request in requests { all += request }
                return all
            }
            server.serverStreaming(spread) { request, replies, _ in
                try await replies.write(contentsOf: request.prefix(50).map { [$0] })
                try await replies.write(contentsOf: Self.stream(request.dropFirst(50).map { [$0] }))
            }
        }
        return try server.makeChannel()
    }

    private static func stream(
        _ messages: [[UInt8]], failing: Bool = false
    ) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            for message in messages { continuation.yield(message) }
            continuation.finish(throwing: failing ? Broken() : nil)
        }
    }

    @Test("is written by a request writer")
    func requestWriter() async throws {
        let reply = try await channel().clientStreaming(collect) { writer in
            try await writer.write(contentsOf: messages.prefix(50))
            try await writer.write(contentsOf: Self.stream(Array(messages.dropFirst(50))))
        }
        #expect(reply == expected)
    }

    @Test("may fail, which fails the call")
    func failingSequence() async throws {
        await #expect(throws: Broken.self) {
            _ = try await channel().clientStreaming(collect) { writer in
                try await writer.write(contentsOf: Self.stream(messages, failing: true))
            }
        }
    }

    @Test("is written by a reply writer")
    func replyWriter() async throws {
        var all: [UInt8] = []
        for try await reply in try await channel().serverStreaming(spread, expected) {
            all += reply
        }
        #expect(all == expected)
    }

    @Test("is written by a blocking call")
    func blocking() throws {
        let reply = try channel().blockingClientStreaming(collect) { call in
            try call.write(contentsOf: messages)
        }
        #expect(reply == expected)
    }

    @Test("is written by a call with handlers, with one report at the end")
    func handlers() async throws {
        let (reports, continuation) = AsyncStream.makeStream(of: Bool.self)
        let (results, end) = AsyncStream.makeStream(of: Result<Response<[UInt8]>, RPCError>.self)
        let call = try channel().startClientStreaming(collect) { end.yield($0) }
        try call.write(contentsOf: []) { continuation.yield($0) }
        try call.write(contentsOf: messages) { continuation.yield($0) }
        call.finish()
        for await result in results {
            #expect(try result.get().message == expected)
            break
        }
        continuation.finish()
        var seen: [Bool] = []
        for await report in reports { seen.append(report) }
        #expect(seen == [true, true])
    }

    @Test("is written by a call with futures")
    func futures() async throws {
        let call = try channel().clientStreamingCall(collect)
        try await call.sendMessages([]).value
        try await call.sendMessages(messages).value
        call.sendEnd()
        #expect(try await call.response.value == expected)
    }

    @Test("is written into a pipe")
    func pipe() async throws {
        let pipe = PipeWriter<[UInt8]>()
        let seen = Mutex<[UInt8]>([])
        try pipe.start(
            with: HandlerWriteable(
                value: { value in seen.withLock { $0 += value } }, completion: { _ in }))
        pipe.write(contentsOf: messages.prefix(50))
        try await pipe.write(contentsOf: Self.stream(Array(messages.dropFirst(50))))
        await #expect(throws: Broken.self) {
            try await pipe.write(contentsOf: Self.stream([], failing: true))
        }
        #expect(pipe.state == .started)
        #expect(seen.withLock { $0 } == expected)
    }
}
