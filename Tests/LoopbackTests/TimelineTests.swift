import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import Testing

@Suite("The timeline of a call", .timeLimit(.minutes(5)))
struct TimelineTests {
    static let sayHello = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayHello", .unary)

    @Test("contains the steps of the call and of its connection in order")
    func steps() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let channel = try Channel(server.target, credentials: .insecure)
        let request = HelloRequest(name: "you")
        let first = try #require(
            try await channel.unaryResponse(Self.sayHello, request).timeline)
        let resolved = try #require(first.resolved)
        let connected = try #require(first.connected)
        let sent = try #require(first.headersSent)
        let firstByte = try #require(first.firstByte)
        let lastByte = try #require(first.lastByte)
        #expect(first.started <= resolved && resolved <= connected && connected <= sent)
        #expect(sent <= firstByte && firstByte <= lastByte)
        #expect(first.secured == nil)
        #expect(first.peer == server.target)
        #expect(first.streamCount == 1)
        #expect(first.sentByteCount == 5 + request.encoded().count)
        #expect(first.receivedByteCount == 5 + HelloReply(message: "Hello you").encoded().count)
        #expect(first.description.contains(server.target))

        let second = try #require(
            try await channel.unaryResponse(Self.sayHello, request).timeline)
        #expect(second.connected == connected)
        #expect(second.started >= lastByte)
        #expect(second.headersSent == second.started)
    }

    @Test("contains the time at which a waiting request of HTTP/1.1 was sent")
    func waitedForConnection() async throws {
        let gate = Gate()
        let server = try LoopbackServer { server in
            server.http("/wait") { _ in
                await gate.pass()
                return HTTPReply(contentType: "text/plain", body: [])
            }
        }
        var arguments = ChannelArguments()
        arguments.maxConnectionCount = 1
        let channel = try Channel(
            server.target, version: .http1, credentials: .insecure, arguments: arguments)
        // So that the connection is older than both requests.
        channel.connect()
        try await eventually { channel.connectivity == .ready }
        async let first = channel.request(.get, "/wait")
        await gate.waitFor(1)
        let (answers, answer) = AsyncStream.makeStream(of: Result<HTTPAnswer, RPCError>.self)
        try channel.startRequest(.get, "/wait") { answer.yield($0) }
        let opened = ContinuousClock.now
        gate.open()
        let timeline = try #require(try await first.timeline)
        var iterator = answers.makeAsyncIterator()
        let later = try #require(try await iterator.next()?.get().timeline)
        #expect(later.connected == timeline.connected && later.started <= opened)
        #expect(try #require(later.headersSent) >= opened)
    }

    @Test("is contained in the error of a failed call")
    func failure() async throws {
        let server = try LoopbackServer { _ in }
        let channel = try Channel(server.target, credentials: .insecure)
        let error = try #require(
            await #expect(throws: RPCError.self) {
                try await channel.unary(Self.sayHello, HelloRequest(name: "you"))
            })
        #expect(error.code == .unimplemented)
        #expect(error.timeline?.peer == server.target)
        #expect(error.waited == error.timeline?.duration)
        #expect(error.peer == server.target)
    }

    @Test("is contained in an error together with the server's messages and metadata")
    func metadata() async throws {
        let server = try LoopbackServer { server in
            server.unary(Self.sayHello) { _, context in
                var headers: Metadata = ["x-before": "1"]
                headers.append(bytes: [0, 1, 254], for: "x-before-bin")
                context.sendInitialMetadata(headers)
                var trailers: Metadata = ["x-behind": "2"]
                trailers.append("3", for: "x-behind")
                trailers.append(bytes: [255], for: "x-behind-bin")
                context.setTrailingMetadata(trailers)
                throw RPCError(.aborted, "enough")
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let unary = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.sayHello, HelloRequest())
        }
        let streaming = try Method<HelloRequest, HelloReply>(
            path: Self.sayHello.path, .serverStreaming)
        let stream = await #expect(throws: RPCError.self) {
            for try await _ in try await channel.serverStreaming(streaming, HelloRequest()) {}
        }
        for error in [try #require(unary), try #require(stream)] {
            #expect(error.code == .aborted)
            #expect(error.initialMetadata["x-before"] == "1")
            #expect(error.initialMetadata.bytes(for: "x-before-bin") == [0, 1, 254])
            #expect(error.initialMetadata[all: "x-behind"].isEmpty)
            #expect(error.metadata[all: "x-behind"] == [.text("2"), .text("3")])
            #expect(error.metadata.bytes(for: "x-behind-bin") == [255])
            #expect(error.metadata[all: "x-before"].isEmpty)
            #expect(error.timeline?.peer == server.target)
        }
    }

    @Test("of a stream is available after its end")
    func stream() async throws {
        let server = try LoopbackServer { $0.addRouteGuide() }
        let channel = try Channel(server.target, credentials: .insecure)
        let chat: Conversation<RouteGuide.RouteNote, RouteGuide.RouteNote> =
            try await channel.bidirectional(
                Method("/routeguide.RouteGuide/RouteChat", .bidirectional))
        #expect(chat.responses.timeline == nil)
        chat.requests.finish()
        for try await _ in chat.responses {}
        #expect(chat.responses.timeline?.lastByte != nil)
    }

    @Test("can be made for a program's own tests")
    func values() {
        let start = ContinuousClock.now
        func after(_ milliseconds: Int) -> CallTimeline.Instant {
            start + .milliseconds(milliseconds)
        }
        var timeline = CallTimeline(started: start)
        #expect(timeline.duration == nil)
        (timeline.resolved, timeline.connected) = (after(1), after(2))
        (timeline.secured, timeline.headersSent) = (after(3), after(4))
        (timeline.firstByte, timeline.lastByte) = (after(5), after(6))
        (timeline.streamCount, timeline.failedAttemptCount) = (2, 3)
        (timeline.peer, timeline.sentByteCount, timeline.receivedByteCount) = ("10.0.0.1:1", 7, 8)
        #expect(timeline.duration == .milliseconds(6))
        #expect(
            "\(timeline)" == "10.0.0.1:1, 2 streams: connected after 2.00 ms, sent after 4.00 ms, "
                + "answered after 5.00 ms, ended after 6.00 ms; 7 bytes out, 8 in")
    }
}
