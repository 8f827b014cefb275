import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Testing

/// Tests the calls of a queue that is shut down.
@Suite("A completion queue that is shut down", .timeLimit(.minutes(5)))
struct QueueEndTests {
    private static func server() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
            server.bidirectional(HostileTrial.talk) { requests, replies, _ in
                for try await request in requests { try await replies.write(request) }
            }
        }
    }

    @Test("lets its calls end, and accepts no more")
    func running() async throws {
        let server = try Self.server()
        let queue = try CompletionQueue()
        let channel = try Channel(server.target, credentials: .insecure, queue: queue)
        let call = try await channel.bidirectional(HostileTrial.talk)
        var answers = call.responses.makeAsyncIterator()
        try await call.requests.write([1])
        #expect(try await answers.next() == [1])
        queue.shutdown()
        try await call.requests.write([2])
        #expect(try await answers.next() == [2])
        await #expect(throws: RPCError.self) {
            _ = try await channel.unary(HostileTrial.echo, [3])
        }
        call.requests.finish()
        #expect(try await answers.next() == nil)
        #expect(channel.connectivity == .shutdown)
        try await eventually { queue.loop.descriptorCount == 0 }
    }

    @Test("still ends a call at its deadline")
    func deadline() async throws {
        let (answer, error) = try await withGrowingTimeout(until: { $0.0 != nil }) { options in
            let peer = try RawPeer(.correct)
            peer.conduct = .hold
            let queue = try CompletionQueue()
            let channel = try Channel(peer.target, credentials: .insecure, queue: queue)
            let call = try await channel.bidirectional(HostileTrial.talk, options: options)
            var answers = call.responses.makeAsyncIterator()
            let answer = try? await answers.next()
            queue.shutdown()
            let error = await #expect(throws: RPCError.self) { _ = try await answers.next() }
            return (answer, error)
        }
        #expect(answer == RawPeer.replyBody)
        #expect(error?.code == .deadlineExceeded)
    }

    @Test("ends the calls that wait for a connection, and those of later channels")
    func waiting() async throws {
        let peer = try RawPeer(RawScript(opening: { _ in }))
        let queue = try CompletionQueue()
        let channel = try Channel(peer.target, credentials: .insecure, queue: queue)
        let waiting = Task { try await channel.unary(HostileTrial.echo, [1]) }
        try await eventually { peer.connectionCount > 0 }
        queue.shutdown()
        let first = await #expect(throws: RPCError.self) { try await waiting.value }
        #expect(first?.code == .unavailable)
        let later = try Channel(peer.target, credentials: .insecure, queue: queue)
        let second = await #expect(throws: RPCError.self) {
            try await later.unary(HostileTrial.echo, [1], options: .with { $0.waitForReady = true })
        }
        #expect(second?.message.contains("completion queue") == true, "\(second as Any)")
    }

    @Test("of a group is one of several queues, which get channels in turn")
    func group() async throws {
        let server = try Self.server()
        let group = try CompletionQueue.Group(threads: 3)
        var channels: [Channel] = []
        for index in 0..<6 {
            let queue = group.next()
            channels.append(try Channel(server.target, credentials: .insecure, queue: queue))
            #expect(group.queues.contains { $0 === queue })
            #expect(try await channels[index].unary(HostileTrial.echo, [1]) == [1])
        }
        #expect(group.queues.allSatisfy { $0.loop.descriptorCount == 2 })
        group.shutdown()
        for queue in group.queues {
            try await eventually { queue.loop.descriptorCount == 0 }
        }
    }

    @Test("has polled for input before it slept, if it has a spin time")
    func spin() async throws {
        let server = try Self.server()
        let queue = try CompletionQueue(spin: .microseconds(50))
        let channel = try Channel(server.target, credentials: .insecure, queue: queue)
        for number in 0..<200 {
            let byte = UInt8(truncatingIfNeeded: number)
            try #require(try await channel.unary(HostileTrial.echo, [byte]) == [byte])
        }
        queue.shutdown()
    }

    @Test("lets its tasks run on another executor")
    func executor() async throws {
        let queue = try CompletionQueue()
        let sum = await Task(executorPreference: queue) {
            queue.shutdown()
            var sum = 0
            for number in 0..<100 {
                await Task.yield()
                sum += number
            }
            return sum
        }.value
        #expect(sum == 4_950)
    }

    @Test("and was turned by hand lets its tasks run on another executor")
    func executorByHand() async throws {
        let gate = Gate()
        let queue = try CompletionQueue(.byHand)
        let task = Task(executorPreference: queue) {
            await gate.pass()
            return 1
        }
        try await onThread { () throws in
            while gate.arrivalCount == 0 {
                #expect(try queue.next(deadline: .after(.milliseconds(1))) == .timeout)
            }
            queue.shutdown()
            for _ in 0..<2 { #expect(try queue.next() == .shutdown) }
        }
        gate.open()
        #expect(await task.value == 1)
    }

    @Test("or a channel that is closed twice uses the shorter grace period")
    func closedTwice() async throws {
        let server = try Self.server()
        let channel = try Channel(server.target, credentials: .insecure)
        let call = try await channel.bidirectional(HostileTrial.talk)
        var answers = call.responses.makeAsyncIterator()
        try await call.requests.write([1])
        #expect(try await answers.next() == [1])
        async let patient: Void = channel.close(grace: .seconds(3_600))
        try await eventually { channel.connectivity == .shutdown }
        await channel.close(grace: .milliseconds(1))
        await patient
        await #expect(throws: RPCError.self) { _ = try await answers.next() }
    }

    @Test("returns .shutdown from next() after its last connection has closed")
    func byHand() async throws {
        let server = try Self.server()
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            #expect(try channel.blockingUnary(HostileTrial.echo, [1]).message == [1])
            queue.shutdown()
            #expect(try queue.next() == .shutdown)
            #expect(queue.loop.descriptorCount == 0)
        }
    }
}
