import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Testing

@Suite("A streaming call", .timeLimit(.minutes(5)))
struct StreamingTests {
    @Test("delivers the server's messages in order, and then ends")
    func serverStreaming() async throws {
        let count = Method<HelloRequest, HelloReply>("/t.T/Count", .serverStreaming)
        let server = try LoopbackServer { server in
            server.serverStreaming(count) { request, replies, context in
                context.sendInitialMetadata(["x-first": "yes"])
                context.setTrailingMetadata(["x-last": "indeed"])
                for index in 0..<(Int(request.name) ?? 0) {
                    try await replies.write(HelloReply(message: "\(index)"))
                }
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let stream = try await channel.serverStreaming(count, .init(name: "5000"))
        #expect(try await stream.initialMetadata["x-first"] == "yes")
        var next = 0
        for try await reply in stream {
            #expect(reply.message == "\(next)")
            next += 1
        }
        #expect(next == 5_000)
        #expect(stream.trailingMetadata?["x-last"] == "indeed")
    }

    @Test("sends many messages and gets one")
    func clientStreaming() async throws {
        let server = try LoopbackServer { $0.addRouteGuide() }
        let client = RouteGuideClient(channel: try Channel(server.target, credentials: .insecure))
        let summary = try await client.clientStreaming(RouteGuideClient.recordRoute) { route in
            for index in 0..<1_000 {
                try await route.write(.init(latitude: Int32(index), longitude: 0))
            }
        }
        #expect(summary.pointCount == 1_000)
    }

    @Test("receives a response to each request before it sends the next")
    func pingPong() async throws {
        let echo = Method<HelloRequest, HelloReply>("/t.T/Echo", .bidirectional)
        let server = try LoopbackServer { server in
            server.bidirectional(echo) { requests, replies, _ in
                for try await request in requests {
                    try await replies.write(HelloReply(message: request.name))
                }
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let conversation = try await channel.bidirectional(echo)
        var answers = conversation.responses.makeAsyncIterator()
        for index in 0..<500 {
            try await conversation.requests.write(.init(name: "\(index)"))
            try #require(try await answers.next()?.message == "\(index)")
        }
        conversation.requests.finish()
        #expect(try await answers.next() == nil)
    }

    @Test(
        "transmits messages of many sizes in both directions",
        arguments: [0, 1, 16_384, 70_000, 3_000_000])
    func sizes(byteCount: Int) async throws {
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let body = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 131) }
        #expect(try await channel.unary(HostileTrial.echo, body) == body)
    }

    @Test("refuses a message above the limit by its prefix")
    func oversized() async throws {
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(
                HostileTrial.echo, [UInt8](repeating: 0, count: 1_001),
                options: .with { $0.maxReceiveByteCount = 1_000 })
        }
        #expect(error?.code == .resourceExhausted)
        #expect(
            try await channel.unary(HostileTrial.echo, [1]) == [1], "the connection stays usable")
    }

    @Test("compresses its requests", arguments: [CompressionAlgorithm.gzip, .deflate])
    func compression(algorithm: CompressionAlgorithm) async throws {
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let body = [UInt8](repeating: 9, count: 100_000)
        #expect(
            try await channel.unary(
                HostileTrial.echo, body, options: .with { $0.compression = algorithm })
                == body)
    }

    @Test("is cancelled at the server when the client releases the stream")
    func abandoned() async throws {
        let endless = Method<HelloRequest, HelloReply>("/t.T/Endless", .serverStreaming)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { server in
            server.serverStreaming(endless) { _, replies, _ in
                defer { end.yield() }
                while true { try await replies.write(HelloReply(message: "more")) }
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        do {
            let stream = try await channel.serverStreaming(endless, .init())
            for try await reply in stream {
                #expect(reply.message == "more")
                break
            }
        }
        for await _ in ended { break }
    }

    @Test("blocks the calling thread, also on a queue that this thread turns by hand")
    func blocking() throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
        let queue = try CompletionQueue(.byHand)
        let channel = try Channel(server.target, credentials: .insecure, queue: queue)
        for _ in 0..<10 {
            let response = try channel.blockingUnary(sayHello, .init(name: "you"))
            #expect(response.message.message == "Hello you")
        }
        let shared = try Channel(server.target, credentials: .insecure)
        #expect(try shared.blockingUnary(sayHello, .init(name: "me")).message.message == "Hello me")
    }

    @Test("runs on the queue as its executor")
    func executor() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let queue = try CompletionQueue()
        let greeter = Greeter(
            channel: try Channel(server.target, credentials: .insecure, queue: queue))
        let message = try await withTaskExecutorPreference(queue) {
            try await greeter.sayHello(.init(name: "queue")).message
        }
        #expect(message == "Hello queue")
        queue.shutdown()
    }
}
