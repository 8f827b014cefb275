import Swiftlet
import SwiftletBalancing
import SwiftletLoopback
import Synchronization
import Testing

@Suite("A call with a retry policy", .timeLimit(.minutes(5)))
struct RetryTests {
    static let echo = Method<[UInt8], [UInt8]>(
        "/t.T/Echo", .unary, request: .bytes, reply: .bytes)
    static let collect = Method<[UInt8], [UInt8]>(
        "/t.T/Collect", .clientStreaming, request: .bytes, reply: .bytes)
    static let repeated = Method<[UInt8], [UInt8]>(
        "/t.T/Repeat", .serverStreaming, request: .bytes, reply: .bytes)
    static let chat = Method<[UInt8], [UInt8]>(
        "/t.T/Chat", .bidirectional, request: .bytes, reply: .bytes)

    /// Records the `grpc-previous-rpc-attempts` of each attempt of one test.
    private final class Attempts: Sendable {
        private let previous = Mutex<[String?]>([])

        /// Records an attempt. Throws for the first `failureCount` attempts.
        func begin(
            _ context: ServerContext, failureCount: Int, code: StatusCode = .unavailable,
            pushback: String? = nil
        ) throws {
            let number = previous.withLock { previous in
                previous.append(context.metadata["grpc-previous-rpc-attempts"])
                return previous.count
            }
            guard number <= failureCount else { return }
            if let pushback {
                var trailers = Metadata()
                trailers.append(received: .text(pushback), for: "grpc-retry-pushback-ms")
                context.setTrailingMetadata(trailers)
            }
            throw RPCError(code, "attempt \(number)")
        }

        var list: [String?] { previous.withLock { $0 } }
    }

    static func arguments(
        _ attempts: MethodConfig.Attempts, throttling: RetryThrottling? = nil
    ) -> ChannelArguments {
        var config = ServiceConfig()
        config.methods = [MethodConfig([.all]) { $0.attempts = attempts }]
        config.retryThrottling = throttling
        var arguments = ChannelArguments()
        arguments.serviceConfig = config
        return arguments
    }

    private static func retry(_ maxAttempts: Int) -> MethodConfig.Attempts {
        var policy = RetryPolicy(maxAttempts: maxAttempts, retryableCodes: [.unavailable])
        policy.initialBackoff = .milliseconds(1)
        policy.maxBackoff = .milliseconds(5)
        return .retry(policy)
    }

