import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletObservation
import SwiftletStyles
import Synchronization
import Testing

@Suite("A call as a value", .timeLimit(.minutes(5)))
struct FutureCallTests {
    static let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
    static let count = Method<[UInt8], [UInt8]>(
        "/test.Futures/Count", .serverStreaming, request: .bytes, reply: .bytes)
    static let sum = Method<[UInt8], [UInt8]>(
        "/test.Futures/Sum", .clientStreaming, request: .bytes, reply: .bytes)
    static let echo = Method<[UInt8], [UInt8]>(
        "/test.Futures/Echo", .bidirectional, request: .bytes, reply: .bytes)

    private let gate = Gate()
    private let server: LoopbackServer

    init() throws {
        let gate = gate
        server = try LoopbackServer { server in
            server.unary(Self.sayHello) { request, context in
                context.sendInitialMetadata(["x-first": "1"])
                context.setTrailingMetadata(["x-last": "2"])
                if request.name == "wait" { await gate.pass() }
                if request.name == "fail" { throw RPCError(.notFound, "no such name") }
                return HelloReply(message: "Hello \(request.name)")
            }
            server.serverStreaming(Self.count) { request, writer, _ in
                for number in 0..<request[0] { try await writer.write([number]) }
            }
            server.clientStreaming(Self.sum) { requests, _ in
                var sum: UInt8 = 0
                for try await request in requests { sum += request[0] }
                return [sum]
            }
            server.bidirectional(Self.echo) { requests, writer, _ in
                for try await request in requests { try await writer.write(request) }
            }
        }
    }

    private func channel(_ queue: CompletionQueue? = nil) throws -> Channel {
        try Channel(server.target, credentials: .insecure, queue: queue)
    }

    @Test("starts when it is made, and has a future for each part")
    func parts() async throws {
        let call = try channel().unaryCall(Self.sayHello, HelloRequest(name: "wait"))
        #expect(try await call.initialMetadata.value["x-first"] == "1")
        #expect(!call.response.isComplete && !call.status.isComplete)
        gate.open()
        #expect(try await call.response.value.message == "Hello wait")
        #expect(try await call.trailingMetadata.value["x-last"] == "2")
        #expect(try await call.status.value == .ok)
        #expect(try await call.response.map(\.message).value == "Hello wait")
    }

    @Test(
        "has one status for its response, if that is missing or not the only one",
        arguments: [0, 2] as [UInt8])
    func notOne(count: UInt8) async throws {
        let method = Method<[UInt8], [UInt8]>(
            "/test.Futures/Count", .unary, request: .bytes, reply: .bytes)
        let call = try channel().unaryCall(method, [count])
        let error = await #expect(throws: RPCError.self) { try await call.response.value }
        #expect(error?.code == .unimplemented)
        #expect(try await call.status.value.code == .unimplemented)
    }

    @Test("fails its response, and has the reason in its status")
    func failure() async throws {
        let call = try channel().unaryCall(Self.sayHello, HelloRequest(name: "fail"))
        let error = await #expect(throws: RPCError.self) { try await call.response.value }
        #expect(error?.code == .notFound)
        #expect(try await call.status.value == Status(.notFound, "no such name"))
        #expect(try await call.trailingMetadata.value["x-last"] == "2")
        let mapped = call.response.map(\.message)
        await #expect(throws: RPCError.self) { try await mapped.value }
    }

    @Test("is cancelled with all its parts")
    func cancellation() async throws {
        let call = try channel().unaryCall(Self.sayHello, HelloRequest(name: "wait"))
        await gate.waitFor(1)
        call.cancel()
        #expect(try await call.status.value.code == .cancelled)
        gate.open()
    }

    @Test("lets a thread wait for it, also on a queue that is turned by hand")
    func waiting() async throws {
        try await onThread {
            let call = try channel().unaryCall(Self.sayHello, HelloRequest(name: "you"))
            #expect(try call.response.wait().message == "Hello you")
            #expect(try call.status.wait() == .ok)
            let byHand = try CompletionQueue(.byHand)
            let turned = try channel(byHand).unaryCall(Self.sayHello, HelloRequest(name: "me"))
            #expect(try turned.response.wait().message == "Hello me")
            byHand.shutdown()
        }
    }

