import Swiftlet
import SwiftletCore
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

/// Forwards and records every event.
private final class Noting: Interceptor {
    let name: String
    let notes: Notes
    init(_ name: String, _ notes: Notes) {
        self.name = name
        self.notes = notes
    }

    func start(_ options: CallOptions, _ call: InterceptedCall) {
        notes.add("\(name) start")
        call.start(options)
    }
    func write(_ message: RawMessage, _ call: InterceptedCall) {
        notes.add("\(name) write")
        call.write(message)
    }
    func finish(_ call: InterceptedCall) {
        notes.add("\(name) finish")
        call.finish()
    }
    func receive(initialMetadata: Metadata, _ call: InterceptedCall) {
        notes.add("\(name) metadata")
        call.deliver(initialMetadata: initialMetadata)
    }
    func receive(_ message: RawMessage, _ call: InterceptedCall) {
        notes.add("\(name) message")
        call.deliver(message)
    }
    func close(_ end: CallEnd, _ call: InterceptedCall) {
        notes.add("\(name) close")
        call.close(end)
    }
}

/// An interceptor that consists of closures. A test replaces some of them.
private final class Doing: Interceptor {
    var onStart: (CallOptions, InterceptedCall) -> Void = { $1.start($0) }
    var onWrite: (RawMessage, InterceptedCall) -> Void = { $1.write($0) }
    var onFinish: (InterceptedCall) -> Void = { $0.finish() }
    var onMetadata: (Metadata, InterceptedCall) -> Void = { $1.deliver(initialMetadata: $0) }
    var onMessage: (RawMessage, InterceptedCall) -> Void = { $1.deliver($0) }
    var onClose: (CallEnd, InterceptedCall) -> Void = { $1.close($0) }

    func start(_ options: CallOptions, _ call: InterceptedCall) { onStart(options, call) }
    func write(_ message: RawMessage, _ call: InterceptedCall) { onWrite(message, call) }
    func finish(_ call: InterceptedCall) { onFinish(call) }
    func receive(initialMetadata: Metadata, _ call: InterceptedCall) {
        onMetadata(initialMetadata, call)
    }
    func receive(_ message: RawMessage, _ call: InterceptedCall) { onMessage(message, call) }
    func close(_ end: CallEnd, _ call: InterceptedCall) { onClose(end, call) }
}

extension CallOptions {
    fileprivate static func intercepted(
        by name: String = "doing", _ configure: @escaping @Sendable (Doing) -> Void
    ) -> CallOptions {
        .with { options in
            options.interceptors = [
                InterceptorFactory(name) { _ in
                    let doing = Doing()
                    configure(doing)
                    return doing
                }
            ]
        }
    }
}

@Suite("Interceptors", .timeLimit(.minutes(5)))
struct InterceptorTests {
    let server: LoopbackServer
    let greeter: Greeter

    init() throws {
        server = try LoopbackServer {
            $0.addGreeter()
            $0.addRouteGuide()
        }
        greeter = Greeter(channel: try Channel(server.target, credentials: .insecure))
    }

