import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Testing

/// Tests a stream whose caller does not read the messages that have arrived.
@Suite("A stream that is read slowly", .timeLimit(.minutes(5)))
struct BackPressureTests {
    private static let stream = Method<[UInt8], [UInt8]>(
        "/t.T/Stream", .serverStreaming, request: .bytes, reply: .bytes)

    private static func message(_ index: Int, byteCount: Int) -> [UInt8] {
        [UInt8(index >> 8), UInt8(index & 0xff)] + [UInt8](repeating: 7, count: byteCount - 2)
    }

    /// Numbered messages; counts those that were written.
    private static func server(
        _ count: Int, byteCount: Int = 1_024, endless: Bool = false, compressing: Bool = false,
        written: Counter = Counter()
    ) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
            server.serverStreaming(stream) { _, replies, context in
                if compressing { context.compress(with: .gzip) }
                for index in 0..<count {
                    try await replies.write(
                        message(index, byteCount: byteCount),
                        allowsCompression: index.isMultiple(of: 3))
                    written.add()
                }
                if endless { try await Task.sleep(for: .seconds(600)) }
            }
        }
    }

    @Test("of empty messages stops its server as well")
    func empty() async throws {
        let written = Counter()
        let count = 100_000
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
            server.serverStreaming(Self.stream) { _, replies, _ in
                for _ in 0..<count {
                    try await replies.write([])
                    written.add()
                }
            }
        }
        var arguments = ChannelArguments()
        arguments.streamWindowByteCount = 65_536
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        var stream = try await channel.serverStreaming(Self.stream, []).makeAsyncIterator()
        #expect(try await stream.next() == [])
        var before = 0
        while before != written.count {
            before = written.count
            for _ in 0..<200 { _ = try await channel.unary(HostileTrial.echo, [1]) }
        }
        // An empty message has five bytes, so about 13,107 messages fill the window. The server
        // queues about as many, and a few were read.
        #expect(written.count < 40_000)
        var received = 1
        while try await stream.next() != nil { received += 1 }
        #expect(received == count)
    }

    @Test(
        "continues with the smallest window, in every face",
        arguments: [1, 2, 3, 5, 100, 1_023, 4_096])
    func smallWindow(byteCount: Int) async throws {
        let count = byteCount < 100 ? 3 : 40
        let size = byteCount < 100 ? 20 : 3_000
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
            server.serverStreaming(Self.stream) { _, replies, _ in
                for index in 0..<count {
                    try await replies.write(Self.message(index, byteCount: size))
                }
            }
        }
        var arguments = ChannelArguments()
        arguments.streamWindowByteCount = byteCount
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        let body = Self.message(1, byteCount: size)
        #expect(try await channel.unary(HostileTrial.echo, body) == body)

        var received = 0
        for try await message in try await channel.serverStreaming(Self.stream, []) {
            #expect(message == Self.message(received, byteCount: size))
            received += 1
        }
        #expect(received == count)

        let seen = Counter()
        let end: RPCError? = await withCheckedContinuation { continuation in
            let handlers = ResponseHandlers<[UInt8]>(
                message: { _ in seen.add() },
                end: { result in
                    if case .failure(let error) = result {
                        continuation.resume(returning: error)
                    } else {
                        continuation.resume(returning: nil)
                    }
                })
            do throws(RPCError) {
                try channel.startServerStreaming(Self.stream, [], handlers: handlers)
            } catch {
                continuation.resume(returning: error)
            }
        }
        #expect(end == nil && seen.count == count)

        try await onThread {
            let call = try channel.blockingServerStreaming(Self.stream, [])
            var received = 0
            while let message = try call.next() {
                #expect(message == Self.message(received, byteCount: size))
                received += 1
            }
            #expect(received == count)
        }
    }

    @Test("stops its server, and continues where it stopped")
    func stops() async throws {
        let written = Counter()
        let server = try Self.server(2_000, written: written)
        var arguments = ChannelArguments()
        arguments.streamWindowByteCount = 65_536
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        let stream = try await channel.serverStreaming(Self.stream, [])
        var reader = stream.makeAsyncIterator()
        for index in 0..<10 {
            #expect(try await reader.next() == Self.message(index, byteCount: 1_024))
        }
        // After these round trips, all messages that the server has sent have arrived.
        for _ in 0..<20 { _ = try await channel.unary(HostileTrial.echo, [1]) }
        // About 64 messages are in the window, about as many in the server's queue, and 10 were
        // read.
        #expect(written.count < 150)
        for index in 10..<2_000 {
            #expect(try await reader.next() == Self.message(index, byteCount: 1_024))
        }
        #expect(try await reader.next() == nil)
    }

    /// Pauses a call, checks that no message arrives, and resumes it.
    private func pausing(
        _ start: (
            Channel, _ received: @escaping @Sendable () -> Void,
            _ ended: @escaping @Sendable () -> Void
        )
            throws -> (pause: @Sendable () -> Void, resume: @Sendable () -> Void)
    ) async throws {
        let written = Counter()
        let received = Counter()
        let server = try Self.server(2_000, written: written)
        var arguments = ChannelArguments()
        arguments.streamWindowByteCount = 65_536
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        let (end, continuation) = AsyncStream.makeStream(of: Void.self)
        let call = try start(channel, { received.add() }, { continuation.finish() })
        call.pause()
        for _ in 0..<20 { _ = try await channel.unary(HostileTrial.echo, [1]) }
        // One message may have been requested before the pause; others stay unread.
        let count = received.count
        for _ in 0..<20 { _ = try await channel.unary(HostileTrial.echo, [1]) }
        #expect(received.count == count)
        #expect(written.count < 2_000)
        call.resume()
        for await _ in end {}
        #expect(received.count == 2_000)
    }

    @Test(
        "receives more from its server after each part that is read, even if other parts are unread"
    )
    func partByPart() async throws {
        let written = Counter()
        let server = try Self.server(40, byteCount: 16_384, written: written)
        var arguments = ChannelArguments()
        arguments.streamWindowByteCount = 65_536
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        var stream = try await channel.serverStreaming(Self.stream, []).makeAsyncIterator()
        _ = try await stream.next()
        var before = 0
        while before != written.count {
            before = written.count
            for _ in 0..<200 { _ = try await channel.unary(HostileTrial.echo, [1]) }
        }
        // The server has filled the window. The client has read one message and keeps the others.
        _ = try await stream.next()
        try await eventually { written.count > before }
    }

    @Test("by handlers that have paused it stops its server, too")
    func pausedHandlers() async throws {
        try await pausing { channel, received, ended in
            let call = try channel.startServerStreaming(
                Self.stream, [],
                handlers: ResponseHandlers(message: { _ in received() }, end: { _ in ended() }))
            return ({ call.pause() }, { call.resume() })
        }
    }

    @Test("by a writeable whose call has paused it stops its server, too")
    func pausedCall() async throws {
        try await pausing { channel, received, ended in
            let call = Call(channel, Self.stream, requests: SequenceWriter(value: []))
            try call.start(
                with: HandlerWriteable(value: { _ in received() }, completion: { _ in ended() }))
            return ({ call.pause() }, { call.resume() })
        }
    }

    @Test("lets several tasks write to it at once")
    func writers() async throws {
        let collect = Method<[UInt8], [UInt8]>(
            "/t.T/Collect", .clientStreaming, request: .bytes, reply: .bytes)
        let server = try LoopbackServer { server in
            server.windowByteCount = 65_536
            server.clientStreaming(collect) { requests, _ in
                var count = 0
                for try await request in requests { count += request.count }
                return Array("\(count)".utf8)
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let reply = try await channel.clientStreaming(collect) { requests in
            @Sendable func write() async throws {
                let bytes = [UInt8](repeating: 1, count: 50_000)
                for _ in 0..<40 { try await requests.write(bytes) }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await write() } }
                try await group.waitForAll()
            }
        }
        #expect(String(decoding: reply, as: UTF8.self) == "\(4 * 40 * 50_000)")
    }

    @Test("does not delay other calls of its connection")
    func others() async throws {
        let server = try Self.server(2_000, endless: true)
        let channel = try Channel(server.target, credentials: .insecure)
        let streams = try await (0..<8).asyncMap { _ in
            try await channel.serverStreaming(Self.stream, [])
        }
        for _ in 0..<50 {
            let bytes = [UInt8](repeating: 3, count: 20_000)
            #expect(try await channel.unary(HostileTrial.echo, bytes) == bytes)
        }
        for stream in streams { stream.cancel() }
    }

    @Test("delivers no more messages after it is cancelled, even if they have arrived")
    func cancelled() async throws {
        let server = try Self.server(100, byteCount: 16, endless: true)
        let channel = try Channel(server.target, credentials: .insecure)
        let stream = try await channel.serverStreaming(Self.stream, [])
        var reader = stream.makeAsyncIterator()
        #expect(try await reader.next() == Self.message(0, byteCount: 16))
        for _ in 0..<5 { _ = try await channel.unary(HostileTrial.echo, [1]) }
        stream.cancel()
        for _ in 0..<2 {
            do {
                _ = try await reader.next()
                Issue.record("a message came from a cancelled call")
            } catch {
                #expect(error.code == .cancelled)
            }
        }
    }

    @Test("delivers compressed and uncompressed messages in the order in which they were sent")
    func mixed() async throws {
        let server = try Self.server(600, compressing: true)
        let channel = try Channel(server.target, credentials: .insecure)
        var next = 0
        for try await bytes in try await channel.serverStreaming(Self.stream, []) {
            #expect(bytes == Self.message(next, byteCount: 1_024))
            next += 1
        }
        #expect(next == 600)
    }

    @Test("ends with a message that cannot be decoded")
    func unreadable() async throws {
        let server = try LoopbackServer { server in
            server.serverStreaming(Self.stream) { _, replies, _ in
                for bytes: [UInt8] in [[], [0x0a, 1, 65], [0x0a, 200], [0x0a, 1, 66]] {
                    try await replies.write(bytes)
                }
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let hello = Method<[UInt8], HelloReply>(
            "/t.T/Stream", .serverStreaming, request: .bytes, reply: .message)
        var reader = try await channel.serverStreaming(hello, []).makeAsyncIterator()
        #expect(try await reader.next()?.message == "")
        #expect(try await reader.next()?.message == "A")
        for _ in 0..<2 {
            do {
                _ = try await reader.next()
                Issue.record("what follows an unreadable message was read")
            } catch {
                #expect(error.code == .internal)
            }
        }
    }
}

extension Sequence where Element: Sendable {
    fileprivate func asyncMap<Result>(
        _ transform: (Element) async throws -> Result
    ) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
