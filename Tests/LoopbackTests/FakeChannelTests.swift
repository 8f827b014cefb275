import Swiftlet
import SwiftletLoopback
import SwiftletObservation
import SwiftletStyles
import Synchronization
import Testing

@Suite("A fake channel", .timeLimit(.minutes(5)))
struct FakeChannelTests {
    let fake: FakeChannel

    init() throws { fake = try FakeChannel() }
    static let sayHello = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayHello", .unary)
    static let listFeatures = Method<RouteGuide.Rectangle, RouteGuide.Feature>(
        "/routeguide.RouteGuide/ListFeatures", .serverStreaming)
    static let recordRoute = Method<RouteGuide.Point, RouteGuide.RouteSummary>(
        "/routeguide.RouteGuide/RecordRoute", .clientStreaming)
    static let routeChat = Method<RouteGuide.RouteNote, RouteGuide.RouteNote>(
        "/routeguide.RouteGuide/RouteChat", .bidirectional)

    var greeter: Greeter { Greeter(channel: fake.channel) }

    private func note(_ text: String) -> RouteGuide.RouteNote { .with { $0.message = text } }

    @Test("answers calls with the queued responses, first in, first out")
    func order() async throws {
        for name in ["one", "two"] {
            try fake.respond(to: Self.sayHello).sendMessage(HelloReply(message: name))
        }
        #expect(fake.unusedResponseCount(for: Self.sayHello) == 2)
        #expect(try await greeter.sayHello(.init()).message == "one")
        #expect(try await greeter.sayHello(.init()).message == "two")
        #expect(fake.unusedResponseCount(for: Self.sayHello) == 0)
    }