    /// A server whose methods all fail `failureCount` times.
    private static func server(
        _ attempts: Attempts, failureCount: Int, code: StatusCode = .unavailable,
        pushback: String? = nil
    ) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(echo) { request, context in
                try attempts.begin(
                    context, failureCount: failureCount, code: code, pushback: pushback)
                return request
            }
            server.clientStreaming(collect) { requests, context in
                var sum: [UInt8] = []
                for try await request in requests { sum += request }
                try attempts.begin(context, failureCount: failureCount)
                return sum
            }
            server.serverStreaming(repeated) { request, writer, context in
                try attempts.begin(context, failureCount: failureCount)
                for _ in 0..<3 { try await writer.write(request) }
            }
            server.bidirectional(chat) { requests, writer, context in
                try attempts.begin(context, failureCount: failureCount)
                for try await request in requests { try await writer.write(request) }
            }
        }
    }

    @Test("succeeds with a later attempt, in all four shapes")
    func shapes() async throws {
        for shape in 0..<4 {
            let attempts = Attempts()
            let server = try Self.server(attempts, failureCount: 2)
            let channel = try server.makeChannel(arguments: Self.arguments(Self.retry(3)))
            switch shape {
            case 0: #expect(try await channel.unary(Self.echo, [1]) == [1])
            case 1:
                let reply = try await channel.clientStreaming(Self.collect) { writer in
                    for byte: UInt8 in 1...3 { try await writer.write([byte]) }
                }
                #expect(reply == [1, 2, 3])
            case 2:
                var replies: [[UInt8]] = []
                for try await reply in try await channel.serverStreaming(Self.repeated, [9]) {
                    replies.append(reply)
                }
                #expect(replies == [[9], [9], [9]])
            default:
                let replies = try await channel.bidirectional(Self.chat) { writer in
                    for byte: UInt8 in 1...3 { try await writer.write([byte]) }
                } responses: { replies in
                    var all: [[UInt8]] = []
                    for try await reply in replies { all.append(reply) }
                    return all
                }
                #expect(replies == [[1], [2], [3]])
            }
            #expect(attempts.list == [nil, "1", "2"])
        }
    }

    @Test("fails with the last attempt's error, which lists those before")
    func exhausted() async throws {
        let attempts = Attempts()
        let server = try Self.server(attempts, failureCount: 9)
        let channel = try server.makeChannel(arguments: Self.arguments(Self.retry(3)))
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.echo, [1])
        }
        #expect(error?.message == "attempt 3")
        #expect(error?.mayHaveBeenExecuted == true)
        #expect(
            error?.attempts.map(\.cause) == ["UNAVAILABLE: attempt 1", "UNAVAILABLE: attempt 2"])
        #expect(attempts.list.count == 3)
    }

    @Test("was not executed if none of its attempts has reached a server")
    func unreachable() async throws {
        let channel = try Channel(
            "127.0.0.1:1", credentials: .insecure, arguments: Self.arguments(Self.retry(3)))
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.echo, [1])
        }
        #expect(error?.code == .unavailable)
        #expect(error?.mayHaveBeenExecuted == false)
    }

    @Test("is sent again when the picker has no subchannel for it", arguments: [false, true])
    func noSubchannel(isHedged: Bool) async throws {
        let scheme = "no-subchannel-\(isHedged)"
        try Resolvers.register(scheme) { _ in PushedResolver(ResolverResult([])) }
        var hedging = HedgingPolicy(maxAttempts: 3)
        hedging.delay = .seconds(3_600)
        hedging.nonFatalCodes = [.unavailable]
        let channel = try Channel(
            "\(scheme):///x", credentials: .insecure,
            arguments: Self.arguments(isHedged ? .hedging(hedging) : Self.retry(3)))
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.echo, [1])
        }
        #expect(error?.code == .unavailable)
        #expect(error?.phase == .connect)
        #expect(error?.attempts.count == 2)
    }

    @Test("is not sent again after a code that is not retryable")
    func otherCode() async throws {
        let attempts = Attempts()
        let server = try Self.server(attempts, failureCount: 9, code: .notFound)
        let channel = try server.makeChannel(arguments: Self.arguments(Self.retry(3)))
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.echo, [1])
        }
        #expect(error?.code == .notFound)
        #expect(attempts.list.count == 1)
    }

    @Test(
        "is not sent again when the server forbids it",
        arguments: ["-1", "soon", "99999999999"]
    )
    func pushedBack(value: String) async throws {
        let attempts = Attempts()
        let server = try Self.server(attempts, failureCount: 9, pushback: value)
        let channel = try server.makeChannel(arguments: Self.arguments(Self.retry(3)))
        await #expect(throws: RPCError.self) { try await channel.unary(Self.echo, [1]) }
        #expect(attempts.list.count == 1)
    }

    @Test("is sent again at the time that the server requests")
    func pushedBackInTime() async throws {
        let attempts = Attempts()
        let server = try Self.server(attempts, failureCount: 1, pushback: "30")
        let channel = try server.makeChannel(arguments: Self.arguments(Self.retry(3)))
        let begin = ContinuousClock.now
        #expect(try await channel.unary(Self.echo, [1]) == [1])
        // Checks a lower bound only: the time that the second attempt takes is not known.
        #expect(begin.duration(to: .now) >= .milliseconds(30))
        #expect(attempts.list == [nil, "1"])
    }

    @Test("follows the pushback that a handler of the loopback server sets")
    func contextPushback() async throws {
        for (delay, expected) in [(Duration.milliseconds(1), 2), (nil, 1)] as [(Duration?, Int)] {
            let count = Atomic(0)
            let server = try LoopbackServer { server in
                server.unary(Self.echo) { _, context in
                    count.add(1, ordering: .relaxed)
                    context.setRetryPushback(delay)
                    throw RPCError(.unavailable, "busy")
                }
            }
            let channel = try server.makeChannel(arguments: Self.arguments(Self.retry(2)))
            await #expect(throws: RPCError.self) { try await channel.unary(Self.echo, [1]) }
            #expect(count.load(ordering: .relaxed) == expected)
        }
    }

    @Test("ends at its deadline between two attempts, with the causes so far")
    func deadline() async throws {
        let server = try LoopbackServer { server in
            server.unary(Self.echo) { _, context in
                context.setRetryPushback(.seconds(1_000))
                throw RPCError(.unavailable, "busy")
            }
        }
        let channel = try server.makeChannel(arguments: Self.arguments(Self.retry(3)))
        let error = try await withGrowingTimeout(until: { $0?.attempts.isEmpty == false }) {
            options in
            await #expect(throws: RPCError.self) {
                try await channel.unary(Self.echo, [1], options: options)
            }
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.attempts.map(\.cause) == ["UNAVAILABLE: busy"])
    }

    @Test(
        "is attempted as often as its policy says, and at most as often as the channel allows",
        arguments: [(4, 5, 4), (7, 5, 5), (7, 2, 2), (7, 8, 7), (7, 1, 1)])
    func limit(policy: Int, channel limit: Int, expected: Int) async throws {
        var hedging = HedgingPolicy(maxAttempts: policy)
        hedging.delay = .zero
        hedging.nonFatalCodes = [.unavailable]
        for kind in [Self.retry(policy), .hedging(hedging)] {
            let attempts = Attempts()
            let server = try Self.server(attempts, failureCount: 100)
            var arguments = Self.arguments(kind)
            arguments.maxAttemptCount = limit
            let channel = try server.makeChannel(arguments: arguments)
            await #expect(throws: RPCError.self) { try await channel.unary(Self.echo, [1]) }
            #expect(attempts.list.count == expected, "\(kind)")
        }
    }

    @Test("is committed when it has written more than is kept")
    func tooLarge() async throws {
        let attempts = Attempts()
        let server = try Self.server(attempts, failureCount: 1)
        let channel = try server.makeChannel(arguments: Self.arguments(Self.retry(3)))
        await #expect(throws: RPCError.self) {
            try await channel.clientStreaming(Self.collect) { writer in
                for _ in 0..<40 { try await writer.write([UInt8](repeating: 1, count: 10_000)) }
            }
        }
        #expect(attempts.list.count == 1)
    }

    @Test(
        "is committed when its only message is larger than what is kept",
        arguments: [1_000, 300_000])
    func tooLargeUnary(byteCount: Int) async throws {
        let attempts = Attempts()
        let server = try Self.server(attempts, failureCount: 1)
        let channel = try server.makeChannel(arguments: Self.arguments(Self.retry(3)))
        let message = [UInt8](repeating: 1, count: byteCount)
        let isKept = byteCount < ChannelArguments().maxReplayByteCount
        do {
            _ = try await channel.unary(Self.echo, message)
            #expect(isKept)
        } catch {
            #expect(!isKept && error.code == .unavailable)
        }
        #expect(attempts.list.count == (isKept ? 2 : 1))
    }

    @Test("is not retried while too many calls fail")
    func throttled() async throws {
        let attempts = Attempts()
        let server = try Self.server(attempts, failureCount: 1_000)
        var arguments = Self.arguments(
            Self.retry(3), throttling: RetryThrottling(maxTokens: 4, tokenRatio: 0.1))
        // Channels to the same server name share a throttle, so this test uses its own name.
        arguments.defaultAuthority = "throttled.test"
        let channel = try server.makeChannel(arguments: arguments)
        for _ in 0..<5 {
            await #expect(throws: RPCError.self) { try await channel.unary(Self.echo, [1]) }
        }
        // After two failures, half of the four tokens is left: no retry follows.
        #expect(attempts.list.count == 6)
    }

    @Test("is retried again after enough calls of any method have succeeded")
    func earnedByOthers() async throws {
        let attempts = Attempts()
        let others = ["/t.T/Other", "/t.None/Other"].map {
            Method<[UInt8], [UInt8]>($0, .unary, request: .bytes, reply: .bytes)
        }
        let server = try LoopbackServer { server in
            server.unary(Self.echo) { request, context in
                try attempts.begin(context, failureCount: 1_000)
                return request
            }
            for other in others { server.unary(other) { request, _ in request } }
        }
        var config = ServiceConfig()
        config.methods = [
            MethodConfig([.service("t.T")]),
            MethodConfig([.method(service: "t.T", method: "Echo")]) {
                $0.attempts = Self.retry(2)
            },
        ]
        config.retryThrottling = RetryThrottling(maxTokens: 4, tokenRatio: 1)
        var arguments = ChannelArguments()
        arguments.serviceConfig = config
        arguments.defaultAuthority = "earned-by-others.test"
        let channel = try server.makeChannel(arguments: arguments)
        // After two failures, half of the four tokens is left: no retry follows.
        for count in [2, 3] {
            await #expect(throws: RPCError.self) { try await channel.unary(Self.echo, [1]) }
            #expect(attempts.list.count == count)
        }
        for _ in 0..<2 {
            for other in others { #expect(try await channel.unary(other, [7]) == [7]) }
        }
        await #expect(throws: RPCError.self) { try await channel.unary(Self.echo, [1]) }
        #expect(attempts.list.count == 5)
    }

    @Test("is retried for as long as enough calls succeed", arguments: [false, true])
    func earned(isStream: Bool) async throws {
        let count = Atomic(0)
        let server = try LoopbackServer { server in
            @Sendable func begin() throws {
                // Every other attempt fails.
                let number = count.wrappingAdd(1, ordering: .relaxed).newValue
                if number % 2 == 1 { throw RPCError(.unavailable, "attempt \(number)") }
            }
            server.unary(Self.echo) { request, _ in
                try begin()
                return request
            }
            server.serverStreaming(Self.repeated) { request, writer, _ in
                try begin()
                try await writer.write(request)
            }
        }
        var arguments = Self.arguments(
            Self.retry(2), throttling: RetryThrottling(maxTokens: 4, tokenRatio: 1))
        arguments.defaultAuthority = "earned-\(isStream).test"
        let channel = try server.makeChannel(arguments: arguments)
        for _ in 0..<6 {
            guard isStream else {
                #expect(try await channel.unary(Self.echo, [1]) == [1])
                continue
            }
            for try await reply in try await channel.serverStreaming(Self.repeated, [1]) {
                #expect(reply == [1])
            }
        }
        #expect(count.load(ordering: .relaxed) == 12)
    }

    @Test("ends with CANCELLED when its task is cancelled between two attempts")
    func cancelled() async throws {
        let attempts = Attempts()
        let server = try Self.server(attempts, failureCount: 9, pushback: "100000")
        let channel = try server.makeChannel(arguments: Self.arguments(Self.retry(3)))
        let task = Task { try await channel.unary(Self.echo, [1]) }
        try await eventually { attempts.list.count == 1 }
        task.cancel()
        let error = await #expect(throws: RPCError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test("leaves its channel idle if its task is cancelled before it starts")
    func cancelledBeforeStart() async throws {
        try Resolvers.register("unused-test") { _ in PushedResolver(nil) }
        // The policy is not known before the resolver has reported, so the start of a call wakes
        // the channel.
        let channel = try Channel("unused-test:///x", credentials: .insecure)
        let error = await #expect(throws: RPCError.self) {
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                group.cancelAll()
                group.addTask { try await channel.unary(Self.echo, [1]) }
                for try await _ in group {}
            }
        }
        #expect(error?.code == .cancelled)
        #expect(channel.connectivity == .idle)
    }

    @Test("that is hedged fails with a fatal code at once, and after the last of the others")
    func hedgedFailure() async throws {
        for (code, expected) in [(StatusCode.notFound, 1), (.unavailable, 3)] {
            let attempts = Attempts()
            let server = try Self.server(attempts, failureCount: 9, code: code)
            var policy = HedgingPolicy(maxAttempts: 3)
            policy.delay = .seconds(100)
            policy.nonFatalCodes = [.unavailable]
            let channel = try server.makeChannel(arguments: Self.arguments(.hedging(policy)))
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(Self.echo, [1])
            }
            #expect(error?.code == code)
            #expect(attempts.list.count == expected)
        }
    }
}
