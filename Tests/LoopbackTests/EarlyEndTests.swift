import Foundation
import Swiftlet
import SwiftletBalancing
import SwiftletCore
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

/// Tests readers and writers of a call that the server ends before the request is complete.
@Suite("A call that its server ends early", .timeLimit(.minutes(5)))
struct EarlyEndTests {
    private static let upload = Method<[UInt8], [UInt8]>(
        "/t.T/Upload", .clientStreaming, request: .bytes, reply: .bytes)
    private static let chunk = [UInt8](repeating: 7, count: 32 << 10)

    /// A server that sends no WINDOW_UPDATE, and ends the call when the request has used the window.
    private static func peer(_ end: @escaping RawScript.Answer) throws -> RawPeer {
        var script = RawScript { _, _ in }
        script.grantsWindow = false
        script.answerToFullWindow = end
        return try RawPeer(script)
    }

    @Test("wakes a writer that waits for room, and returns the response")
    func uploadAnswered() async throws {
        let peer = try Self.peer { try $0.reply($1) }
        let channel = try Channel(peer.target, credentials: .insecure)
        let reply = try await channel.clientStreaming(Self.upload) { requests in
            for _ in 0..<64 { try await requests.write(Self.chunk) }
        }
        #expect(reply == RawPeer.replyBody)
    }

    private static let always = [[], [ChannelInterceptor.all(.headers(["a": "b"]))]]

    @Test("ends a writer with an endless loop, with interceptors or without")
    func endlessUpload() async throws {
        let server = try LoopbackServer { server in
            server.clientStreaming(Self.upload) { requests, _ in
                for try await _ in requests { break }
                return [42]
            }
        }
        for interceptors in Self.always {
            let channel = try Channel(
                server.target, credentials: .insecure, interceptors: interceptors)
            let reply = try await channel.clientStreaming(Self.upload) { requests in
                while true { try await requests.write([1]) }
            }
            #expect(reply == [42])
            let blocking = try await onThread {
                try channel.blockingClientStreaming(Self.upload) { requests in
                    while true { try requests.write([1]) }
                }
            }
            #expect(blocking == [42])
        }
    }

    @Test("stops a writer that always has another value", arguments: [false, true])
    func endlessSequence(withInterceptors: Bool) async throws {
        var script = RawScript { _, _ in }
        script.grantsWindow = false
        script.answerToFullWindow = { connection, stream in
            try connection.headers(stream)
            try connection.message(stream, [1])
            try connection.message(stream, [2])
            try connection.trailers(stream, status: "8")
        }
        let peer = try RawPeer(script)
        let channel = try Channel(
            peer.target, credentials: .insecure,
            interceptors: withInterceptors ? Self.always[1] : [])
        let writer = SequenceWriter(sequence(first: Self.chunk) { $0 }.lazy)
        let call = Call(channel, HostileTrial.talk, requests: writer)
        let sink = Sink<[UInt8]>()
        try call.start(with: sink)
        await sink.waitForEnd()
        #expect(sink.all == ["[1]", "[2]", "RESOURCE_EXHAUSTED"])
        #expect(writer.state == .finished)
    }

    @Test("delivers its last messages before the error, in every context")
    func errorBehindMessages() async throws {
        let peer = try RawPeer(
            RawScript { connection, stream in
                try connection.headers(stream)
                try connection.message(stream, [1])
                try connection.message(stream, [2])
                try connection.trailers(stream, status: "9")
            })
        let channel = try Channel(peer.target, credentials: .insecure)
        let queue = try CompletionQueue()
        for context in [SerialContext.inline, .queue(queue)] {
            let call = Call(
                channel, HostileTrial.echoes, requests: SingleValueWriter(value: [0]),
                context: context)
            let sink = Sink<[UInt8]>()
            try call.start(with: sink)
            await sink.waitForEnd()
            #expect(sink.all == ["[1]", "[2]", "FAILED_PRECONDITION"])
        }
    }

