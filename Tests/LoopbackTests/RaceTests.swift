import Foundation
import Swiftlet
import SwiftletBalancing
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@testable import SwiftletCore

/// Many calls that are cancelled, or whose deadline passes, at any moment. `SWIFTLET_RACE_CALLS`
/// sets their number. The default is some thousands.
@Suite("Calls that race with their ends", .serialized, .timeLimit(.minutes(10)))
struct RaceTests {
    static let callCount =
        ProcessInfo.processInfo.environment["SWIFTLET_RACE_CALLS"].flatMap { Int($0) } ?? 4_000

    static let sayHello = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayHello", .unary)

    /// Counts the ends of each call.
    private final class Ends: Sendable {
        private let counts: Mutex<[Int]>
        private let left: Mutex<Int>
        let allEnded: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init(_ count: Int) {
            counts = Mutex([Int](repeating: 0, count: count))
            left = Mutex(count)
            (allEnded, continuation) = AsyncStream.makeStream()
        }

        func end(_ index: Int) {
            counts.withLock { $0[index] += 1 }
            let isLast = left.withLock { left in
                left -= 1
                return left == 0
            }
            if isLast { continuation.finish() }
        }

        var all: [Int] { counts.withLock { $0 } }
    }

    /// The ways in which the calls of a channel are sent again.
    enum Policy: CaseIterable {
        case none, retry, hedging

        var arguments: ChannelArguments {
            var config = ServiceConfig()
            config.methods = [
                MethodConfig([.all]) { method in
                    switch self {
                    case .none: break
                    case .retry:
                        var retry = RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable])
                        retry.initialBackoff = .milliseconds(1)
                        method.attempts = .retry(retry)
                    case .hedging:
                        var hedging = HedgingPolicy(maxAttempts: 3)
                        hedging.delay = .milliseconds(1)
                        hedging.nonFatalCodes = [.unavailable]
                        method.attempts = .hedging(hedging)
                    }
                }
            ]
            var arguments = ChannelArguments()
            if self != .none { arguments.serviceConfig = config }
            return arguments
        }

        /// Whether the server may refuse an attempt, because another one follows.
        func refuses(_ index: Int, _ context: ServerContext) -> Bool {
            self != .none && index.isMultiple(of: 3)
                && context.metadata["grpc-previous-rpc-attempts"] == nil
        }
    }

    private static let converse = Method<[UInt8], [UInt8]>(
        "/t.T/Converse", .bidirectional, request: .bytes, reply: .bytes)

    private static func server(_ policy: Policy) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.maxConcurrentStreams = 50
            server.unary(Self.sayHello) { request, context in
                if request.name.count == 3 { await Task.yield() }
                if policy.refuses(Int(request.name) ?? 0, context) {
                    throw RPCError(.unavailable, "not yet")
                }
                return HelloReply(message: request.name)
            }
            server.bidirectional(Self.converse) { requests, replies, context in
                var isFirst = true
                for try await request in requests {
                    if isFirst, policy.refuses(Int(request[0]), context) {
                        throw RPCError(.unavailable, "not yet")
                    }
                    isFirst = false
                    try await replies.write(request)
                }
            }
        }
    }

    /// Starts a call that reports its end to `end` once. Returns the call, and the function that
    /// cancels it.
    private typealias Start =
        @Sendable (
            Channel, _ index: Int, CallOptions, _ end: @escaping @Sendable () -> Void
        ) throws -> (call: AnyObject, cancel: @Sendable () -> Void)

    private static let unary: Start = { channel, index, options, end in
        let call = try channel.startUnary(
            sayHello, HelloRequest(name: "\(index)"), options: options
        ) { result in
            if case .success(let response) = result {
                #expect(response.message.message == "\(index)")
            }
            end()
        }
        return (call.call, { call.cancel() })
    }

    private static let streams: Start = { channel, index, options, end in
        let call = channel.startBidirectional(
            converse, options: options,
            handlers: ResponseHandlers { message in
                #expect(message.count == index % 5 + 1)
            } end: { _ in
                end()
            })
        let message = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: index % 5 + 1)
        for _ in 0..<index % 5 { try call.write(message) }
        call.finish()
        return (call.running.call, { call.cancel() })
    }

    @Test(
        "end exactly once in any race, and leave no objects", arguments: Policy.allCases)
    func once(policy: Policy) async throws {
        try await race(policy, Self.callCount, Self.unary)
    }

    @Test("end exactly once, and leave no objects, if they are streams", arguments: Policy.allCases)
    func streamsOnce(policy: Policy) async throws {
        try await race(policy, Self.callCount / 2, Self.streams)
    }

    private func race(_ policy: Policy, _ count: Int, _ start: Start) async throws {
        let server = try Self.server(policy)
        let queue = try CompletionQueue()
        weak var lastCall: AnyObject?
        do {
            let channel = try Channel(
                server.target, credentials: .insecure, arguments: policy.arguments, queue: queue)
            let ends = Ends(count)
            for index in 0..<count {
                var options = CallOptions()
                let fate = Int.random(in: 0..<4)
                if fate == 0 { options.timeout = .microseconds(Int.random(in: 0..<3_000)) }
                let (call, cancel) = try start(channel, index, options) { ends.end(index) }
                lastCall = call
                if fate == 1 { cancel() }
                if fate == 2 {
                    Task {
                        await Task.yield()
                        cancel()
                    }
                }
                // Not all calls start at once, so that calls are cancelled in every phase.
                if index.isMultiple(of: 100) { await Task.yield() }
            }
            for await _ in ends.allEnded {}
            try #require(ends.all.allSatisfy { $0 == 1 })
            await channel.close(grace: .seconds(5))
        }
        // The loop releases the last calls in its next turns.
        for _ in 0..<1_000
        where lastCall != nil || queue.loop.descriptorCount > 0 || queue.loop.timerCount > 0 {
            await withCheckedContinuation { continuation in
                queue.loop.run { continuation.resume() }
            }
        }
        #expect(lastCall == nil)
        #expect(queue.loop.descriptorCount == 0)
        #expect(queue.loop.timerCount == 0)
        queue.shutdown()
    }

    @Test("leave no descriptors and no threads")
    func resources() async throws {
        func descriptors() -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        }
        try #require(FileManager.default.fileExists(atPath: "/proc/self/fd"))
        // Other tests run at the same time, and some keep servers to the end: together fewer than 600 descriptors. So
        // this checks the growth over many rounds.
        let before = descriptors()
        let rounds = 200
        for _ in 0..<rounds {
            let queue = try CompletionQueue()
            let server = try LoopbackServer { $0.addGreeter() }
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            _ = try await channel.unary(Self.sayHello, HelloRequest(name: "you"))
            // No server listens on port 1.
            let refused = try Channel("127.0.0.1:1", credentials: .insecure, queue: queue)
            _ = try? await refused.unary(Self.sayHello, HelloRequest())
            await channel.close()
            await refused.close()
            queue.shutdown()
        }
        // Each round had at least six descriptors.
        try await eventually { descriptors() < before + rounds * 4 }
    }
}
