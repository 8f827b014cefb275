import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@Suite("gRPC for Objective-C: calls", .timeLimit(.minutes(5)))
struct ObjectiveCCallTests {
    private static let sayHello = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayHello", .unary)

    private static func server(
        _ change: @escaping @Sendable (ServerContext) throws -> Void = { _ in }
    ) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(sayHello) { request, context in
                var headers: Metadata = ["x-seen": context.metadata["x-test"] ?? "none"]
                headers.append(bytes: [0, 255], for: "x-raw-bin")
                context.sendInitialMetadata(headers)
                context.setTrailingMetadata(["x-last": "2"])
                try change(context)
                return HelloReply(message: "Hello \(request.name)")
            }
        }
    }

    private static func call(
        _ server: LoopbackServer
    ) throws -> Call<HelloRequest, HelloReply> {
        Call(
            try server.makeChannel(), sayHello,
            requests: SequenceWriter(value: HelloRequest(name: "you")))
    }

    @Test("GRPCCall: requestHeaders begin empty, ignore case, and cannot change after the start")
    func requestHeaders() async throws {
        let server = try Self.server()
        let call = try Self.call(server)
        #expect(call.requestHeaders.isEmpty)
        try call.changeRequestHeaders { $0["X-Test"] = "1" }
        #expect(call.requestHeaders["x-TEST"] == "1")
        let sink = Sink<HelloReply>()
        try call.start(with: sink)
        let error = #expect(throws: RPCError.self) {
            try call.changeRequestHeaders { $0["x-test"] = "2" }
        }
        #expect(error?.code == .failedPrecondition)
        await sink.waitForEnd()
        #expect(call.responseHeaders?["x-seen"] == "1")
    }

    @Test("GRPCCall: responseHeaders are set before the first value, responseTrailers at the end")
    func responseMetadata() async throws {
        let call = try Self.call(try Self.server())
        #expect(call.responseHeaders == nil && call.responseTrailers == nil)
        let heard = Notes()
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        try call.start(
            with: HandlerWriteable<HelloReply>(
                value: { _ in
                    heard.add("\(call.responseHeaders != nil) \(call.responseTrailers != nil)")
                },
                completion: { _ in
                    heard.add("\(call.responseTrailers?["x-last"] ?? "none")")
                    continuation.finish()
                }))
        for await _ in ended {}
        #expect(heard.all == ["true false", "2"])
        // The value of a key that ends in -bin is bytes.
        #expect(call.responseHeaders?.bytes(for: "x-raw-bin") == [0, 255])
        #expect(call.responseHeaders?["x-seen"] == "none")
    }

    @Test("GRPCCall: an error contains the headers and trailers")
    func errorMetadata() async throws {
        let call = try Self.call(
            try Self.server { _ in throw RPCError(.notFound, "no such name") })
        let result = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Result<HelloReply, RPCError>, any Error>) in
            do {
                try call.start(with: SingleValueWriteable { continuation.resume(returning: $0) })
            } catch {
                continuation.resume(throwing: error)
            }
        }
        let error = #expect(throws: RPCError.self) { try result.get() }
        #expect(error?.code == .notFound)
        #expect(error?.message == "no such name")
        #expect(error?.initialMetadata["x-seen"] == "none")
        #expect(error?.metadata["x-last"] == "2")
    }

    @Test("GRPCCall: cancel ends it with CANCELLED and resets the stream")
    func cancel() async throws {
        let (reset, continuation) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { server in
            server.bidirectional(HostileTrial.talk) { requests, replies, _ in
                defer { continuation.finish() }
                try await replies.write([1])
                for try await _ in requests {}
            }
        }
        let call = Call(
            try server.makeChannel(), HostileTrial.talk, requests: PipeWriter<[UInt8]>())
        let sink = Sink<[UInt8]> { _ in call.cancel() }
        try call.start(with: sink)
        await sink.waitForEnd()
        #expect(sink.all == ["[1]", "CANCELLED"])
        for await _ in reset {}
    }

    @Test("GRPCCall: keeps itself alive until it is finished")
    func lifetime() async throws {
        let server = try Self.server()
        let sink = Sink<HelloReply>()
        try Self.call(server).start(with: sink)
        await sink.waitForEnd()
        #expect(sink.all.last == "done")
    }

    @Test("The run of a call: each request pauses the writer until the transport has accepted it")
    func requestBackPressure() async throws {
        var script = RawScript { _, _ in }
        script.grantsWindow = false
        let isFull = Atomic(false)
        script.answerToFullWindow = { _, _ in isFull.store(true, ordering: .relaxed) }
        let peer = try RawPeer(script)
        let writer = SequenceWriter(
            repeatElement([UInt8](repeating: 1, count: 1 << 10), count: 10_000))
        let call = Call(
            try Channel(peer.target, credentials: .insecure), HostileTrial.talk, requests: writer)
        let sink = Sink<[UInt8]>()
        try call.start(with: sink)
        try await eventually { isFull.load(ordering: .relaxed) && writer.state == .paused }
        call.cancel()
        await sink.waitForEnd()
        #expect(writer.state == .finished)
    }

    @Test("The run of a call: when the writer finishes, the request is half-closed")
    func halfClose() async throws {
        let server = try LoopbackServer { server in
            server.bidirectional(HostileTrial.talk) { requests, replies, _ in
                var count: UInt8 = 0
                for try await _ in requests { count += 1 }
                try await replies.write([count])
            }
        }
        let sink = Sink<[UInt8]>()
        try Call(
            try server.makeChannel(), HostileTrial.talk, requests: SequenceWriter([[1], [2], [3]])
        ).start(with: sink)
        await sink.waitForEnd()
        #expect(sink.all == ["[3]", "done"])
    }

    @Test("The run of a call: a paused call requests no more, and flow control stops the server")
    func responseBackPressure() async throws {
        let written = Atomic(0)
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
            server.bidirectional(HostileTrial.talk) { _, replies, _ in
                for _ in 0..<100 {
                    try await replies.write([UInt8](repeating: 1, count: 16 << 10))
                    written.wrappingAdd(1, ordering: .relaxed)
                }
            }
        }
        var arguments = ChannelArguments()
        arguments.streamWindowByteCount = 64 << 10
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        let call = Call(channel, HostileTrial.talk, requests: SequenceWriter([]))
        let (paused, continuation) = AsyncStream.makeStream(of: Void.self)
        let count = Atomic(0)
        let sink = Sink<[UInt8]> { _ in
            guard count.wrappingAdd(1, ordering: .relaxed).newValue == 1 else { return }
            call.pause()
            continuation.finish()
        }
        try call.start(with: sink)
        for await _ in paused {}
        // The messages that the server may still send precede these answers on the same connection.
        for _ in 0..<20 { _ = try await channel.unary(HostileTrial.echo, [1]) }
        #expect(count.load(ordering: .relaxed) == 1)
        #expect(written.load(ordering: .relaxed) < 100)
        call.resume()
        await sink.waitForEnd()
        #expect(count.load(ordering: .relaxed) == 100)
        #expect(sink.all.last == "done")
    }

    @Test("The run of a call: a message that does not decode ends it with INTERNAL")
    func undecodable() async throws {
        struct Unfit: Error {}
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
        }
        let picky = Codec<[UInt8]>(
            encode: { value, count in [UInt8](repeating: 0, count: count) + value },
            decode: { _ in throw Unfit() })
        let sink = Sink<[UInt8]>()
        try Call(
            try server.makeChannel(),
            try Method(path: HostileTrial.echo.path, .unary, request: .bytes, reply: picky),
            requests: SequenceWriter(value: [1])
        ).start(with: sink)
        await sink.waitForEnd()
        #expect(sink.all == ["INTERNAL"])
    }

    @Test("GRPCWrappedCall: starts batches; the handler is called for a failed one; cancel")
    func wrappedCall() async throws {
        let server = try Self.server()
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let call = try channel.rawCall(Self.sayHello.path)
            try call.start([.sendInitialMetadata([:])], tag: 1)
            #expect(try queue.next() == .completed(tag: 1, success: true))
            let statuses = Mutex<[StatusCode]>([])
            try call.start(
                [.receiveStatus { status, _ in statuses.withLock { $0.append(status.code) } }],
                tag: 2)
            call.cancel()
            #expect(try queue.next() == .completed(tag: 2, success: true))
            #expect(statuses.withLock { $0 } == [.cancelled])
            try call.start([.sendMessage([1])], tag: 3)
            #expect(try queue.next() == .completed(tag: 3, success: false))
            queue.shutdown()
        }
    }

    @Test("GRPCOperation: the six kinds run their handlers when their batch finishes")
    func operations() async throws {
        let server = try Self.server()
        try await onThread {
            let queue = try CompletionQueue(.byHand)
            let channel = try Channel(server.target, credentials: .insecure, queue: queue)
            let heard = Notes()
            try channel.rawCall(Self.sayHello.path).start(
                [
                    .sendInitialMetadata(["x-test": "1"]) { heard.add("send metadata") },
                    .sendMessage(HelloRequest(name: "you").encoded()) { heard.add("send message") },
                    .sendClose { heard.add("send close") },
                    .receiveInitialMetadata { heard.add("metadata \($0["x-seen"] ?? "")") },
                    .receiveMessage { bytes in
                        let reply = bytes.flatMap { try? HelloReply(decoding: $0.span) }
                        heard.add("message \(reply?.message ?? "none")")
                    },
                    .receiveStatus { status, trailers in
                        heard.add("status \(status.code) \(trailers["x-last"] ?? "")")
                    },
                ], tag: 1)
            #expect(heard.all.isEmpty)
            #expect(try queue.next() == .completed(tag: 1, success: true))
            #expect(
                Set(heard.all) == [
                    "send metadata", "send message", "send close", "metadata 1",
                    "message Hello you", "status OK 2",
                ])
            #expect(heard.all.count == 6)
            queue.shutdown()
        }
    }
}
