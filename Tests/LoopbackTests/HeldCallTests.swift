import Dispatch
import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletObservation
import SwiftletStyles
import Synchronization
import Testing

/// Calls that wait for something: a token, a connection, a stream.
@Suite("A call that waits", .timeLimit(.minutes(5)))
struct HeldCallTests {
    private static let count = Method<[UInt8], [UInt8]>(
        "/t.T/Count", .serverStreaming, request: .bytes, reply: .bytes)

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
            server.serverStreaming(count) { request, replies, _ in
                for number in 0..<request[0] { try await replies.write([number]) }
            }
        }
    }

    /// A server whose calls wait at a gate.
    private static func slowServer(_ gate: Gate) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in
                await gate.pass()
                return request
            }
        }
    }

    /// Opens the gate as soon as the channel is closing.
    private static func open(_ gate: Gate, whenClosing channel: Channel) async throws {
        try await eventually { channel.connectivity == .shutdown }
        gate.open()
    }

    private static let never = Duration.seconds(3_600)

    @Test("leaves no timer for its deadline when it has ended")
    func deadlineTimer() async throws {
        let server = try Self.server()
        let queue = try CompletionQueue()
        let channel = try Channel(server.target, credentials: .insecure, queue: queue)
        let options = CallOptions.with { $0.timeout = Self.never }
        for number: UInt8 in 1...20 {
            #expect(
                try await channel.unary(HostileTrial.echo, [number], options: options) == [number])
            let replies = try await channel.serverStreaming(
                Self.count, [number], options: options)
            #expect(try await replies.reduce(0) { sum, _ in sum + 1 } == Int(number))
        }
        // A timer keeps its call. The channel itself needs fewer than one timer for each call.
        try await eventually { queue.loop.timerCount < 10 }
        await channel.close()
        queue.shutdown()
    }

    /// Options with a token whose fetch does not return, and a stream with an element for each fetch.
    private static func neverReady() -> (options: CallOptions, fetches: AsyncStream<Void>) {
        let (fetches, fetch) = AsyncStream.makeStream(of: Void.self)
        let token = BearerToken(allowsInsecureConnections: true) {
            fetch.yield()
            try await Task.sleep(for: never)
            return BearerToken.Token("t")
        }
        let options = CallOptions.with {
            $0.credentials = token
            // If nothing else ends a call, the test fails instead of hanging.
            $0.timeout = .seconds(120)
        }
        return (options, fetches)
    }

    @Test("for a token outlives the last reference to its channel")
    func releasedWhileFetching() async throws {
        let server = try Self.server()
        let gate = Gate()
        let token = BearerToken(allowsInsecureConnections: true) {
            await gate.pass()
            return BearerToken.Token("t")
        }
        func begin() async throws -> ResponseStream<[UInt8]> {
            let channel = try Channel(server.target, credentials: .insecure)
            return try await channel.serverStreaming(
                Self.count, [3], options: .with { $0.credentials = token })
        }
        let stream = try await begin()
        gate.open()
        var received: [[UInt8]] = []
        for try await message in stream { received.append(message) }
        #expect(received == [[0], [1], [2]])
    }

    @Test("for another stream, because its server refused the first, outlives its channel, too")
    func releasedWhileRefused() async throws {
        let channelIsGone = DispatchSemaphore(value: 0)
        let peer = try RawPeer(
            RawScript.butFirst { connection, stream in
                channelIsGone.wait()
                try connection.send(RawFrame.reset(stream, 7))
            })
        func begin() async throws -> ResponseStream<[UInt8]> {
            try await Channel(peer.target, credentials: .insecure).serverStreaming(
                HostileTrial.echoes, [1])
        }
        let stream = try await begin()
        channelIsGone.signal()
        var received: [[UInt8]] = []
        for try await message in stream { received.append(message) }
        #expect(received == [RawPeer.replyBody])
        #expect(peer.callCount == 2)
    }

    @Test("for a token ends with its channel")
    func closedWhileFetching() async throws {
        let server = try Self.server()
        let channel = try Channel(server.target, credentials: .insecure)
        let (options, fetches) = Self.neverReady()
        let call = Task { try await channel.unary(HostileTrial.echo, [1], options: options) }
        for await _ in fetches { break }
        await channel.close()
        let error = await #expect(throws: RPCError.self) { try await call.value }
        #expect(error?.code == .unavailable)
        #expect(error?.mayHaveBeenExecuted == false)
        // A call after the close fails at once.
        let late = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [1], options: options)
        }
        #expect(late?.code == .unavailable)
    }

    @Test("for a token ends with its queue")
    func shutDownWhileFetching() async throws {
        let server = try Self.server()
        let queue = try CompletionQueue()
        let channel = try Channel(server.target, credentials: .insecure, queue: queue)
        let (options, fetches) = Self.neverReady()
        let call = Task { try await channel.unary(HostileTrial.echo, [1], options: options) }
        for await _ in fetches { break }
        queue.shutdown()
        let error = await #expect(throws: RPCError.self) { try await call.value }
        #expect(error?.code == .unavailable)
    }

    @Test("for its second token keeps the deadline that an earlier interceptor has set")
    func deadlineOfRetry() async throws {
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { _, _ in throw RPCError(.unauthenticated, "expired") }
        }
        let fetches = Atomic(0)
        let token = BearerToken(allowsInsecureConnections: true) {
            if fetches.wrappingAdd(1, ordering: .relaxed).newValue > 1 {
                try await Task.sleep(for: Self.never)
            }
            return BearerToken.Token("t")
        }
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [
                .all(.defaultDeadline(.milliseconds(300))), .all(.refreshing(token)),
            ])
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [1])
        }
        #expect(error?.code == .deadlineExceeded)
    }

    @Test("for the answer to an equal call may end when its channel is closed with a grace period")
    func joined() async throws {
        let gate = Gate()
        let server = try Self.slowServer(gate)
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [.all(DuplicateGuard(.join).interceptor)])
        let (replies, continuation) = AsyncStream.makeStream(of: [UInt8]?.self)
        for _ in 0..<3 {
            try channel.startUnary(HostileTrial.echo, [1]) {
                continuation.yield(try? $0.get().message)
            }
        }
        await gate.waitFor(1)
        async let opened: Void = Self.open(gate, whenClosing: channel)
        await channel.close(grace: .seconds(600))
        try await opened
        var iterator = replies.makeAsyncIterator()
        for _ in 0..<3 { #expect(await iterator.next() == [1]) }
    }

    @Test("for its response delays every close() of its channel until the call ends")
    func closedTwice() async throws {
        let gate = Gate()
        let server = try Self.slowServer(gate)
        let channel = try Channel(
            server.target, credentials: .insecure, interceptors: [.all(.headers(["a": "b"]))])
        let call = Task { try await channel.unary(HostileTrial.echo, [1]) }
        await gate.waitFor(1)
        async let opened: Void = Self.open(gate, whenClosing: channel)
        // Longer than the time limit of the test.
        async let first: Void = channel.close(grace: .seconds(600))
        async let second: Void = channel.close(grace: .seconds(600))
        _ = await (first, second)
        try await opened
        #expect(try await call.value == [1])
    }

    @Test("between two attempts delays a close() no longer than the call lasts")
    func holdOfAFailedAttempt() async throws {
        let gate = Gate()
        let server = try Self.slowServer(gate)
        let fetches = Atomic(0)
        let token = BearerToken(allowsInsecureConnections: true) {
            guard fetches.wrappingAdd(1, ordering: .relaxed).newValue > 1 else {
                throw RPCError(.unavailable, "no token yet")
            }
            return BearerToken.Token("t")
        }
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [.all(InterceptorFactory("retry") { _ in Retry() })])
        let call = Task {
            try await channel.unary(
                HostileTrial.echo, [1], options: .with { $0.credentials = token })
        }
        await gate.waitFor(1)
        async let opened: Void = Self.open(gate, whenClosing: channel)
        await channel.close(grace: .seconds(600))
        try await opened
        #expect(try await call.value == [1])
    }

    /// Makes a call once more when it has failed. The call may fail before all of its requests have arrived.
    /// Later requests belong to the second attempt.
    private final class Retry: Interceptor {
        private var options = CallOptions()
        private var requests: [(InterceptedCall) -> Void] = []
        private var hasRetried = false

        func start(_ options: CallOptions, _ call: InterceptedCall) {
            self.options = options
            call.start(options)
        }

        func write(_ message: RawMessage, _ call: InterceptedCall) {
            make({ $0.write(message) }, call)
        }

        func finish(_ call: InterceptedCall) { make({ $0.finish() }, call) }

        func receiveNext(_ call: InterceptedCall) { make({ $0.receiveNext() }, call) }

        private func make(_ request: @escaping (InterceptedCall) -> Void, _ call: InterceptedCall) {
            requests.append(request)
            request(call)
        }

        func close(_ end: CallEnd, _ call: InterceptedCall) {
            guard end.error != nil, !hasRetried else { return call.close(end) }
            hasRetried = true
            call.restart()
            call.start(options)
            for request in requests { request(call) }
        }
    }

    @Test("by a server that resets it after its answer may have been executed")
    func refusedLate() async throws {
        let peer = try RawPeer(
            RawScript.butFirst { connection, stream in
                try connection.headers(stream)
                try connection.send(RawFrame.reset(stream, 7))
            })
        let channel = try Channel(peer.target, credentials: .insecure)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [1])
        }
        #expect(error?.code == .unavailable)
        #expect(error?.mayHaveBeenExecuted == true)
        #expect(peer.callCount == 1)
    }

    @Test("that never got a connection was not executed, with interceptors or without")
    func neverSent() async throws {
        for interceptors: [ChannelInterceptor] in [[], [.all(CallLog { _ in }.interceptor)]] {
            let channel = try Channel(
                "127.0.0.1:1", credentials: .insecure, interceptors: interceptors)
            let (errors, error) = AsyncStream.makeStream(of: RPCError.self)
            let running = try channel.startUnary(
                HostileTrial.echo, [1], options: .with { $0.waitForReady = true }
            ) { result in
                if case .failure(let failure) = result { error.yield(failure) }
            }
            running.cancel()
            var iterator = errors.makeAsyncIterator()
            let failure = await iterator.next()
            #expect(failure?.code == .cancelled)
            #expect(failure?.mayHaveBeenExecuted == false)
        }
    }

    @Test(
        "in an interceptor without end does not prevent closing a channel with a shut-down queue")
    func deadQueue() async throws {
        let queue = try CompletionQueue()
        let channel = try Channel(
            "127.0.0.1:1", credentials: .insecure,
            interceptors: [.all(HoldingInterceptor.factory)],
            queue: queue)
        let (errors, error) = AsyncStream.makeStream(of: RPCError.self)
        try channel.startUnary(HostileTrial.echo, [1]) { result in
            if case .failure(let failure) = result { error.yield(failure) }
        }
        queue.shutdown()
        #expect(try queue.next() == .shutdown)
        // The queue's thread may or may not have ended.
        await channel.close(grace: .milliseconds(200))
        var iterator = errors.makeAsyncIterator()
        let failure = await iterator.next()
        #expect(failure?.code == .cancelled, "\(failure as Any)")
    }

    @Test("that is retried while it writes stops writing when the second attempt ends")
    func endOfRetry() async throws {
        let server = try LoopbackServer { server in
            let upload = Method<[UInt8], [UInt8]>(
                "/t.T/Upload", .clientStreaming, request: .bytes, reply: .bytes)
            let attempts = Mutex(0)
            server.clientStreaming(upload) { requests, _ in
                let isFirst = attempts.withLock { count in
                    count += 1
                    return count == 1
                }
                if isFirst { throw RPCError(.unauthenticated, "expired") }
                for try await _ in requests { break }
                return [42]
            }
        }
        let upload = Method<[UInt8], [UInt8]>(
            "/t.T/Upload", .clientStreaming, request: .bytes, reply: .bytes)
        let token = BearerToken(allowsInsecureConnections: true) { BearerToken.Token("t") }
        let channel = try Channel(
            server.target, credentials: .insecure, interceptors: [.all(.refreshing(token))])
        let reply = try await channel.clientStreaming(upload) { requests in
            while true { try await requests.write([1]) }
        }
        #expect(reply == [42])
    }
}