    @Test("receive requests in their order and responses in the reverse order")
    func order() async throws {
        let notes = Notes()
        func noting(_ name: String) -> InterceptorFactory {
            InterceptorFactory(name) { _ in Noting(name, notes) }
        }
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [
                .method("/helloworld.Greeter/SayHello", noting("method")),
                .service("helloworld.Greeter", noting("service")),
                .service("routeguide.RouteGuide", noting("other")),
                .all(noting("all")),
            ])
        let reply = try await Greeter(channel: channel).sayHello(
            .init(name: "you"), options: .with { $0.interceptors = [noting("call")] })
        #expect(reply.message == "Hello you")
        let names = ["all", "service", "method", "call"]
        func each(_ event: String, _ names: [String]) -> [String] { names.map { "\($0) \(event)" } }
        #expect(
            notes.all == each("start", names) + each("write", names) + each("finish", names)
                + each("metadata", names.reversed()) + each("message", names.reversed())
                + each("close", names.reversed()))
    }

    @Test("receive all shapes of call, in all faces")
    func shapes() async throws {
        let notes = Notes()
        let counting = InterceptorFactory("counting") { call in
            notes.add("\(call.shape)")
            let doing = Doing()
            doing.onClose = { end, call in
                notes.add("\(call.description.shape) ended \(end.error?.code ?? .ok)")
                call.close(end)
            }
            return doing
        }
        let channel = try Channel(
            server.target, credentials: .insecure, interceptors: [.all(counting)])
        let guide = RouteGuideClient(channel: channel)
        var area = RouteGuide.Rectangle()
        area.lo = RouteGuide.Point(latitude: 400_000_000, longitude: -750_000_000)
        area.hi = RouteGuide.Point(latitude: 420_000_000, longitude: -730_000_000)
        var count = 0
        for try await _ in try await guide.listFeatures(area) { count += 1 }
        #expect(count > 0)
        let summary = try await guide.recordRoute { route in
            for _ in 0..<10 { try await route.write(area.lo ?? .init()) }
        }
        #expect(summary.pointCount == 10)
        let chat = try await guide.routeChat()
        try await chat.requests.write(.init())
        chat.requests.finish()
        for try await _ in chat.responses {}
        _ = try await onThread {
            try channel.blockingUnary(
                Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary),
                .init(name: "you"))
        }
        let expected: [CallShape] = [.serverStreaming, .clientStreaming, .bidirectional, .unary]
        #expect(notes.all == expected.flatMap { ["\($0)", "\($0) ended OK"] })
    }

    @Test("answer by themselves, without the network")
    func answering() async throws {
        let reply = try await greeter.sayHello(
            .init(name: "nobody"),
            options: .intercepted { doing in
                doing.onStart = { _, _ in }
                doing.onWrite = { _, _ in }
                doing.onFinish = { call in
                    call.deliver(initialMetadata: [:])
                    call.deliver(RawMessage(HelloReply(message: "from the cache").encoded()))
                    call.close(CallEnd(error: nil))
                }
            })
        #expect(reply.message == "from the cache")
        #expect(server.connectionCount == 0)
    }

    @Test("change metadata and messages both ways")
    func changing() async throws {
        let reply = try await greeter.sayHello(
            .init(name: "you"),
            options: .intercepted { doing in
                doing.onWrite = { _, call in
                    call.write(RawMessage(HelloRequest(name: "them").encoded()))
                }
                doing.onMessage = { message, call in
                    let reply = message.withBytes { try? HelloReply(decoding: $0) }
                    let changed = HelloReply(message: (reply?.message ?? "") + "!")
                    call.deliver(RawMessage(changed.encoded()))
                }
            })
        #expect(reply.message == "Hello them!")
    }

    @Test("repeat and drop messages")
    func repeating() async throws {
        let guide = RouteGuideClient(channel: greeter.channel)
        let summary = try await guide.recordRoute(
            options: .intercepted { doing in
                var count = 0
                doing.onWrite = { message, call in
                    count += 1
                    // Of three messages, the second is sent twice, and the third is dropped.
                    if count == 3 { return call.deliverWriteDone() }
                    call.write(message)
                    if count == 2 { call.write(message) }
                }
            }
        ) { route in
            for _ in 0..<3 { try await route.write(.init()) }
        }
        #expect(summary.pointCount == 3)
    }

    @Test("hold the call and start it later")
    func holding() async throws {
        let reply = try await greeter.sayHello(
            .init(name: "late"),
            options: .intercepted { doing in
                doing.onStart = { options, call in
                    call.holdRequests()
                    Task {
                        await Task.yield()
                        call.start(options)
                        call.releaseRequests()
                    }
                }
            })
        #expect(reply.message == "Hello late")
    }

    @Test("that hold a call for ever do not outlive its deadline")
    func deadline() async throws {
        var options = CallOptions.intercepted { $0.onStart = { _, call in call.holdRequests() } }
        options.timeout = .milliseconds(20)
        let held = options
        let error = await #expect(throws: RPCError.self) {
            try await greeter.sayHello(HelloRequest(name: "you"), options: held)
        }
        #expect(error?.code == .deadlineExceeded)
    }

    @Test("that hold a call do not outlive its cancellation")
    func cancellation() async throws {
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let options = CallOptions.intercepted { doing in
            doing.onStart = { _, call in
                call.holdRequests()
                continuation.yield()
            }
        }
        let task = Task { [greeter] in
            try await greeter.sayHello(.init(name: "you"), options: options)
        }
        for await _ in started { break }
        task.cancel()
        let error = await #expect(throws: RPCError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test("send a call once more after it failed")
    func retrying() async throws {
        let attempts = Notes()
        let server = try LoopbackServer { server in
            server.unary(
                Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
            ) { request, context in
                let token = context.metadata["authorization"] ?? "none"
                attempts.add(token)
                guard token == "Bearer fresh" else { throw RPCError(.unauthenticated, "old") }
                return HelloReply(message: "Hello \(request.name)")
            }
        }
        let greeter = Greeter(channel: try Channel(server.target, credentials: .insecure))
        let reply = try await greeter.sayHello(
            .init(name: "you"),
            options: .intercepted { doing in
                var first: CallOptions?
                var message: RawMessage?
                var isSecond = false
                doing.onStart = { options, call in
                    first = options
                    var options = options
                    options.metadata.append("Bearer old", for: "authorization")
                    call.start(options)
                }
                doing.onWrite = {
                    message = $0
                    $1.write($0)
                }
                doing.onClose = { end, call in
                    guard end.error?.code == .unauthenticated, !isSecond, var options = first,
                        let message
                    else { return call.close(end) }
                    isSecond = true
                    options.metadata.append("Bearer fresh", for: "authorization")
                    call.restart()
                    call.start(options)
                    call.write(message)
                    call.finish()
                    call.receiveNext()
                    call.receiveNext()
                }
            })
        #expect(reply.message == "Hello you")
        #expect(attempts.all == ["Bearer old", "Bearer fresh"])
    }

    fileprivate static let faults: [(String, @Sendable (Doing) -> Void, String)] = [
        (
            "a message after the end of the request",
            { doing in
                doing.onFinish = { call in
                    call.finish()
                    call.write(RawMessage([]))
                }
            }, "'write' is not allowed in a call that is half-closed"
        ),
        (
            "a second start",
            { doing in
                doing.onStart = { options, call in
                    call.start(options)
                    call.start(options)
                }
            }, "'start' is not allowed in a call that is started"
        ),
        (
            "a message before the initial metadata",
            { $0.onMetadata = { _, call in call.deliver(RawMessage([])) } },
            "'message' was delivered before 'initial metadata'"
        ),
        (
            "a request before the start",
            { $0.onStart = { _, call in call.finish() } },
            "'finish' is not allowed in a call that is not started"
        ),
    ]

    @Test("that break the order end the call with an error that names them")
    func faults() async throws {
        for (what, configure, message) in Self.faults {
            let error = await #expect(throws: RPCError.self, "\(what)") {
                try await greeter.sayHello(
                    .init(name: "you"), options: .intercepted(by: "careless", configure))
            }
            #expect(error?.code == .internal, "\(what)")
            #expect(error?.message == "interceptor 'careless': \(message)", "\(what)")
        }
    }

    @Test("may write before they start the call: the messages follow the start, in order")
    func earlyWrites() async throws {
        let server = try LoopbackServer { server in
            server.bidirectional(HostileTrial.talk) { requests, replies, _ in
                for try await request in requests { try await replies.write(request) }
            }
        }
        let call = try await server.makeChannel().bidirectional(
            HostileTrial.talk,
            options: .intercepted(by: "early") { doing in
                doing.onStart = { options, call in
                    call.write(RawMessage([1]))
                    call.write(RawMessage([2]))
                    call.start(options)
                }
            })
        try call.requests.finish(with: [3])
        var replies: [[UInt8]] = []
        for try await reply in call.responses { replies.append(reply) }
        #expect(replies == [[1], [2], [3]])
    }

    @Test("run in their own context when they request one")
    func context() async throws {
        let queue = try CompletionQueue()
        let elsewhere = Mutex(0)
        let notes = Notes { if !queue.loop.isCurrent { elsewhere.withLock { $0 += 1 } } }
        let factory = InterceptorFactory("placed", context: .queue(queue)) { _ in
            Noting("placed", notes)
        }
        for _ in 0..<20 {
            _ = try await greeter.sayHello(
                .init(name: "you"), options: .with { $0.interceptors = [factory, factory] })
        }
        #expect(notes.all.count == 20 * 2 * 6)
        #expect(elsewhere.withLock { $0 } == 0)
        queue.shutdown()
    }
}
