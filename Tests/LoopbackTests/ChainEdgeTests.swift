import Swiftlet
import SwiftletCore
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletObservation
import SwiftletStyles
import Synchronization
import Testing

/// Rare cases of interceptors, raw operations and channels, such as an ended call or a second attempt.
@Suite("At the edges of a call", .timeLimit(.minutes(5)))
struct ChainEdgeTests {
    private static let whoAmI = Method<[UInt8], [UInt8]>(
        "/t.T/WhoAmI", .unary, request: .bytes, reply: .bytes)
    private static let count = Method<[UInt8], [UInt8]>(
        "/t.T/Count", .serverStreaming, request: .bytes, reply: .bytes)

    /// A server whose `whoAmI` method waits at the gate.
    private static func server(_ gate: Gate = Gate()) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
            server.unary(whoAmI) { _, context in
                await gate.pass()
                return Array((context.metadata["authorization"] ?? "").utf8)
            }
            server.serverStreaming(count) { request, replies, _ in
                for number in 0..<request[0] { try await replies.write([number]) }
            }
            server.bidirectional(HostileTrial.talk) { requests, replies, _ in
                for try await request in requests { try await replies.write(request) }
            }
        }
    }

    /// Counts its instances that are not released.
    private final class Tracked: Interceptor {
        static let liveCount = Mutex(0)
        init() { Self.liveCount.withLock { $0 += 1 } }
        deinit { Self.liveCount.withLock { $0 -= 1 } }
    }

    @Test("a duplicate guard releases the calls that have ended")
    func guardLetsGo() async throws {
        for policy in [DuplicateGuard.Policy.refuse, .join, .cancelPrevious] {
            let gate = Gate()
            let server = try Self.server(gate)
            let channel = try Channel(
                server.target, credentials: .insecure,
                interceptors: [
                    .all(DuplicateGuard(policy).interceptor),
                    .all(InterceptorFactory("tracked") { _ in Tracked() }),
                ])
            for number: UInt8 in 0..<3 {
                #expect(try await channel.unary(HostileTrial.echo, [number]) == [number])
            }
            let cancelled = Task { try await channel.unary(Self.whoAmI, [1]) }
            await gate.waitFor(1)
            cancelled.cancel()
            await #expect(throws: RPCError.self) { try await cancelled.value }
            gate.open()
            try await eventually { Tracked.liveCount.withLock { $0 } == 0 }
        }
    }

    /// Credentials that take ten minutes to return their metadata.
    private struct Silent: CallCredentials {
        var allowsInsecureConnections: Bool { true }

        func metadata(for call: CallDescription) async throws(RPCError) -> Metadata {
            try? await Task.sleep(for: .seconds(600))
            return Metadata()
        }
    }

    @Test("a deadline that an interceptor sets ends a call that waits for credentials")
    func deadlineOfInterceptor() async throws {
        let server = try Self.server()
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [.all(.defaultDeadline(.milliseconds(50)))])
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(
                HostileTrial.echo, [1], options: .with { $0.credentials = Silent() })
        }
        #expect(error?.code == .deadlineExceeded)
    }

    @Test("a request that is sent again with another token is reported as written once")
    func writtenOnce() async throws {
        let server = try LoopbackServer { server in
            server.bidirectional(HostileTrial.talk) { requests, replies, context in
                for try await request in requests {
                    guard context.metadata["authorization"] == "Bearer 2" else {
                        throw RPCError(.unauthenticated, "an old token")
                    }
                    try await replies.write(request)
                }
            }
        }
        let count = Mutex(0)
        let token = BearerToken(allowsInsecureConnections: true) { () async throws(RPCError) in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return BearerToken.Token("\(number)")
        }
        let written = Mutex(0)
        let channel = try Channel(
            server.target, credentials: .insecure, interceptors: [.all(.refreshing(token))])
        let (end, continuation) = AsyncStream.makeStream(of: String.self)
        let call = channel.startBidirectional(
            HostileTrial.talk,
            handlers: ResponseHandlers(
                message: { continuation.yield("\($0)") },
                end: { result in
                    if case .failure(let error) = result { continuation.yield("\(error)") }
                    continuation.finish()
                }))
        try call.write([7]) { hasRoom in if hasRoom { written.withLock { $0 += 1 } } }
        call.finish()
        var all: [String] = []
        for await text in end { all.append(text) }
        #expect(all == ["[7]"])
        #expect(written.withLock { $0 } == 1)
    }

    /// Holds its call, and reports why it was cancelled.
    private final class Asking: Interceptor {
        private let report: @Sendable (RPCError) -> Void
        init(_ report: @escaping @Sendable (RPCError) -> Void) { self.report = report }

        func start(_ options: CallOptions, _ call: InterceptedCall) { call.holdRequests() }

        func cancel(_ call: InterceptedCall) {
            report(call.cancellation)
            call.cancel()
        }
    }

    @Test(
        "an interceptor is told the reason of the end, also if the caller cancels when it receives that end"
    )
    func cancelledAtTheEnd() async throws {
        let (reasons, reason) = AsyncStream.makeStream(of: RPCError.self)
        let asking = InterceptorFactory("asking") { _ in Asking { reason.yield($0) } }
        let fake = try FakeChannel(interceptors: [.all(asking)])
        let own = Mutex<RunningCall?>(nil)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let options = CallOptions.with { $0.timeout = .milliseconds(200) }
        let call = try fake.channel.startUnary(HostileTrial.echo, [1], options: options) { _ in
            let call = own.withLock { $0 }
            call?.cancel()
            end.yield(call != nil)
        }
        own.withLock { $0 = call }
        var iterator = reasons.makeAsyncIterator()
        #expect(await iterator.next()?.code == .deadlineExceeded)
        var wasCancelled = ends.makeAsyncIterator()
        #expect(await wasCancelled.next() == true)
    }

    /// Signals between an interceptor and its test, between two attempts.
    private struct Pause: Sendable {
        let began = AsyncStream<Void>.makeStream()
        let mayEnd = AsyncStream<Void>.makeStream()
        let ended = AsyncStream<Void>.makeStream()
    }

    /// Makes a second attempt when the first one fails. With a pause, it waits for the test before the second
    /// attempt, so that the caller can cancel the call in the meantime.
    private final class Again: Interceptor {
        private var request: RawMessage?
        private var attempts = 0
        private let pause: Pause?

        init(pause: Pause?) { self.pause = pause }

        func start(_ options: CallOptions, _ call: InterceptedCall) {
            attempts += 1
            var options = options
            // Ends the first attempt. With a pause, the server ends it.
            if pause == nil { options.timeout = .milliseconds(30) }
            options.metadata.append("1", for: "attempt")
            call.start(options)
        }

        func write(_ message: RawMessage, _ call: InterceptedCall) {
            request = message
            call.write(message)
        }

        func close(_ end: CallEnd, _ call: InterceptedCall) {
            guard end.error != nil, attempts == 1, request != nil else { return call.close(end) }
            attempts = 2
            guard let pause else { return sendAgain(call) }
            Task {
                pause.began.continuation.yield()
                for await _ in pause.mayEnd.stream { break }
                // The interceptor may have been released at the end of the call.
                call.perform(as: Again.self) { again, call in again.sendAgain(call) }
                call.restart()
                call.start(CallOptions())
                pause.ended.continuation.yield()
            }
        }

        private func sendAgain(_ call: InterceptedCall) {
            guard let request else { return }
            call.restart()
            call.start(CallOptions())
            call.write(request)
            call.finish()
            call.receiveNext()
        }
    }

    /// A server whose first attempt of a call exceeds its timeout. The second takes longer than that timeout.
    private static func slowAtFirst() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, context in
                let isFirst = context.metadata["attempt"] == "1"
                try await Task.sleep(for: isFirst ? .seconds(60) : .milliseconds(300))
                return request
            }
        }
    }

    @Test("an interceptor may give each attempt its own timeout")
    func timePerAttempt() async throws {
        let server = try Self.slowAtFirst()
        let again = InterceptorFactory("again") { _ in Again(pause: nil) }
        let channel = try Channel(
            server.target, credentials: .insecure, interceptors: [.all(again)])
        let reply = try await channel.unary(
            HostileTrial.echo, [7], options: .with { $0.timeout = .seconds(120) })
        #expect(reply == [7])
    }

    /// Restarts its part of the call after that has ended.
    private final class Late: Interceptor {
        func close(_ end: CallEnd, _ call: InterceptedCall) {
            call.close(end)
            call.restart()
            call.start(CallOptions())
        }
    }

    @Test("an interceptor of an attempt that was replaced does not disturb the next attempt")
    func restartOfReplacedPart() async throws {
        let server = try Self.slowAtFirst()
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [
                .all(InterceptorFactory("again") { _ in Again(pause: nil) }),
                .all(InterceptorFactory("late") { _ in Late() }),
            ])
        let reply = try await channel.unary(
            HostileTrial.echo, [7], options: .with { $0.timeout = .seconds(120) })
        #expect(reply == [7])
    }

    /// A caller that cancels in the middle of an event of an interceptor.
    private final class Impatient: Sendable {
        let task = Mutex<Task<[UInt8], any Error>?>(nil)
        let cancelCount = Mutex(0)

        func cancel() {
            while true {
                guard let task = task.withLock({ $0 }) else { continue }
                return task.cancel()
            }
        }
    }

    /// Makes the whole request at its end, after the caller has cancelled.
    private final class Whole: Interceptor {
        private let caller: Impatient
        private var options = CallOptions()
        private var request: RawMessage?

        init(_ caller: Impatient) { self.caller = caller }

        func start(_ options: CallOptions, _ call: InterceptedCall) { self.options = options }
        func write(_ message: RawMessage, _ call: InterceptedCall) { request = message }

        func finish(_ call: InterceptedCall) {
            caller.cancel()
            call.start(options)
            if let request { call.write(request) }
            call.finish()
        }

        func cancel(_ call: InterceptedCall) {
            caller.cancelCount.withLock { $0 += 1 }
            call.cancel()
        }
    }

    @Test("an interceptor that makes its requests late is told that the caller has cancelled")
    func cancelledInside() async throws {
        let server = try Self.server()
        let caller = Impatient()
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [.all(InterceptorFactory("whole") { _ in Whole(caller) })])
        let task = Task { try await channel.unary(HostileTrial.echo, [7]) }
        caller.task.withLock { $0 = task }
        let error = await #expect(throws: RPCError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        try await eventually { caller.cancelCount.withLock { $0 } == 1 }
    }

    @Test("an interceptor does not restart a call that the caller has cancelled")
    func restartBehindTheEnd() async throws {
        let peer = try RawPeer(
            RawScript { connection, stream in
                if stream == 1 {
                    try connection.trailersOnly(stream, status: "14")
                } else {
                    try connection.reply(stream)
                }
            })
        let pause = Pause()
        let again = InterceptorFactory("again") { _ in Again(pause: pause) }
        let channel = try Channel(peer.target, credentials: .insecure, interceptors: [.all(again)])
        let task = Task { try await channel.unary(HostileTrial.echo, [7]) }
        for await _ in pause.began.stream { break }
        task.cancel()
        await #expect(throws: RPCError.self) { try await task.value }
        pause.mayEnd.continuation.yield()
        for await _ in pause.ended.stream { break }
        // Requests on one connection arrive in order: a restarted call would be counted before this
        // one.
        #expect(try await channel.unary(HostileTrial.echo, [8]) == RawPeer.replyBody)
        #expect(peer.callCount == 2)
        #expect(peer.connectionCount == 1)
    }

    @Test("a guard keeps the answers of two users apart")
    func guardKnowsUsers() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [.all(DuplicateGuard(.join).interceptor)])
        func ask(_ token: String) async throws -> [UInt8] {
            try await channel.unary(
                Self.whoAmI, [1],
                options: .with {
                    $0.credentials = BearerToken(token, allowsInsecureConnections: true)
                })
        }
        async let first = ask("one")
        async let second = ask("two")
        // No call is answered before both calls have arrived.
        await gate.waitFor(2)
        gate.open()
        #expect(try await first == Array("Bearer one".utf8))
        #expect(try await second == Array("Bearer two".utf8))
    }

    @Test("a guard resumes a writer that waits until its message is accepted")
    func guardAndWriter() async throws {
        let server = try Self.server()
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [.all(DuplicateGuard().interceptor)])
        let call = try await channel.bidirectional(HostileTrial.echo)
        try await call.requests.write([4])
        call.requests.finish()
        var replies: [[UInt8]] = []
        for try await reply in call.responses { replies.append(reply) }
        #expect(replies == [[4]])
    }

    /// Reads as fast as messages arrive.
    private final class Eager: Interceptor {
        func start(_ options: CallOptions, _ call: InterceptedCall) {
            call.start(options)
            call.receiveNext()
        }

        func receiveNext(_ call: InterceptedCall) {}

        func receive(_ message: RawMessage, _ call: InterceptedCall) {
            call.deliver(message)
            call.receiveNext()
        }
    }

    @Test("a thread gets every message, even if an interceptor reads ahead")
    func blockingBehindEager() async throws {
        let server = try Self.server()
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [.all(InterceptorFactory("eager") { _ in Eager() })])
        let messages = try await onThread {
            let call = try channel.blockingServerStreaming(Self.count, [200])
            var messages: [[UInt8]] = []
            while let message = try call.next() { messages.append(message) }
            return messages
        }
        #expect(messages == (0..<200).map { [$0] })
    }

    @Test("a write after the end of the request is refused, with and without interceptors")
    func writeAfterFinish() async throws {
        let server = try Self.server()
        for interceptors in [[], [ChannelInterceptor.all(.headers(["a": "b"]))]] {
            let channel = try Channel(
                server.target, credentials: .insecure, interceptors: interceptors)
            let call = try await channel.bidirectional(HostileTrial.talk)
            try await call.requests.write([1])
            call.requests.finish()
            let error = await #expect(throws: RPCError.self) {
                try await call.requests.write([2])
            }
            #expect(error?.code == .failedPrecondition)
            #expect(throws: RPCError.self) { try call.requests.finish(with: [3]) }
            try await onThread {
                let blocking = channel.blockingBidirectional(HostileTrial.talk)
                blocking.finish()
                let error = #expect(throws: RPCError.self) { try blocking.write([2]) }
                #expect(error?.code == .failedPrecondition)
            }
            let handled = channel.startBidirectional(
                HostileTrial.talk, handlers: ResponseHandlers(message: { _ in }, end: { _ in }))
            handled.finish()
            #expect(throws: RPCError.self) { try handled.write([2]) }
            var replies: [[UInt8]] = []
            for try await reply in call.responses { replies.append(reply) }
            #expect(replies == [[1]])
        }
    }

    @Test("a channel that the program releases while it connects completes the waiting call")
    func channelLetGo() async throws {
        let server = try Self.server()
        func stream() async throws -> ResponseStream<[UInt8]> {
            let channel = try Channel(server.target, credentials: .insecure)
            return try await channel.serverStreaming(Self.count, [3])
        }
        for _ in 0..<20 {
            var messages: [[UInt8]] = []
            for try await message in try await stream() { messages.append(message) }
            #expect(messages == [[0], [1], [2]])
        }
    }

    /// Starts a batch in the completion handler of another batch. Returns the message that it
    /// receives.
    private static func replyToSecondBatch(of call: RawCall) async throws -> [UInt8]? {
        let received = Mutex<[UInt8]?>(nil)
        let second: [SwiftletStyles.Operation] = [
            .sendMessage([9]), .sendClose(),
            .receiveMessage { bytes in received.withLock { $0 = bytes } },
            .receiveStatus { _, _ in },
        ]
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        try call.start([.sendInitialMetadata([:])]) { _ in
            let isStarted: Void? = try? call.start(second) { _ in end.finish() }
            if isStarted == nil { end.finish() }
        }
        for await _ in ended {}
        return received.withLock { $0 }
    }

    @Test("a batch of operations can follow another one at once")
    func batchAfterBatch() async throws {
        let server = try Self.server()
        let channel = try Channel(server.target, credentials: .insecure)
        for _ in 0..<100 {
            let call = try channel.rawCall(HostileTrial.echo.path)
            #expect(try await Self.replyToSecondBatch(of: call) == [9])
        }
    }
}
