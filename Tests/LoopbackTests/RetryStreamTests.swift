import Swiftlet
import SwiftletBalancing
import SwiftletInterceptors
import SwiftletLoopback
import Synchronization
import Testing

/// Streams whose messages depend on each other, with a policy that may send them more than once.
@Suite("A stream with a retry or hedging policy", .timeLimit(.minutes(5)))
struct RetryStreamTests {
    private static func retry(_ codes: [StatusCode]) -> MethodConfig.Attempts {
        var policy = RetryPolicy(maxAttempts: 3, retryableCodes: Set(codes))
        policy.initialBackoff = .milliseconds(1)
        return .retry(policy)
    }

    private static let hedging: MethodConfig.Attempts = {
        var policy = HedgingPolicy(maxAttempts: 2)
        policy.delay = .zero
        policy.nonFatalCodes = [.unavailable]
        return .hedging(policy)
    }()

    @Test("continues when each message waits for the answer to the one before", arguments: 0...1)
    func dialogue(failureCount: Int) async throws {
        for attempts in [Self.retry([.unavailable]), Self.hedging] {
            let count = Atomic(0)
            let server = try LoopbackServer { server in
                server.bidirectional(RetryTests.chat) { requests, writer, _ in
                    let fails = count.add(1, ordering: .relaxed).newValue <= failureCount
                    for try await request in requests {
                        if fails { throw RPCError(.unavailable, "not yet") }
                        try await writer.write(request)
                    }
                }
            }
            let channel = try server.makeChannel(arguments: RetryTests.arguments(attempts))
            let dialogue = try await channel.bidirectional(RetryTests.chat)
            var replies = dialogue.responses.makeAsyncIterator()
            for number: UInt8 in 0..<20 {
                try await dialogue.requests.write([number])
                #expect(try await replies.next() == [number])
            }
            dialogue.requests.finish()
            #expect(try await replies.next() == nil)
        }
    }

    @Test("lets a writer that waits for room continue when the server ends the call early")
    func earlyEnd() async throws {
        let collect = Method<[UInt8], [UInt8]>(
            "/t.T/Collect", .clientStreaming, request: .bytes, reply: .bytes)
        let server = try LoopbackServer { server in
            server.clientStreaming(collect) { _, context in
                // The window of the stream fills, because nothing is read.
                try await context.sleep(for: .milliseconds(50))
                return [7]
            }
        }
        for attempts in [Self.retry([.unavailable]), Self.hedging] {
            let channel = try server.makeChannel(arguments: RetryTests.arguments(attempts))
            let reply = try await channel.clientStreaming(collect) { requests in
                for _ in 0..<1_000 {
                    try await requests.write([UInt8](repeating: 0, count: 65_536))
                }
            }
            #expect(reply == [7])
        }
    }

    /// Counts the messages that are reported as written.
    private final class WriteCounter: Interceptor {
        private let count: @Sendable () -> Void

        init(_ count: @escaping @Sendable () -> Void) { self.count = count }

        func writeDone(_ call: InterceptedCall) {
            count()
            call.deliverWriteDone()
        }
    }

    static func writeCounter(
        _ count: @escaping @Sendable () -> Void
    ) -> InterceptorFactory {
        InterceptorFactory("count") { _ in WriteCounter(count) }
    }

    @Test("reports each message as written once, however many attempts send it")
    func reports() async throws {
        let attemptCount = Atomic(0)
        let server = try LoopbackServer { server in
            server.clientStreaming(RetryTests.collect) { requests, _ in
                let isFirst = attemptCount.add(1, ordering: .relaxed).newValue == 1
                var all: [UInt8] = []
                for try await request in requests { all += request }
                if isFirst { try await Task.sleep(for: .seconds(3_600)) }
                return all
            }
        }
        let reportCount = Atomic(0)
        let channel = try Channel(
            server.target, credentials: .insecure, arguments: RetryTests.arguments(Self.hedging),
            interceptors: [
                .all(Self.writeCounter { reportCount.add(1, ordering: .relaxed) })
            ])
        let reply = try await channel.clientStreaming(RetryTests.collect) { writer in
            for byte: UInt8 in 0..<20 { try await writer.write([byte]) }
        }
        #expect(reply == Array(0..<20))
        #expect(attemptCount.load(ordering: .relaxed) == 2)
        // The answer may arrive before the last reports.
        #expect(1...20 ~= reportCount.load(ordering: .relaxed))
    }

    @Test("has no attempt after its deadline, even if DEADLINE_EXCEEDED is retryable")
    func deadline() async throws {
        // A loopback server would also end the call at its deadline, and this would be retried.
        let peer = try RawPeer(.silent)
        let channel = try Channel(
            peer.target, credentials: .insecure,
            arguments: RetryTests.arguments(Self.retry([.deadlineExceeded])))
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(
                RetryTests.echo, [1], options: .with { $0.timeout = .seconds(1) })
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.attempts.isEmpty == true)
        #expect(peer.callCount <= 1)
    }
}
