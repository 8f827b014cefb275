import Swiftlet
import SwiftletCore
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@Suite("A call with writers, towards its server", .timeLimit(.minutes(5)))
struct CallFaceTests {
    private static let sayHello = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayHello", .unary)

    /// A sequence of values of 1 KiB, which counts the values that were read from it.
    private struct Counted: Sequence, IteratorProtocol, Sendable {
        final class Count: Sendable {
            let value = Atomic(0)
        }

        static let limit = 10_000
        let count = Count()

        var givenCount: Int { count.value.load(ordering: .relaxed) }

        func next() -> [UInt8]? {
            guard givenCount < Self.limit else { return nil }
            count.value.wrappingAdd(1, ordering: .relaxed)
            return [UInt8](repeating: 1, count: 1_024)
        }
    }

    @Test("pauses its requests until each one was accepted")
    func backPressure() async throws {
        var script = RawScript { _, _ in }
        script.grantsWindow = false
        let isWindowFull = Atomic(false)
        script.answerToFullWindow = { _, _ in isWindowFull.store(true, ordering: .relaxed) }
        let peer = try RawPeer(script)
        let numbers = Counted()
        let writer = SequenceWriter(numbers)
        let call = Call(
            try Channel(peer.target, credentials: .insecure), HostileTrial.talk, requests: writer)
        let sink = Sink<[UInt8]>()
        try call.start(with: sink)
        // The limit of what a call stores before it has a connection.
        #expect(numbers.givenCount < 400)
        try await eventually {
            isWindowFull.load(ordering: .relaxed) && writer.state != .started
        }
        #expect(writer.state == .paused)
        // The same limit, a window of 64 KiB, and the send queue of the connection.
        #expect(numbers.givenCount < 600)
        call.cancel()
        await sink.waitForEnd()
        #expect(sink.all == ["CANCELLED"])
        #expect(writer.state == .finished)
    }

    @Test("ends with INTERNAL when a message cannot be decoded, and resets its stream")
    func undecodable() async throws {
        struct Unfit: Error {}
        let (left, leaving) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { server in
            server.bidirectional(HostileTrial.talk) { requests, replies, _ in
                defer { leaving.finish() }
                try await replies.write([1])
                try await replies.write([2])
                for try await _ in requests {}
            }
        }
        let picky = Codec<[UInt8]>(
            encode: { value, count in [UInt8](repeating: 0, count: count) + value },
            decode: { bytes in
                guard bytes[0] != 2 else { throw Unfit() }
                return bytes.indices.map { bytes[$0] }
            })
        let pipe = PipeWriter<[UInt8]>()
        let call = Call(
            try Channel(server.target, credentials: .insecure),
            try Method(
                path: HostileTrial.talk.path, .bidirectional, request: .bytes, reply: picky),
            requests: pipe)
        let sink = Sink<[UInt8]>()
        try call.start(with: sink)
        await sink.waitForEnd()
        #expect(sink.all == ["[1]", "INTERNAL"])
        #expect(call.state == .finished)
        #expect(pipe.state == .finished)
        for await _ in left {}
    }

    @Test("has the headers and trailers of its server also after an error")
    func failure() async throws {
        let server = try LoopbackServer { server in
            server.unary(Self.sayHello) { _, context in
                context.sendInitialMetadata(["x-before": "1"])
                var trailers: Metadata = ["x-behind": "2"]
                trailers.append(bytes: [0, 255], for: "x-behind-bin")
                context.setTrailingMetadata(trailers)
                throw RPCError(.aborted, "enough")
            }
        }
        let call = Call(
            try Channel(server.target, credentials: .insecure), Self.sayHello,
            requests: SequenceWriter(value: HelloRequest()))
        let sink = Sink<HelloReply>()
        try call.start(with: sink)
        await sink.waitForEnd()
        #expect(sink.all == ["ABORTED"])
        #expect(call.responseHeaders?["x-before"] == "1")
        #expect(call.responseHeaders?["x-behind"] == nil)
        #expect(call.responseTrailers?["x-behind"] == "2")
        #expect(call.responseTrailers?.bytes(for: "x-behind-bin") == [0, 255])
    }

    @Test("of a client begins with start(), and delivers on the given queue")
    func ofClient() async throws {
        let queue = try CompletionQueue()
        let server = try LoopbackServer { $0.addGreeter() }
        let greeter = Greeter(channel: try Channel(server.target, credentials: .insecure))
        let call = greeter.call(
            Greeter.sayHello, requests: SequenceWriter(value: HelloRequest(name: "you")),
            context: .queue(queue))
        #expect(call.state == .notStarted)
        // If the call had already started, its answer would have arrived after these round trips.
        for _ in 0..<5 { _ = try await greeter.sayHello(.init(name: "other")) }
        #expect(call.state == .notStarted)
        #expect(call.responseHeaders == nil)
        let elsewhere = Mutex(0)
        let sink = Sink<HelloReply> { reply in
            #expect(reply.message == "Hello you")
            if !queue.loop.isCurrent { elsewhere.withLock { $0 += 1 } }
        }
        try call.start(with: sink)
        await sink.waitForEnd()
        #expect(sink.all.count == 2 && sink.all.last == "done")
        #expect(elsewhere.withLock { $0 } == 0)
        queue.shutdown()
    }
}
