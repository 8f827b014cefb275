import Dispatch
import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

/// Calls for which a connection has no stream yet.
@Suite("A call that waits for a stream", .timeLimit(.minutes(5)))
struct LineTests {
    private static let echo = HostileTrial.echo

    /// A server that allows one stream at a time.
    private static func narrowPeer(_ script: RawScript) throws -> RawPeer {
        var script = script
        script.opening = { try $0.send(RawFrame.settings([(3, 1)])) }
        return try RawPeer(script)
    }

    /// Connects first, so that each call gets its stream at once or waits for one.
    private static func connected(to target: String) async throws -> Channel {
        let channel = try Channel(target, credentials: .insecure)
        channel.connect()
        for await state in channel.connectivityChanges where state == .ready { break }
        return channel
    }

    /// Begins a call. When this returns, the call has its stream, or waits for one. The result waits for the
    /// reply.
    private static func begin(
        _ value: UInt8, on channel: Channel, _ options: CallOptions = CallOptions()
    ) throws -> () async throws -> [UInt8] {
        let (replies, reply) = AsyncStream.makeStream(of: Result<[UInt8], RPCError>.self)
        try channel.startUnary(echo, [value], options: options) { result in
            reply.yield(result.map(\.message))
        }
        return {
            var iterator = replies.makeAsyncIterator()
            return try #require(await iterator.next()).get()
        }
    }

    @Test("uses another connection when the connection is lost")
    func inLine() async throws {
        let secondIsInLine = DispatchSemaphore(value: 0)
        let peer = try Self.narrowPeer(
            RawScript.butFirst { connection, _ in
                secondIsInLine.wait()
                try connection.close()
            })
        let channel = try await Self.connected(to: peer.target)
        let first = Task { try await channel.unary(Self.echo, [1]) }
        try await eventually { peer.callCount > 0 }
        let second = try Self.begin(2, on: channel)
        secondIsInLine.signal()
        #expect(try await second() == RawPeer.replyBody)
        let error = await #expect(throws: RPCError.self) { try await first.value }
        #expect(error?.code == .unavailable)
        #expect(error?.mayHaveBeenExecuted == true)
    }

    @Test("uses another connection even if its channel was released")
    func inLineReleased() async throws {
        let channelIsGone = DispatchSemaphore(value: 0)
        let peer = try Self.narrowPeer(
            RawScript.butFirst { connection, _ in
                channelIsGone.wait()
                try connection.close()
            })
        func begin() async throws -> (ResponseStream<[UInt8]>, ResponseStream<[UInt8]>) {
            let channel = try await Self.connected(to: peer.target)
            let first = try await channel.serverStreaming(HostileTrial.echoes, [1])
            return (first, try await channel.serverStreaming(HostileTrial.echoes, [2]))
        }
        let (first, second) = try await begin()
        channelIsGone.signal()
        var received: [[UInt8]] = []
        for try await message in second { received.append(message) }
        #expect(received == [RawPeer.replyBody])
        await #expect(throws: RPCError.self) { for try await _ in first {} }
    }

    @Test("sends the time left until its deadline when it gets a stream")
    func timeLeft() async throws {
        let isRunning = Atomic(false)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { server in
            server.maxConcurrentStreams = 1
            server.unary(HostileTrial.echo) { request, context in
                isRunning.store(true, ordering: .relaxed)
                if request == [0] { for await _ in released { break } }
                let left = (context.deadline.remaining ?? .zero) / .milliseconds(1)
                return Array("\(Int(left))".utf8)
            }
        }
        let channel = try await Self.connected(to: server.target)
        let deadline = Deadline.after(.seconds(600))
        let options = CallOptions.with { $0.absoluteDeadline = deadline }
        async let first = channel.unary(Self.echo, [0], options: options)
        try await eventually { isRunning.load(ordering: .relaxed) }
        let second = try Self.begin(1, on: channel, options)
        try await eventually { deadline.remaining.map { $0 < .milliseconds(599_900) } ?? true }
        release.yield()
        let left = try #require(Int(String(decoding: try await second(), as: UTF8.self)))
        #expect(left < 599_900)
        _ = try await first
    }

    @Test("was not executed when its deadline passes")
    func lateInLine() async throws {
        let peer = try Self.narrowPeer(
            RawScript.butFirst { connection, _ in try connection.stall() })
        let channel = try await Self.connected(to: peer.target)
        let first = Task { try await channel.unary(Self.echo, [1]) }
        try await eventually { peer.callCount > 0 }
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(
                Self.echo, [2], options: .with { $0.timeout = .milliseconds(50) })
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.mayHaveBeenExecuted == false)
        first.cancel()
        _ = await first.result
    }

    @Test("is removed when its channel is closed, or its deadline passes")
    func endInLine() async throws {
        for closes in [true, false] {
            let peer = try Self.narrowPeer(
                RawScript.butFirst { connection, _ in try connection.stall() })
            let channel = try await Self.connected(to: peer.target)
            let (errors, error) = AsyncStream.makeStream(of: RPCError.self)
            let begin = { (options: CallOptions) in
                _ = try channel.startUnary(Self.echo, [1], options: options) { result in
                    if case .failure(let failure) = result { error.yield(failure) }
                }
            }
            try begin(CallOptions())
            try await eventually { peer.callCount > 0 }
            let options = CallOptions.with { if !closes { $0.timeout = .milliseconds(50) } }
            for _ in 1..<40 { try begin(options) }
            var ended = errors.makeAsyncIterator()
            var executed = 0
            // The call that has the stream ends only with its channel.
            let countBeforeClose = closes ? 0 : 39
            for index in 0..<40 {
                if index == countBeforeClose { await channel.close() }
                if await ended.next()?.mayHaveBeenExecuted == true { executed += 1 }
            }
            #expect(executed == 1)
            #expect(peer.callCount == 1)
        }
    }

    @Test("gets the next stream, however the call before it ended")
    func nextStream() async throws {
        let connectionCount = Mutex(0)
        let secondIsInLine = DispatchSemaphore(value: 0)
        var script = RawScript.butFirst { connection, stream in
            secondIsInLine.wait()
            try connection.headers(
                stream, [(":status", "502"), ("content-type", "text/html")])
            try connection.data(stream, [1, 2, 3], endStream: true)
        }
        // The client may open a second connection, which never becomes ready.
        script.opening = { connection in
            let isFirst = connectionCount.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { return try connection.stall() }
            try connection.send(RawFrame.settings([(3, 1)]))
        }
        let peer = try RawPeer(script)
        var arguments = ChannelArguments()
        arguments.maxConnectionCount = 2
        // The call cannot wait until the second attempt to connect fails.
        arguments.connectTimeout = .seconds(3_600)
        let channel = try Channel(peer.target, credentials: .insecure, arguments: arguments)
        let first = Task { try await channel.unary(Self.echo, [1]) }
        try await eventually { peer.callCount == 1 }
        let second = try Self.begin(2, on: channel, .with { $0.timeout = .seconds(120) })
        secondIsInLine.signal()
        #expect(try await second() == RawPeer.replyBody)
        let error = await #expect(throws: RPCError.self) { try await first.value }
        #expect(error?.code == .unavailable)
    }
}
