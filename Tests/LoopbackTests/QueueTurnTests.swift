import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@Suite("A queue that is turned by hand", .timeLimit(.minutes(5)))
struct QueueTurnTests {
    private static let sayHello = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayHello", .unary)
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer { $0.addGreeter() } }

    @Test(
        "refuses a blocking call in a handler",
        arguments: [CompletionQueue.Mode.byHand, .ownThread])
    func nestedCall(_ mode: CompletionQueue.Mode) async throws {
        try await onThread {
            let queue = try CompletionQueue(mode)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let nested = Mutex<RPCError?>(nil)
            let isDone = Mutex(false)
            try channel.startUnary(Self.sayHello, HelloRequest(name: "a")) { _ in
                do {
                    _ = try channel.blockingUnary(Self.sayHello, HelloRequest(name: "b"))
                } catch {
                    nested.withLock { $0 = error as? RPCError }
                }
                isDone.withLock { $0 = true }
            }
            while !isDone.withLock({ $0 }) {
                _ = try queue.next(deadline: .after(.milliseconds(10)))
            }
            let error = try #require(nested.withLock { $0 })
            #expect(error.code == .failedPrecondition)
            #expect(!error.mayHaveBeenExecuted)
            queue.shutdown()
        }
    }

    @Test(
        "refuses to wait for its end in a handler",
        arguments: [CompletionQueue.Mode.byHand, .ownThread])
    func nestedNext(_ mode: CompletionQueue.Mode) async throws {
        try await onThread {
            let queue = try CompletionQueue(mode)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let code = Mutex<StatusCode?>(nil)
            try channel.startUnary(Self.sayHello, HelloRequest(name: "a")) { _ in
                do throws(RPCError) {
                    _ = try queue.next()
                } catch {
                    code.withLock { $0 = error.code }
                }
            }
            while code.withLock({ $0 }) == nil {
                _ = try queue.next(deadline: .after(.milliseconds(10)))
            }
            #expect(code.withLock { $0 } == .failedPrecondition)
            queue.shutdown()
        }
    }

    @Test("serves the blocking calls of several threads")
    func threads() async throws {
        let queue = try CompletionQueue(.byHand)
        let channel = try Channel(server.target, credentials: .insecure, queue: queue)
        try await withThrowingTaskGroup { group in
            for thread in 0..<4 {
                group.addTask {
                    try await onThread {
                        for index in 0..<500 {
                            let name = "\(thread)-\(index)"
                            let reply = try channel.blockingUnary(
                                Self.sayHello, HelloRequest(name: name))
                            try #require(reply.message.message == "Hello \(name)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        queue.shutdown()
    }

    @Test("lets threads receive events while others make blocking calls")
    func eventsBeside() async throws {
        let queue = try CompletionQueue(.byHand)
        let channel = try Channel(server.target, credentials: .insecure, queue: queue)
        async let calls: Void = onThread {
            for _ in 0..<300 {
                _ = try channel.blockingUnary(Self.sayHello, HelloRequest(name: "you"))
            }
        }
        try await onThread {
            let request = HelloRequest(name: "raw").encoded()
            for tag in 0..<300 as Range<UInt64> {
                try channel.rawCall("/helloworld.Greeter/SayHello").start(
                    [
                        .sendInitialMetadata([:]), .sendMessage(request), .sendClose(),
                        .receiveMessage { _ in }, .receiveStatus { _, _ in },
                    ], tag: tag)
                let event = try queue.next(deadline: .after(.seconds(120)))
                try #require(event == .completed(tag: tag, success: true))
            }
        }
        try await calls
        queue.shutdown()
    }
}