    @Test("calls back once on the given context, before and after its result is available")
    func callbacks() async throws {
        let call = try channel().unaryCall(Self.sayHello, HelloRequest(name: "you"))
        let (results, continuation) = AsyncStream.makeStream(of: String.self)
        let context = SerialContext.on { body in
            continuation.yield("context")
            body()
        }
        call.response.whenComplete(on: context) { result in
            continuation.yield((try? result.get().message) ?? "none")
        }
        var iterator = results.makeAsyncIterator()
        #expect(await iterator.next() == "context")
        #expect(await iterator.next() == "Hello you")
        call.response.whenComplete { _ in continuation.yield("late") }
        #expect(await iterator.next() == "late")
    }

    @Test("streams in every shape")
    func shapes() async throws {
        let channel = try channel()
        let received = Mutex<[UInt8]>([])
        let counting = channel.serverStreamingCall(Self.count, [4]) { reply in
            received.withLock { $0 += reply }
        }
        #expect(try await counting.status.value == .ok)
        #expect(received.withLock { $0 } == [0, 1, 2, 3])

        let summing = channel.clientStreamingCall(Self.sum)
        for number in 1...4 { _ = try await summing.sendMessage([UInt8(number)]).value }
        summing.sendEnd()
        #expect(try await summing.response.value == [10])

        let (echoes, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let echoing = channel.bidirectionalCall(Self.echo) { continuation.yield($0) }
        var iterator = echoes.makeAsyncIterator()
        for number in [UInt8(7), 8] {
            echoing.sendMessage([number])
            #expect(await iterator.next() == [number])
        }
        echoing.sendEnd()
        #expect(try await echoing.status.value == .ok)
        let late = await #expect(throws: RPCError.self) {
            try await echoing.sendMessage([1]).value
        }
        #expect(late != nil)
    }

    @Test("has handlers on a context, which can request each message")
    func countedDemand() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: String.self)
        var handlers = ResponseHandlers<[UInt8]>(
            message: { continuation.yield("message \($0[0])") },
            end: { _ in continuation.yield("end") })
        handlers.initialDemand = 1
        handlers.context = .on { body in
            continuation.yield("context")
            body()
        }
        let call = try channel().startServerStreaming(Self.count, [3], handlers: handlers)
        var iterator = events.makeAsyncIterator()
        for number in 0..<3 {
            #expect(await iterator.next() == "context")
            #expect(await iterator.next() == "message \(number)")
            call.receiveNext()
        }
        #expect(await iterator.next() == "context")
        #expect(await iterator.next() == "end")
    }

    @Test("may ask for an unlimited number of messages, more than once")
    func unlimitedDemand() async throws {
        let (events, continuation) = AsyncStream.makeStream(of: String.self)
        var handlers = ResponseHandlers<[UInt8]>(
            message: { continuation.yield("message \($0[0])") },
            end: { _ in continuation.yield("end") })
        handlers.initialDemand = .max
        let watch = InterceptorFactory("watch") { _ in Watch() }
        for interceptors in [[], [watch]] {
            let call = try channel().startServerStreaming(
                Self.count, [10], options: .with { $0.interceptors = interceptors },
                handlers: handlers)
            for _ in 0..<2 { call.receiveNext(.max) }
            var iterator = events.makeAsyncIterator()
            for number in 0..<10 { #expect(await iterator.next() == "message \(number)") }
            #expect(await iterator.next() == "end")
        }
    }

    /// Passes everything on.
    private final class Watch: Interceptor {}

    @Test("ends before its group of queues, for whose end a thread can wait")
    func groupEnd() async throws {
        let group = try CompletionQueue.Group(threads: 2)
        let call = try channel(group.next()).unaryCall(Self.sayHello, HelloRequest(name: "wait"))
        await gate.waitFor(1)
        group.shutdown()
        #expect(!call.status.isComplete)
        gate.open()
        await group.waitForShutdown()
        #expect(try await call.status.value == .ok)
    }
}