    @Test("is cancelled with its task, even if it can always read or write")
    func neverWaiting() async throws {
        let flood = Method<[UInt8], [UInt8]>(
            "/t.T/Flood", .serverStreaming, request: .bytes, reply: .bytes)
        let server = try LoopbackServer { server in
            server.serverStreaming(flood) { _, replies, _ in
                while true { try await replies.write([7]) }
            }
            server.clientStreaming(Self.upload) { requests, _ in
                for try await _ in requests {}
                return []
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        // If a call is not cancelled, the test fails instead of hanging.
        let options = CallOptions.with { $0.timeout = .seconds(120) }
        let (read, written) = (Counter(), Counter())
        let reader = Task {
            for try await _ in try await channel.serverStreaming(flood, [], options: options) {
                read.add()
                // Reads more slowly than the messages arrive. Without `yield`, the two tasks would never
                // suspend, and would block the test on a pool of two threads.
                for _ in 0..<20 { await Task.yield() }
            }
        }
        let writer = Task {
            try await channel.clientStreaming(Self.upload, options: options) { requests in
                while true {
                    try await requests.write([1])
                    written.add()
                    await Task.yield()
                }
            }
        }
        try await eventually { read.count > 1_000 && written.count > 1_000 }
        reader.cancel()
        writer.cancel()
        let readError = await #expect(throws: RPCError.self) { try await reader.value }
        #expect(readError?.code == .cancelled)
        let writeError = await #expect(throws: RPCError.self) { try await writer.value }
        #expect(writeError?.code == .cancelled)
    }

    @Test("can be read to its end by a task that is cancelled after the end")
    func cancelledTooLate() async throws {
        let count = Method<[UInt8], [UInt8]>(
            "/t.T/Count", .serverStreaming, request: .bytes, reply: .bytes)
        // All messages are in one frame. Otherwise the task would have to request each message before
        // the end could be delivered.
        var messages: [UInt8] = []
        for index: UInt8 in 0..<10 { messages += [0, 0, 0, 0, 1, index] }
        let body = messages
        let peer = try RawPeer(
            RawScript { connection, stream in
                try connection.headers(stream)
                try connection.data(stream, body)
                try connection.trailers(stream)
            })
        let channel = try Channel(peer.target, credentials: .insecure)
        let task = Task {
            let stream = try await channel.serverStreaming(count, [])
            var all: [UInt8] = []
            for try await message in stream {
                all += message
                guard all.count == 1 else { continue }
                try await eventually { stream.trailingMetadata != nil }
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            }
            return all
        }
        #expect(try await task.value == Array(0..<10))
    }

    @Test("wakes a thread that waits for room")
    func blockingUploadAnswered() async throws {
        let peer = try Self.peer { try $0.reply($1) }
        let channel = try Channel(peer.target, credentials: .insecure)
        let reply = try await onThread {
            try channel.blockingClientStreaming(Self.upload) { requests in
                for _ in 0..<64 { try requests.write(Self.chunk) }
            }
        }
        #expect(reply == RawPeer.replyBody)
    }

    @Test("wakes a writer when the connection is lost after an unread message")
    func uploadLost() async throws {
        let peer = try Self.peer { connection, stream in
            try connection.headers(stream)
            try connection.message(stream, RawPeer.replyBody)
            try connection.close()
        }
        let channel = try Channel(peer.target, credentials: .insecure)
        await #expect(throws: RPCError.self) {
            _ = try await channel.clientStreaming(Self.upload) { requests in
                for _ in 0..<64 { try await requests.write(Self.chunk) }
            }
        }
    }

    /// How the requests reach the call that has the stream.
    enum Way: CaseIterable {
        case plain, token, retry, hedging
    }

    @Test("gives a writer its status, even while a message is unread", arguments: Way.allCases)
    func statusOfWrite(way: Way) async throws {
        let chat = Method<[UInt8], [UInt8]>(
            "/t.T/Chat", .bidirectional, request: .bytes, reply: .bytes)
        let server = try LoopbackServer { server in
            server.bidirectional(chat) { requests, writer, _ in
                for try await request in requests {
                    try await writer.write(request)
                    throw RPCError(.aborted, "enough")
                }
            }
        }
        var config = ServiceConfig()
        config.methods = [MethodConfig([.all])]
        switch way {
        case .plain, .token: break
        case .retry:
            config.methods[0].retry = RetryPolicy(maxAttempts: 2, retryableCodes: [.unavailable])
        case .hedging:
            var policy = HedgingPolicy(maxAttempts: 2)
            policy.delay = .seconds(3_600)
            config.methods[0].hedging = policy
        }
        var arguments = ChannelArguments()
        arguments.serviceConfig = config
        let channel = try server.makeChannel(arguments: arguments)
        let options = CallOptions.with {
            if way == .token { $0.credentials = BearerToken("t", allowsInsecureConnections: true) }
        }
        let call = try await channel.bidirectional(chat, options: options)
        let thrown = await #expect(throws: RPCError.self) {
            while true { try await call.requests.write([1]) }
        }
        #expect(thrown?.code == .aborted)
        #expect(thrown?.message == "enough")
    }

    @Test("can be cancelled while its end waits for an unread message")
    func cancelled() async throws {
        let script = RawScript { connection, stream in
            try connection.headers(stream)
            try connection.message(stream, [1])
            try connection.message(stream, [2])
            try connection.trailers(stream)
            // The acknowledgement shows that the client has received all frames above.
            try connection.frame(RawFrame.ping, [UInt8](repeating: 0, count: 8))
        }
        let peer = try RawPeer(script)
        let channel = try Channel(peer.target, credentials: .insecure)
        let call = Mutex<RunningCall?>(nil)
        let (ends, end) = AsyncStream.makeStream(of: Result<Metadata, RPCError>.self)
        var handlers = ResponseHandlers<[UInt8]>(
            message: { _ in call.withLock { $0 }?.pause() }, end: { end.yield($0) })
        // The message handler does not run before `call` is set.
        handlers.initialDemand = 0
        let started = try channel.startServerStreaming(
            HostileTrial.echo, [0], handlers: handlers)
        call.withLock { $0 = started }
        started.receiveNext(.max)
        try await eventually { peer.answeredPingCount > 0 }
        started.cancel()
        var iterator = ends.makeAsyncIterator()
        let result = try #require(await iterator.next())
        let error = #expect(throws: RPCError.self) { try result.get() }
        #expect(error?.code == .cancelled)
    }

    /// Credentials that fail on another thread while a caller turns the queue.
    private struct NoProof: CallCredentials {
        var queue: CompletionQueue
        var allowsInsecureConnections: Bool { true }

        func metadata(for call: CallDescription) async throws(RPCError) -> Metadata {
            await withCheckedContinuation { isTurned in queue.loop.run { isTurned.resume() } }
            throw RPCError(.unauthenticated, "no proof")
        }
    }

    @Test("wakes the thread that turns the queue, even if another thread ends the call")
    func byHand() async throws {
        let error = try await onThread {
            let queue = try CompletionQueue(.byHand)
            let server = try RawPeer(.correct)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            return #expect(throws: RPCError.self) {
                _ = try channel.blockingUnary(
                    HostileTrial.echo, [1],
                    options: .with { $0.credentials = NoProof(queue: queue) })
            }
        }
        #expect(error?.code == .unauthenticated)
    }
}
