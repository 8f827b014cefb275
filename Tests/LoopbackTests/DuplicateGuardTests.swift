import Swiftlet
import SwiftletInterceptors
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletObservation
import SwiftletStyles
import Testing

@testable import SwiftletCore

private let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)

@Suite("A duplicate guard", .timeLimit(.minutes(5)))
struct DuplicateGuardTests {
    private let servers = Servers()

    private func greeter(
        _ guarding: DuplicateGuard, _ gate: Gate
    ) throws -> (LoopbackServer, Channel) {
        let server = servers.keep(
            try LoopbackServer { server in
                server.unary(sayHello) { request, _ in
                    await gate.pass(request.name)
                    return HelloReply(message: "Hello \(request.name)")
                }
            })
        return (
            server,
            try Channel(
                server.target, credentials: .insecure, interceptors: [.all(guarding.interceptor)])
        )
    }

    @Test("refuses only the second of two equal requests")
    func refusing() async throws {
        let (gate, guarding) = (Gate(), DuplicateGuard(.refuse(message: "again?")))
        let (_, channel) = try greeter(guarding, gate)
        var arrivals = gate.arrivals.makeAsyncIterator()
        async let first = channel.unary(sayHello, .init(name: "a"))
        #expect(await arrivals.next() == "a")
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(sayHello, HelloRequest(name: "a"))
        }
        #expect(error?.code == .cancelled)
        #expect(error?.message == "again?")
        async let other = channel.unary(sayHello, .init(name: "b"))
        #expect(await arrivals.next() == "b")
        async let owned = channel.unary(
            sayHello, .init(name: "a"), options: .with { $0.metadata = ["x-tenant": "other"] })
        #expect(await arrivals.next() == "a")
        gate.open()
        #expect(try await first.message == "Hello a")
        #expect(try await other.message == "Hello b")
        #expect(try await owned.message == "Hello a")
        #expect(guarding.runningCount == 0)
    }

    @Test("of a call's options refuses equal requests, unless interceptors of the call follow it")
    func callInterceptors() async throws {
        let (gate, guarding) = (Gate(), DuplicateGuard(.refuse(message: "again?")))
        let (_, channel) = try greeter(DuplicateGuard(.allow), gate)
        var arrivals = gate.arrivals.makeAsyncIterator()
        let header = InterceptorFactory.headers(["x-tenant": "a"])
        let guardLast = CallOptions.with { $0.interceptors = [header, guarding.interceptor] }
        let guardFirst = CallOptions.with { $0.interceptors = [guarding.interceptor, header] }
        async let first = channel.unary(sayHello, .init(name: "a"), options: guardLast)
        #expect(await arrivals.next() == "a")
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(sayHello, .init(name: "a"), options: guardLast)
        }
        #expect(error?.message == "again?")
        async let second = channel.unary(sayHello, .init(name: "b"), options: guardFirst)
        async let third = channel.unary(sayHello, .init(name: "b"), options: guardFirst)
        #expect(await arrivals.next() == "b")
        #expect(await arrivals.next() == "b")
        gate.open()
        #expect(try await first.message == "Hello a")
        #expect(try await second.message == "Hello b")
        #expect(try await third.message == "Hello b")
    }

    @Test("lets the second join the first and share its answer")
    func joining() async throws {
        let (gate, guarding) = (Gate(), DuplicateGuard(.join))
        let (_, channel) = try greeter(guarding, gate)
        var arrivals = gate.arrivals.makeAsyncIterator()
        let first = Task { try await channel.unary(sayHello, .init(name: "a")) }
        #expect(await arrivals.next() == "a")
        // With handlers, because a call has joined the first one when `startUnary` returns.
        let (answers, continuation) = AsyncStream.makeStream(of: String.self)
        for _ in 0..<5 {
            try channel.startUnary(sayHello, HelloRequest(name: "a")) { result in
                continuation.yield((try? result.get().message.message) ?? "failed")
            }
        }
        gate.open()
        #expect(try await first.value.message == "Hello a")
        var count = 0
        for await answer in answers {
            #expect(answer == "Hello a")
            count += 1
            if count == 5 { break }
        }
        #expect(gate.arrivalCount == 1)
        #expect(guarding.runningCount == 0)
    }

    private final class Reroute: Interceptor {
        let path: String
        init(_ path: String) { self.path = path }
        func start(_ options: CallOptions, _ call: InterceptedCall) {
            call.start(options, path: path)
        }
    }

    @Test("does not join requests that an earlier interceptor sends to different paths")
    func changedPaths() async throws {
        let gate = Gate()
        let names = ["A", "B"]
        let methods = try names.map { name in
            try Method<[UInt8], [UInt8]>(
                path: "/t.T/\(name)", .unary, request: .bytes, reply: .bytes)
        }
        let server = servers.keep(
            try LoopbackServer { server in
                for (name, method) in zip(names, methods) {
                    server.unary(method) { _, _ in
                        await gate.pass(name)
                        return Array(name.utf8)
                    }
                }
            })
        let callCount = Counter()
        let route = InterceptorFactory("route") { _ in
            callCount.add()
            return Reroute("/t.T/\(names[callCount.count - 1])")
        }
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [.all(route), .all(DuplicateGuard(.join).interceptor)])
        let method = Method<[UInt8], [UInt8]>(
            "/t.T/Any", .unary, request: .bytes, reply: .bytes)
        var arrivals = gate.arrivals.makeAsyncIterator()
        let first = Task { try await channel.unary(method, [1]) }
        #expect(await arrivals.next() == "A")
        let second = Task { try await channel.unary(method, [1]) }
        #expect(await arrivals.next() == "B")
        gate.open()
        #expect(try await first.value == Array("A".utf8))
        #expect(try await second.value == Array("B".utf8))
    }

    private final class OtherAuthority: Interceptor {
        let authority: String
        init(_ authority: String) { self.authority = authority }
        func start(_ options: CallOptions, _ call: InterceptedCall) {
            var options = options
            options.authority = authority
            call.start(options)
        }
    }

    @Test("does not join requests that an earlier interceptor sends to different authorities")
    func changedAuthorities() async throws {
        let gate = Gate()
        let server = servers.keep(
            try LoopbackServer { server in
                server.unary(HostileTrial.echo) { request, _ in
                    await gate.pass("arrived")
                    return request
                }
            })
        let callCount = Counter()
        let tenant = InterceptorFactory("tenant") { _ in
            callCount.add()
            return OtherAuthority("tenant-\(callCount.count).test")
        }
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [.all(tenant), .all(DuplicateGuard(.join).interceptor)])
        var arrivals = gate.arrivals.makeAsyncIterator()
        let first = Task { try await channel.unary(HostileTrial.echo, [1]) }
        #expect(await arrivals.next() == "arrived")
        let second = Task { try await channel.unary(HostileTrial.echo, [1]) }
        #expect(await arrivals.next() == "arrived")
        gate.open()
        #expect(try await first.value == [1])
        #expect(try await second.value == [1])
    }

    @Test("sends both of two equal calls with a stream of responses, of which each reads its own")
    func streams() async throws {
        let fake = try FakeChannel(interceptors: [.all(DuplicateGuard(.join).interceptor)])
        let count = Method<[UInt8], [UInt8]>(
            "/t.T/Count", .serverStreaming, request: .bytes, reply: .bytes)
        let numbers: [UInt8] = [1, 2]
        let answers = numbers.map { _ in fake.respond(to: count) }
        let streams = [
            try await fake.channel.serverStreaming(count, [0]),
            try await fake.channel.serverStreaming(count, [0]),
        ]
        for (number, answer) in zip(numbers, answers) {
            try answer.sendMessage([number])
            try answer.sendEnd()
        }
        for (number, stream) in zip(numbers, streams) {
            for try await message in stream { #expect(message == [number]) }
        }
    }

    @Test("does not join plain requests that accept or contain different types")
    func contentTypes() async throws {
        let gate = Gate()
        let server = servers.keep(
            try LoopbackServer { server in
                server.http("/x") { request in
                    await gate.pass()
                    return HTTPReply(contentType: "text/plain", body: request.body)
                }
            })
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [.all(DuplicateGuard(.join).interceptor)])
        var arrivals = gate.arrivals.makeAsyncIterator()
        var requests: [Task<HTTPAnswer, any Error>] = []
        for (contentType, accept) in [("a/a", "a/a"), ("a/a", "b/b"), ("b/b", "a/a")] {
            requests.append(
                Task {
                    try await channel.request(
                        .post, "/x", contentType: contentType, accept: accept, body: [1])
                })
            _ = await arrivals.next()
        }
        #expect(gate.arrivalCount == 3)
        gate.open()
        for request in requests { #expect(try await request.value.status == 200) }
    }

    @Test("continues for joined calls when the first is cancelled, and ends with the last")
    func leaving() async throws {
        let fake = try FakeChannel(interceptors: [.all(DuplicateGuard(.join).interceptor)])
        let response = fake.respond(to: sayHello)
        let channel = fake.channel
        let (answers, continuation) = AsyncStream.makeStream(of: Result<String, RPCError>.self)
        let one = try channel.startUnary(sayHello, HelloRequest(name: "a")) {
            continuation.yield($0.map(\.message.message))
        }
        let two = try channel.startUnary(sayHello, HelloRequest(name: "a")) {
            continuation.yield($0.map(\.message.message))
        }
        var results = answers.makeAsyncIterator()
        one.cancel()
        let left = await results.next()
        let error = #expect(throws: RPCError.self) { try left?.get() }
        #expect(error?.code == .cancelled)
        try response.sendMessage(HelloReply(message: "still here"))
        #expect(try await results.next()?.get() == "still here")
        _ = two
    }

    /// Holds its call until the test releases it, and sends the call again if it fails once.
    private final class Patient: Interceptor {
        struct Steps: Sendable {
            let hasCall = AsyncStream.makeStream(of: InterceptedCall.self)
            let hasFailed = AsyncStream.makeStream(of: InterceptedCall.self)
        }

        private let steps: Steps
        private var options = CallOptions()
        private var request: RawMessage?
        private var hasFailed = false

        init(_ steps: Steps) { self.steps = steps }

        func start(_ options: CallOptions, _ call: InterceptedCall) {
            self.options = options
            call.holdRequests()
            steps.hasCall.continuation.yield(call)
        }

        func write(_ message: RawMessage, _ call: InterceptedCall) {
            request = message
            call.write(message)
        }

        func close(_ end: CallEnd, _ call: InterceptedCall) {
            guard end.error != nil, !hasFailed else { return call.close(end) }
            hasFailed = true
            steps.hasFailed.continuation.yield(call)
        }

        func proceed(_ call: InterceptedCall) {
            call.start(options)
            call.releaseRequests()
        }

        func sendAgain(_ call: InterceptedCall) {
            call.restart()
            call.start(options)
            if let request { call.write(request) }
            call.finish()
            call.receiveNext()
        }
    }

    @Test(
        "continues for joined calls when the first is cancelled before the network is reached, or between two attempts",
        arguments: [true, false])
    func leavingEarly(isBeforeStart: Bool) async throws {
        let steps = Patient.Steps()
        let fake = try FakeChannel(interceptors: [
            .all(DuplicateGuard(.join).interceptor),
            .all(InterceptorFactory("patient") { _ in Patient(steps) }),
        ])
        let (answers, continuation) = AsyncStream.makeStream(of: Result<String, RPCError>.self)
        let calls = try (0..<2).map { _ in
            try fake.channel.startUnary(sayHello, HelloRequest(name: "a")) {
                continuation.yield($0.map(\.message.message))
            }
        }
        var results = answers.makeAsyncIterator()
        var holding = steps.hasCall.stream.makeAsyncIterator()
        let held = try #require(await holding.next())
        if isBeforeStart { calls[0].cancel() }
        let failing = fake.respond(to: sayHello)
        held.perform(as: Patient.self) { $0.proceed($1) }
        try failing.sendError(RPCError(.unavailable, "once"))
        var failures = steps.hasFailed.stream.makeAsyncIterator()
        let failed = try #require(await failures.next())
        if !isBeforeStart { calls[0].cancel() }
        let left = await results.next()
        #expect(throws: RPCError.self) { try left?.get() }
        let response = fake.respond(to: sayHello)
        failed.perform(as: Patient.self) { $0.sendAgain($1) }
        try response.sendMessage(HelloReply(message: "still here"))
        #expect(try await results.next()?.get() == "still here")
    }

    @Test(
        "ends joined calls with the deadline of the first, also if that was cancelled before, and the network was not reached",
        arguments: [false, true])
    func lateBeforeTheNetwork(cancels: Bool) async throws {
        let steps = Patient.Steps()
        let fake = try FakeChannel(interceptors: [
            .all(DuplicateGuard(.join).interceptor),
            .all(InterceptorFactory("patient") { _ in Patient(steps) }),
        ])
        let (ends, end) = AsyncStream.makeStream(of: StatusCode?.self)
        let timeout = Duration.milliseconds(cancels ? 1_000 : 20)
        let calls = try [CallOptions.with { $0.timeout = timeout }, CallOptions()].map { options in
            try fake.channel.startUnary(sayHello, HelloRequest(name: "a"), options: options) {
                if case .failure(let error) = $0 { end.yield(error.code) } else { end.yield(nil) }
            }
        }
        if cancels { calls[0].cancel() }
        var codes = ends.makeAsyncIterator()
        #expect(await codes.next() == (cancels ? .cancelled : .deadlineExceeded))
        #expect(await codes.next() == .deadlineExceeded)
    }

    @Test(
        "ends joined calls with a deadline that another interceptor has set",
        arguments: [false, true])
    func deadlineOfInterceptor(isAbove: Bool) async throws {
        let steps = Patient.Steps()
        let hurrying = InterceptorFactory.options("hurrying") { options, _ in
            options.timeout = .milliseconds(20)
        }
        let guarding = DuplicateGuard(.join).interceptor
        let patient = InterceptorFactory("patient") { _ in Patient(steps) }
        let fake = try FakeChannel(
            interceptors: (isAbove
                ? [hurrying, guarding, patient] : [guarding, hurrying, patient])
                .map { .all($0) })
        let (ends, end) = AsyncStream.makeStream(of: StatusCode?.self)
        for _ in 0..<2 {
            try fake.channel.startUnary(sayHello, HelloRequest(name: "a")) {
                if case .failure(let error) = $0 { end.yield(error.code) } else { end.yield(nil) }
            }
        }
        var codes = ends.makeAsyncIterator()
        for _ in 0..<2 { #expect(await codes.next() == .deadlineExceeded) }
    }

    @Test("tells joined callers, too, that the server may have executed the request")
    func sharedFailure() async throws {
        let gate = Gate()
        let server = servers.keep(
            try LoopbackServer { server in
                server.unary(sayHello) { request, _ in
                    await gate.pass(request.name)
                    throw RPCError(.internal, "broken")
                }
            })
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [.all(DuplicateGuard(.join).interceptor)])
        let (errors, error) = AsyncStream.makeStream(of: RPCError?.self)
        for _ in 0..<2 {
            try channel.startUnary(sayHello, HelloRequest(name: "a")) { result in
                if case .failure(let failure) = result {
                    error.yield(failure)
                } else {
                    error.yield(nil)
                }
            }
        }
        var arrivals = gate.arrivals.makeAsyncIterator()
        #expect(await arrivals.next() == "a")
        gate.open()
        var iterator = errors.makeAsyncIterator()
        for _ in 0..<2 {
            let failure = try #require(await iterator.next() ?? nil)
            #expect(failure.message == "broken")
            #expect(failure.mayHaveBeenExecuted)
        }
        #expect(gate.arrivalCount == 1)
    }

    @Test("releases the channel of a joined call that was cancelled, and the call itself")
    func releasedAfterLeaving() async throws {
        weak var channel: Channel?
        weak var chain: AnyObject?
        do {
            let fake = try FakeChannel(interceptors: [.all(DuplicateGuard(.join).interceptor)])
            let response = fake.respond(to: sayHello)
            channel = fake.channel
            let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
            let calls = try (0..<2).map { _ in
                try fake.channel.startUnary(sayHello, HelloRequest(name: "a")) {
                    answer.yield((try? $0.get()) != nil)
                }
            }
            chain = calls[1].call
            calls[1].cancel()
            var results = answers.makeAsyncIterator()
            #expect(await results.next() == false)
            try response.sendMessage(HelloReply(message: "still here"))
            #expect(await results.next() == true)
        }
        try await eventually { channel == nil && chain == nil }
    }

    @Test(
        "delivers the response to a call that requested it before the end of its request",
        arguments: [true, false])
    func earlyDemand(hasMessage: Bool) async throws {
        let peer = try RawPeer(.correct)
        let guarding = DuplicateGuard(.refuse(message: "again?"))
        let channel = try Channel(
            peer.target, credentials: .insecure, interceptors: [.all(guarding.interceptor)])
        let observer = SingleResponse()
        let call = channel.makeCall(
            HostileTrial.echo.signature, CallOptions(), observer: observer)
        call.start()
        call.receiveNext()
        if hasMessage { call.write(EncodedMessage(prefixing: [1]), andFinish: false) }
        call.finish()
        var response = await Resumption<RawResponse>.wait { resumption in
            observer.expect(for: resumption)
        }
        #expect(try response.takeBytes(of: nil) == RawPeer.replyBody)
    }

    @Test("cancels the first call when a second one is made")
    func replacing() async throws {
        let (gate, guarding) = (Gate(), DuplicateGuard(.cancelPrevious))
        let (_, channel) = try greeter(guarding, gate)
        var arrivals = gate.arrivals.makeAsyncIterator()
        let first = Task { try await channel.unary(sayHello, .init(name: "a")) }
        #expect(await arrivals.next() == "a")
        let second = Task { try await channel.unary(sayHello, .init(name: "a")) }
        let error = await #expect(throws: RPCError.self) { try await first.value }
        #expect(error?.code == .cancelled)
        #expect(await arrivals.next() == "a")
        gate.open()
        #expect(try await second.value.message == "Hello a")
        #expect(guarding.runningCount == 0)
    }
}