@Suite("The settings of a client's calls", .timeLimit(.minutes(5)))
struct ClientWideTests {
    private final class Reporter: ClientErrorDelegate {
        let reports = Mutex<[String]>([])

        func callFailed(_ error: RPCError, _ call: CallDescription) {
            reports.withLock { $0.append("\(call.path) \(error.code)") }
        }
    }

    private final class Reroute: Interceptor {
        let path: String
        init(_ path: String) { self.path = path }
        func start(_ options: CallOptions, _ call: InterceptedCall) {
            call.start(options, path: path)
        }
    }

    @Test("a delegate receives every error once")
    func delegate() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let reporter = Reporter()
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [.all(.reportingErrors(to: reporter))])
        let missing = Method<HelloRequest, HelloReply>("/helloworld.Greeter/Missing", .unary)
        _ = try await channel.unary(FutureCallTests.sayHello, HelloRequest(name: "you"))
        await #expect(throws: RPCError.self) {
            try await channel.unary(missing, HelloRequest(name: "you"))
        }
        #expect(
            reporter.reports.withLock { $0 } == [
                "/helloworld.Greeter/Missing \(StatusCode.unimplemented)"
            ])
    }

    @Test("a delegate receives every error once that is made on this side")
    func delegateOnThisSide() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { server in
            server.unary(FutureCallTests.sayHello) { _, _ in
                await gate.pass()
                return HelloReply()
            }
        }
        let reporter = Reporter()
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [.all(.reportingErrors(to: reporter))])
        var codes: [StatusCode] = []
        // The error may be reported after the caller has received it.
        func expectReport(_ code: StatusCode) async throws {
            codes.append(code)
            let expected = codes.map { "/helloworld.Greeter/SayHello \($0)" }
            try await eventually { reporter.reports.withLock { $0.count } >= expected.count }
            #expect(reporter.reports.withLock { $0 } == expected)
        }
        let call = { @Sendable (options: CallOptions) in
            try await channel.unary(FutureCallTests.sayHello, HelloRequest(), options: options)
        }

        let cancelled = Task { try await call(CallOptions()) }
        await gate.waitFor(1)
        cancelled.cancel()
        await #expect(throws: RPCError.self) { try await cancelled.value }
        try await expectReport(.cancelled)

        await #expect(throws: RPCError.self) {
            try await call(
                .with {
                    $0.timeout = .milliseconds(20)
                    $0.interceptors = [HoldingInterceptor.factory]
                })
        }
        try await expectReport(.deadlineExceeded)

        let closed = Task { try await call(CallOptions()) }
        await gate.waitFor(1)
        await channel.close()
        await #expect(throws: RPCError.self) { try await closed.value }
        try await expectReport(.cancelled)
    }

    @Test("an interceptor may send a call to another path, but not to an invalid one")
    func path() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let other = Method<HelloRequest, HelloReply>("/old.Greeter/SayHello", .unary)
        for (path, isLegal) in [("/helloworld.Greeter/SayHello", true), ("no path", false)] {
            let reroute = InterceptorFactory("reroute") { _ in Reroute(path) }
            let channel = try Channel(
                server.target, credentials: .insecure, interceptors: [.all(reroute)])
            let call = channel.unaryCall(other, HelloRequest(name: "you"))
            let status = try await call.status.value
            #expect(status.code == (isLegal ? .ok : .invalidArgument))
        }
    }

    @Test("a message must not exceed the maximum ratio of decompression")
    func ratio() async throws {
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, context in
                context.compress(with: .gzip)
                return [UInt8](repeating: 0, count: 100_000)
            }
        }
        guard CompressionAlgorithm.supported.contains(.gzip) else { return }
        for (ratio, code) in [(nil, nil), (10_000, nil), (10, StatusCode.resourceExhausted)] {
            var arguments = ChannelArguments()
            arguments.maxDecompressionRatio = ratio
            let channel = try Channel(
                server.target, credentials: .insecure, arguments: arguments)
            let call = channel.unaryCall(HostileTrial.echo, [1])
            #expect(try await call.status.value.code == code ?? .ok)
        }
    }
}
