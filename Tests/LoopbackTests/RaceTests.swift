import Foundation
import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

@testable import SwiftletCore

/// Many calls that are cancelled or run out of time at any moment. `SWIFTLET_RACE_CALLS` says how
/// many; a quick run makes some thousands.
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

    @Test("end exactly once, whatever races, and nothing of them is left")
    func once() async throws {
        let server = try LoopbackServer { server in
            server.maxConcurrentStreams = 50
            server.unary(Self.sayHello) { request, _ in
                if request.name.count == 3 { await Task.yield() }
                return HelloReply(message: request.name)
            }
        }
        let queue = try CompletionQueue()
        weak var lastCall: AnyObject?
        do {
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let ends = Ends(Self.callCount)
            var generator = SystemRandomNumberGenerator()
            for index in 0..<Self.callCount {
                var options = CallOptions()
                let fate = Int.random(in: 0..<4, using: &generator)
                if fate == 0 { options.timeout = .microseconds(Int.random(in: 0..<3_000)) }
                let call = try channel.startUnary(
                    Self.sayHello, HelloRequest(name: "\(index)"), options: options
                ) { result in
                    if case .success(let response) = result {
                        #expect(response.message.message == "\(index)")
                    }
                    ends.end(index)
                }
                lastCall = call.call
                if fate == 1 { call.cancel() }
                if fate == 2 {
                    Task {
                        await Task.yield()
                        call.cancel()
                    }
                }
                // Not all at once, so that calls are caught in every phase.
                if index.isMultiple(of: 100) { await Task.yield() }
            }
            for await _ in ends.allEnded {}
            #expect(ends.all.allSatisfy { $0 == 1 })
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

    @Test("leave no descriptor and no thread behind")
    func resources() async throws {
        func descriptors() -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        }
        try #require(FileManager.default.fileExists(atPath: "/proc/self/fd"))
        // Others run beside this, so the growth of many rounds is looked at, not one number.
        let before = descriptors()
        let rounds = 60
        for _ in 0..<rounds {
            let queue = try CompletionQueue()
            let server = try LoopbackServer { $0.addGreeter() }
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            _ = try await channel.unary(Self.sayHello, HelloRequest(name: "you"))
            // One that nobody answers.
            let refused = try Channel("127.0.0.1:1", credentials: .insecure, queue: queue)
            _ = try? await refused.unary(Self.sayHello, HelloRequest())
            await channel.close()
            await refused.close()
            queue.shutdown()
        }
        for _ in 0..<2_000 where descriptors() > before + rounds { await Task.yield() }
        // Each round had at least six descriptors of its own.
        #expect(descriptors() < before + rounds * 2)
    }
}
