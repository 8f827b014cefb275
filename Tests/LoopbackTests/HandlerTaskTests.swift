import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

/// Handlers that read and write one call from several tasks.
@Suite("The tasks of a handler", .timeLimit(.minutes(5)))
struct HandlerTaskTests {
    private static let chat = Method<[UInt8], [UInt8]>(
        "/t.T/Chat", .bidirectional, request: .bytes, reply: .bytes)
    private static let list = Method<[UInt8], [UInt8]>(
        "/t.T/List", .serverStreaming, request: .bytes, reply: .bytes)

    @Test("A cancelled task stops reading, though its client sends nothing and does not finish")
    func cancelledReader() async throws {
        let server = try LoopbackServer { server in
            server.bidirectional(Self.chat) { requests, replies, _ in
                await withTaskGroup { group in
                    group.addTask { do { for try await _ in requests {} } catch {} }
                    group.addTask { try? await replies.write([1]) }
                    // The first that ends is the writer.
                    await group.next()
                    group.cancelAll()
                }
                throw RPCError(.aborted, "enough")
            }
        }
        defer { server.shutdown() }
        let channel = try server.makeChannel()
        for _ in 0..<50 {
            let call = try await channel.bidirectional(Self.chat)
            var answers: [[UInt8]] = []
            let error = await #expect(throws: RPCError.self) {
                for try await answer in call.responses { answers.append(answer) }
            }
            try #require(error?.code == .aborted)
            try #require(answers == [[1]])
        }
    }

    @Test("A cancelled task stops writing, though its client does not read")
    func cancelledWriter() async throws {
        let code = Mutex<StatusCode?>(nil)
        let server = try LoopbackServer { server in
            server.serverStreaming(Self.list) { _, replies, context in
                let writer = Task {
                    while true { try await replies.write([UInt8](repeating: 0, count: 10_000)) }
                }
                try await context.sleep(for: .milliseconds(50))
                writer.cancel()
                do { try await writer.value } catch let error as RPCError {
                    code.withLock { $0 = error.code }
                }
                throw RPCError(.aborted, "enough")
            }
        }
        defer { server.shutdown() }
        let channel = try server.makeChannel()
        let stream = try await channel.serverStreaming(Self.list, [])
        let error = await #expect(throws: RPCError.self) { for try await _ in stream {} }
        #expect(error?.code == .aborted)
        #expect(code.withLock { $0 } == .cancelled)
    }

    @Test("Several tasks write to one client that reads late, and nothing is lost")
    func writers() async throws {
        let server = try LoopbackServer { server in
            server.serverStreaming(Self.list) { _, replies, _ in
                try await withThrowingTaskGroup { group in
                    for writer in UInt8(0)..<8 {
                        group.addTask {
                            let message = [UInt8](repeating: writer, count: 4_096)
                            for _ in 0..<200 { try await replies.write(message) }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        defer { server.shutdown() }
        let channel = try server.makeChannel()
        let stream = try await channel.serverStreaming(Self.list, [])
        try await Task.sleep(for: .milliseconds(100))
        var counts: [UInt8: Int] = [:]
        for try await message in stream { counts[message[0], default: 0] += 1 }
        #expect(counts == Dictionary(uniqueKeysWithValues: (UInt8(0)..<8).map { ($0, 200) }))
    }

    @Test("Two tasks that write first, at once, both send their message")
    func firstWrites() async throws {
        let server = try LoopbackServer { server in
            server.serverStreaming(Self.list) { _, replies, _ in
                async let one: Void = replies.write([1])
                async let two: Void = replies.write([2])
                _ = try await (one, two)
            }
        }
        defer { server.shutdown() }
        let channel = try server.makeChannel()
        for _ in 0..<2_000 {
            var sum = 0
            for try await message in try await channel.serverStreaming(Self.list, []) {
                sum += Int(message[0])
            }
            try #require(sum == 3)
        }
    }

    @Test("A second task that reads the request is refused, and the first one goes on")
    func secondReader() async throws {
        let server = try LoopbackServer { server in
            server.bidirectional(Self.chat) { requests, replies, _ in
                let outcomes = await withTaskGroup(of: StatusCode?.self) { group in
                    for _ in 0..<2 {
                        group.addTask {
                            do {
                                for try await _ in requests {}
                                return nil
                            } catch { return (error as? RPCError)?.code }
                        }
                    }
                    var outcomes: [StatusCode?] = []
                    for await outcome in group {
                        outcomes.append(outcome)
                        try? await replies.write([UInt8(outcomes.count)])
                    }
                    return outcomes
                }
                try #require(outcomes == [.failedPrecondition, nil])
            }
        }
        defer { server.shutdown() }
        let call = try await server.makeChannel().bidirectional(Self.chat)
        var answers = call.responses.makeAsyncIterator()
        #expect(try await answers.next() == [1])
        call.requests.finish()
        #expect(try await answers.next() == [2])
        #expect(try await answers.next() == nil)
    }

    @Test("Tasks that outlive their handler get an error")
    func leakedTasks() async throws {
        let hasEnded = Gate()
        let (codes, continuation) = AsyncStream.makeStream(of: StatusCode?.self)
        let server = try LoopbackServer { server in
            server.bidirectional(Self.chat) { requests, replies, _ in
                Task {
                    do {
                        for try await _ in requests {}
                        continuation.yield(nil)
                    } catch { continuation.yield((error as? RPCError)?.code) }
                    await hasEnded.pass()
                    do {
                        try await replies.write([9])
                        continuation.yield(nil)
                    } catch { continuation.yield((error as? RPCError)?.code) }
                    continuation.finish()
                }
            }
        }
        defer { server.shutdown() }
        let call = try await server.makeChannel().bidirectional(Self.chat)
        for try await _ in call.responses { Issue.record("a message after the end") }
        hasEnded.open()
        var seen: [StatusCode?] = []
        for await code in codes { seen.append(code) }
        #expect(seen == [.failedPrecondition, .failedPrecondition])
    }
}
