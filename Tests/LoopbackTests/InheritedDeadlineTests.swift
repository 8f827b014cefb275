import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Testing

@testable import SwiftletCore

/// A resolver that makes a call to find its servers.
private final class CallingResolver: Resolver {
    private let address: ServerAddress
    private let call: @Sendable () -> Void

    init(_ address: ServerAddress, _ call: @escaping @Sendable () -> Void) {
        (self.address, self.call) = (address, call)
    }

    func start(_ results: ResolverResults) {
        Task { [address, call] in
            call()
            results.report(ResolverResult(endpoints: .success([Endpoint([address])])))
        }
    }

    func requestResolution() {}
    func stop() {}
}

@Suite("The deadline around calls", .timeLimit(.minutes(5)))
struct InheritedDeadlineTests {
    private static let sayHello = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayHello", .unary)
    private static let sayOften = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayOften", .serverStreaming)

    private let server: LoopbackServer
    private let channel: Channel

    /// Its server answers with the seconds that a call has left.
    init() throws {
        server = try LoopbackServer { server in
            @Sendable func left(_ context: ServerContext) -> HelloReply {
                HelloReply(
                    message: context.deadline.remaining.map { "\($0.components.seconds)" } ?? "none"
                )
            }
            server.unary(Self.sayHello) { _, context in left(context) }
            server.serverStreaming(Self.sayOften) { _, replies, context in
                try await replies.write(left(context))
            }
        }
        channel = try Channel(server.target, credentials: .insecure)
    }

    /// The seconds that the server saw; nil for none.
    private func seconds(_ reply: HelloReply) -> Int? { Int(reply.message) }

    private func call() async throws -> Int? {
        seconds(try await channel.unary(Self.sayHello, HelloRequest()))
    }

    @Test("bounds each style of call")
    func styles() async throws {
        let deadline = Deadline.after(.seconds(900))
        try await withDeadline(deadline) {
            var seen = [try await call()]
            let stream = try await channel.serverStreaming(Self.sayOften, HelloRequest())
            for try await reply in stream { seen.append(seconds(reply)) }
            seen.append(
                try await withCheckedThrowingContinuation { continuation in
                    do throws(RPCError) {
                        try channel.startUnary(Self.sayHello, HelloRequest()) { result in
                            continuation.resume(with: result.map { seconds($0.message) })
                        }
                    } catch {
                        continuation.resume(throwing: error)
                    }
                })
            let future = channel.unaryCall(Self.sayHello, HelloRequest())
            seen.append(seconds(try await future.response.value))
            let written = Call(
                channel, Self.sayHello, requests: SequenceWriter(value: HelloRequest()))
            let sink = Sink<HelloReply>()
            try written.start(with: sink)
            await sink.waitForEnd()
            #expect(sink.all.last == "done" && sink.all.first?.contains("none") == false)
            for left in seen { #expect((1...900).contains(left ?? 0), "\(seen)") }
        }
        #expect(try await call() == nil)
    }

    @Test("bounds calls of a thread that is no task")
    func thread() async throws {
        let left: Int? = try await onThread {
            try withDeadline(.after(.seconds(900))) {
                seconds(try channel.blockingUnary(Self.sayHello, HelloRequest()).message)
            }
        }
        #expect((1...900).contains(left ?? 0))
    }

    @Test("gives way to an earlier one, of the call or inside")
    func earlier() async throws {
        try await withDeadline(.after(.seconds(900))) {
            let options = CallOptions.with { $0.timeout = .seconds(300) }
            let own = try await channel.unary(Self.sayHello, HelloRequest(), options: options)
            #expect((1...300).contains(seconds(own) ?? 0))
            let inside = try await withDeadline(.after(.seconds(300))) { try await call() }
            #expect((1...300).contains(inside ?? 0))
            let later = try await withDeadline(.after(.seconds(3_000))) { try await call() }
            #expect((1...900).contains(later ?? 0))
        }
    }

    @Test("does not bound a call that does not inherit it, or a detached task")
    func optOut() async throws {
        try await withDeadline(.after(.seconds(900))) {
            let options = CallOptions.with { $0.inheritsDeadline = false }
            let free = try await channel.unary(Self.sayHello, HelloRequest(), options: options)
            #expect(seconds(free) == nil)
            #expect(try await Task.detached { try await call() }.value == nil)
            #expect(try await Task { try await call() }.value != nil)
            async let child = call()
            #expect(try await child != nil)
        }
    }

    @Test("does not bound what a call begins for others: a token, and its channel's resolver")
    func shared() async throws {
        let (deadlines, deadline) = AsyncStream.makeStream(of: Deadline.self)
        let resolver = CallingResolver(try ServerAddress(server.target)) {
            deadline.yield(InheritedDeadline.local.get())
        }
        let channel = try Channel(OwnScheme.target { _ in resolver }, credentials: .insecure)
        let token = BearerToken(allowsInsecureConnections: true) {
            deadline.yield(InheritedDeadline.local.get())
            return BearerToken.Token("t")
        }
        try await withDeadline(.after(.seconds(900))) {
            _ = try await channel.unary(
                Self.sayHello, HelloRequest(), options: .with { $0.credentials = token })
        }
        var iterator = deadlines.makeAsyncIterator()
        for _ in 0..<2 { #expect(await iterator.next() == .never) }
    }

    @Test("that has passed ends a call before it is sent")
    func passed() async throws {
        await withDeadline(.after(.zero)) {
            let error = await #expect(throws: RPCError.self) { try await call() }
            #expect(error?.code == .deadlineExceeded)
            #expect(error?.mayHaveBeenExecuted == false)
        }
    }

    @Test("is passed on by a handler of the server")
    func passedOn() async throws {
        let front = try LoopbackServer { [channel] server in
            server.unary(Self.sayHello) { request, context in
                try await withDeadline(context.deadline) {
                    try await channel.unary(Self.sayHello, request)
                }
            }
        }
        let outer = try Channel(front.target, credentials: .insecure)
        let options = CallOptions.with { $0.timeout = .seconds(300) }
        let bounded = try await outer.unary(Self.sayHello, HelloRequest(), options: options)
        #expect((1...300).contains(seconds(bounded) ?? 0))
        #expect(seconds(try await outer.unary(Self.sayHello, HelloRequest())) == nil)
    }
}