    @Test("fails a call for which no response is left, and reports how many were used")
    func exhaustion() async throws {
        try fake.respond(to: Self.sayHello).sendMessage(HelloReply())
        _ = try await greeter.sayHello(.init())
        let error = await #expect(throws: RPCError.self) { try await greeter.sayHello(.init()) }
        #expect(
            error?.message
                == "the fake channel has no response left for /helloworld.Greeter/SayHello (used: 1)"
        )
    }

    @Test("ends a call that streams its request when the request has ended, as a server does")
    func queuedAnswer() async throws {
        for _ in 0..<200 {
            let response = fake.respond(to: Self.recordRoute)
            try response.sendMessage(.with { $0.pointCount = 5 })
            let summary = try await fake.channel.clientStreaming(Self.recordRoute) { route in
                for _ in 0..<5 { try await route.write(RouteGuide.Point()) }
            }
            try #require(summary.pointCount == 5)
            var parts: [String] = []
            for await part in response.requestParts {
                switch part {
                case .start: parts.append("start")
                case .message: parts.append("message")
                case .end: parts.append("end")
                case .cancelled: parts.append("cancelled")
                }
            }
            try #require(
                parts == ["start"] + [String](repeating: "message", count: 5) + ["end"])
        }
    }

    @Test("shows the request, and gives metadata, trailers and status")
    func whole() async throws {
        let parts = Mutex<[String]>([])
        let response = fake.respond(to: Self.sayHello) { part in
            let text =
                switch part {
                case .start(let metadata, let deadline):
                    "start \(metadata["x-test"] ?? "") \(deadline.instant != nil)"
                case .message(let request): "message \(request.name)"
                case .end: "end"
                case .cancelled: "cancelled"
                }
            parts.withLock { $0.append(text) }
        }
        try response.sendMessage(
            HelloReply(message: "hi"), initialMetadata: ["a": "1"], trailingMetadata: ["b": "2"])
        let answer = try await fake.channel.unaryResponse(
            Self.sayHello, HelloRequest(name: "you"),
            options: .with {
                $0.metadata = ["x-test": "yes"]
                $0.timeout = .seconds(30)
            })
        #expect(answer.message.message == "hi")
        #expect(answer.initialMetadata["a"] == "1")
        #expect(answer.trailingMetadata["b"] == "2")
        #expect(parts.withLock { $0 } == ["start yes true", "message you", "end"])
    }

    @Test("fails with a status, its details and its metadata")
    func failure() async throws {
        var sent = RPCError(.notFound, "nobody")
        sent.metadata = ["why": "gone"]
        sent.details = [1, 2]
        try fake.respond(to: Self.sayHello).sendError(sent)
        let error = await #expect(throws: RPCError.self) { try await greeter.sayHello(.init()) }
        #expect(error?.code == .notFound)
        #expect(error?.message == "nobody")
        #expect(error?.details == [1, 2])
        #expect(error?.metadata["why"] == "gone")
        #expect(error?.origin == .server)
    }

    @Test("streams parts one by one, before the call and after it")
    func serverStreaming() async throws {
        let response = fake.respond(to: Self.listFeatures)
        try response.sendMessage(.with { $0.name = "first" })
        let stream = try await fake.channel.serverStreaming(Self.listFeatures, .init())
        var features = stream.makeAsyncIterator()
        #expect(try await features.next()?.name == "first")
        try response.sendMessage(.with { $0.name = "second" })
        #expect(try await features.next()?.name == "second")
        try response.sendEnd(trailingMetadata: ["count": "2"])
        #expect(try await features.next() == nil)
        #expect(stream.trailingMetadata?["count"] == "2")
    }

    @Test("receives a stream of requests")
    func clientStreaming() async throws {
        let response = fake.respond(to: Self.recordRoute)
        let counting = Task {
            var count: Int32 = 0
            for await part in response.requestParts {
                if case .message = part { count += 1 }
                if case .end = part {
                    let total = count
                    try response.sendMessage(.with { $0.pointCount = total })
                }
            }
        }
        let summary = try await fake.channel.clientStreaming(Self.recordRoute) { route in
            for _ in 0..<5 { try await route.write(.init()) }
        }
        #expect(summary.pointCount == 5)
        try await counting.value
    }

    @Test("supports bidirectional calls")
    func bidirectional() async throws {
        let response = fake.respond(to: Self.routeChat)
        let echo = Task {
            for await part in response.requestParts {
                if case .message(let note) = part { try response.sendMessage(note) }
                if case .end = part { try response.sendEnd() }
            }
        }
        let chat = try await fake.channel.bidirectional(Self.routeChat)
        var answers = chat.responses.makeAsyncIterator()
        for index in 0..<3 {
            try await chat.requests.write(note("\(index)"))
            #expect(try await answers.next()?.message == "\(index)")
        }
        chat.requests.finish()
        #expect(try await answers.next() == nil)
        try await echo.value
    }

    @Test("supports every other face of a call")
    func faces() async throws {
        for _ in 0..<3 { try fake.respond(to: Self.sayHello).sendMessage(HelloReply(message: "x")) }
        let channel = fake.channel
        let blocking = try await onThread {
            try channel.blockingUnary(Self.sayHello, HelloRequest()).message.message
        }
        #expect(blocking == "x")
        let handled = try await withCheckedThrowingContinuation { continuation in
            do {
                try channel.startUnary(Self.sayHello, HelloRequest()) {
                    continuation.resume(with: $0.map(\.message.message))
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(handled == "x")
        let written = try await withCheckedThrowingContinuation { continuation in
            do {
                try Call(
                    channel, Self.sayHello, requests: SequenceWriter(value: HelloRequest())
                ).start(with: SingleValueWriteable { continuation.resume(with: $0.map(\.message)) })
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(written == "x")
    }

    @Test("lets a call reach its deadline if no response is sent")
    func deadline() async throws {
        let response = fake.respond(to: Self.sayHello)
        let error = await #expect(throws: RPCError.self) {
            try await greeter.sayHello(.init(), options: .with { $0.timeout = .milliseconds(20) })
        }
        #expect(error?.code == .deadlineExceeded)
        // Even if the deadline passes early, the parts of the request end.
        for await _ in response.requestParts {}
    }

    @Test("does not deliver a message before it is requested")
    func backPressure() async throws {
        let response = fake.respond(to: Self.listFeatures)
        let (messages, continuation) = AsyncStream.makeStream(of: String.self)
        let call = try fake.channel.startServerStreaming(
            Self.listFeatures, .init(),
            handlers: ResponseHandlers(
                message: { continuation.yield($0.name) }, end: { _ in continuation.finish() }))
        call.pause()
        for name in ["a", "b", "c"] { try response.sendMessage(.with { $0.name = name }) }
        try response.sendEnd()
        var received = messages.makeAsyncIterator()
        // One message was requested before the pause.
        #expect(await received.next() == "a")
        call.resume()
        #expect(await received.next() == "b")
        #expect(await received.next() == "c")
        #expect(await received.next() == nil)
    }

    @Test("supports raw operations and interceptors")
    func lowest() async throws {
        let seen = Mutex<[String]>([])
        let fake = try FakeChannel(
            interceptors: [
                .all(CallLog { entry in seen.withLock { $0.append("\(entry)") } }.interceptor)
            ])
        try fake.respond(to: Self.sayHello).sendMessage(HelloReply(message: "raw"))
        let call = try fake.channel.rawCall(Self.sayHello.path)
        let text = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<String, any Error>) in
            do {
                let reply = Mutex("")
                try call.start(
                    [
                        .sendInitialMetadata([:]), .sendMessage(HelloRequest().encoded()),
                        .sendClose(),
                        .receiveMessage { bytes in
                            let message = bytes.flatMap { try? HelloReply(decoding: $0.span) }
                            reply.withLock { $0 = message?.message ?? "none" }
                        },
                    ]
                ) { _ in continuation.resume(returning: reply.withLock { $0 }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(text == "raw")
    }

    @Test("can fail like a connection")
    func lost() async throws {
        var loss = RPCError(.unavailable, "the connection to 10.0.0.1:1 was lost")
        loss.phase = .http2
        loss.causes = ["connection reset by peer"]
        try fake.respond(to: Self.sayHello).fail(loss)
        let error = await #expect(throws: RPCError.self) { try await greeter.sayHello(.init()) }
        #expect(error?.phase == .http2)
        #expect(error?.origin == .client)
        #expect(error?.causes == ["connection reset by peer"])
    }

    @Test("ends running calls when it is closed")
    func closingWhileRunning() async throws {
        let response = fake.respond(to: Self.routeChat)
        let chat = try await fake.channel.bidirectional(Self.routeChat)
        await fake.channel.close()
        let error = await #expect(throws: RPCError.self) {
            for try await _ in chat.responses {}
        }
        #expect(error?.code == .cancelled)
        for await _ in response.requestParts {}
    }

    @Test("reports a cancellation in the middle of a call")
    func cancellation() async throws {
        let response = fake.respond(to: Self.routeChat)
        let chat = try await fake.channel.bidirectional(Self.routeChat)
        chat.cancel()
        var wasCancelled = false
        for await part in response.requestParts {
            if case .cancelled = part { wasCancelled = true }
        }
        #expect(wasCancelled)
        await #expect(throws: RPCError.self) {
            for try await _ in chat.responses {}
        }
        // A message after the end of the call is ignored.
        try response.sendMessage(note("late"))
    }

    @Test("refuses parts that the protocol forbids, and names them")
    func misplaced() throws {
        let single = fake.respond(to: Self.sayHello)
        try single.sendMessage(HelloReply())
        let late = #expect(throws: RPCError.self) { try single.sendMessage(HelloReply()) }
        #expect(
            late?.message == "fake response to /helloworld.Greeter/SayHello: "
                + "a message cannot follow the end")
        let many = fake.respond(to: Self.listFeatures)
        #expect(throws: RPCError.self) { try many.sendMessage(.init(), initialMetadata: [:]) }
        try many.sendMessage(.init())
        #expect(throws: RPCError.self) { try many.sendInitialMetadata([:]) }
        let empty = fake.respond(to: Self.sayHello)
        #expect(throws: RPCError.self) { try empty.sendEnd() }
        try many.sendEnd()
        #expect(throws: RPCError.self) { try many.sendEnd() }
        #expect(throws: RPCError.self) { try many.sendError(RPCError(.aborted, "")) }
    }

    @Test("works with interceptors, compression and limits, like a network")
    func wire() async throws {
        let fake = try FakeChannel(
            defaultOptions: .with {
                $0.compression = .gzip
                $0.maxReceiveByteCount = 10
            })
        let name = String(repeating: "long ", count: 100)
        let response = fake.respond(to: Self.sayHello) { part in
            if case .message(let request) = part { #expect(request.name == name) }
        }
        try response.sendMessage(HelloReply(message: name))
        let error = await #expect(throws: RPCError.self) {
            try await Greeter(channel: fake.channel).sayHello(.init(name: name))
        }
        #expect(error?.code == .resourceExhausted)
    }

    @Test("is closed like any other channel")
    func closing() async throws {
        #expect(fake.channel.connectivity == .ready)
        await fake.channel.close()
        #expect(fake.channel.connectivity == .shutdown)
        let error = await #expect(throws: RPCError.self) { try await greeter.sayHello(.init()) }
        #expect(error?.code == .unavailable)
    }
}
