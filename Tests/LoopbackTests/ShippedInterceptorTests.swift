import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletObservation
import Synchronization
import Testing

private let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)

@Suite("A shipped interceptor", .timeLimit(.minutes(5)))
struct ShippedInterceptorTests {
    private let servers = Servers()

    private func channel(
        _ interceptors: [ChannelInterceptor],
        handle: @escaping @Sendable (HelloRequest, ServerContext) async throws -> HelloReply = {
            request, _ in HelloReply(message: "Hello \(request.name)")
        }
    ) throws -> (LoopbackServer, Channel) {
        let server = servers.keep(try LoopbackServer { $0.unary(sayHello, handle) })
        return (
            server, try Channel(server.target, credentials: .insecure, interceptors: interceptors)
        )
    }

    @Test("logs no control characters of a server, and no value of a header that may be secret")
    func hostileLogging() async throws {
        let lines = Notes()
        let log = CallLog(.debug) { lines.add("\($0) \($0.fields)") }
        let peer = try RawPeer(
            RawScript { connection, stream in
                try connection.headers(
                    stream,
                    RawConnection.responseFields + [
                        ("x-red", "\u{1b}[31mred\u{9b}0m"), ("x-session-token", "t0ken"),
                        ("x-blob-bin", "c2VjcmV0"), ("set-cookie", "c00kie"),
                    ])
                try connection.trailers(stream, status: "7", [("grpc-message", "\u{1b}[2Jcleared")])
            })
        peer.conduct = .misbehave
        let channel = try Channel(
            peer.target, credentials: .insecure, interceptors: [.all(log.interceptor)])
        _ = try? await channel.unary(sayHello, .init(name: "you"))
        let text = lines.all.joined()
        #expect(text.contains("red") && text.contains("cleared"))
        #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        for secret in ["t0ken", "c2VjcmV0", "c00kie"] { #expect(!text.contains(secret)) }
    }

    @Test("logs a line for each call, and no secrets")
    func logging() async throws {
        let lines = Notes()
        let log = CallLog(.trace, redacting: ["X-Key"]) { lines.add("\($0)") }
        let (server, channel) = try channel([.all(log.interceptor)]) { request, _ in
            guard request.name != "nobody" else { throw RPCError(.notFound, "nobody here") }
            return HelloReply(message: request.name)
        }
        let options = CallOptions.with {
            $0.metadata = ["authorization": "Bearer s3cret", "x-key": "k3y", "x-open": "yes"]
        }
        _ = try await channel.unary(sayHello, .init(name: "you"), options: options)
        _ = try? await channel.unary(sayHello, .init(name: "nobody"))
        let text = lines.all.joined(separator: "\n")
        #expect(!text.contains("s3cret") && !text.contains("k3y"))
        #expect(text.contains("authorization: (hidden)") && text.contains("x-open: yes"))
        #expect(lines.all.contains { $0.hasPrefix("\(sayHello.path) OK in ") })
        #expect(lines.all.contains { $0.contains(server.target) })
        #expect(
            lines.all.contains { $0.hasPrefix("\(sayHello.path) NOT_FOUND: nobody here") })
        #expect(lines.all.contains("\(sayHello.path) → message of 5 bytes"))
    }

    @Test("sets a deadline for calls that have none")
    func defaultDeadline() async throws {
        let deadlines = Mutex<[Duration]>([])
        let (_, channel) = try channel([.all(.defaultDeadline(.seconds(1_000)))]) { _, context in
            deadlines.withLock { $0.append(context.deadline.remaining ?? .zero) }
            return HelloReply()
        }
        _ = try await channel.unary(sayHello, .init())
        _ = try await channel.unary(sayHello, .init(), options: .with { $0.timeout = .seconds(60) })
        let seen = deadlines.withLock { $0 }
        #expect(seen[0] > .seconds(900) && seen[0] <= .seconds(1_000))
        #expect(seen[1] > .zero && seen[1] <= .seconds(60))
    }

    @Test("adds headers")
    func headers() async throws {
        let (_, channel) = try channel([.all(.headers(["x-tenant": "7"]))]) { _, context in
            HelloReply(message: context.metadata["x-tenant"] ?? "none")
        }
        #expect(try await channel.unary(sayHello, .init()).message == "7")
    }

    @Test("sends a trace to the server, with a span for each call")
    func tracing() async throws {
        let parent = TraceParent(
            traceID: Array(1...16), spanID: Array(1...8), isSampled: true)
        let events = Notes()
        let tracing = TracePropagation(
            current: { parent },
            started: { span, call in events.add("start \(call.methodName) \(span.header)") },
            ended: { span, _, error in events.add("end \(error?.code ?? .ok) \(span.header)") })
        let (_, channel) = try channel([.all(tracing.interceptor)]) { _, context in
            HelloReply(message: context.metadata["traceparent"] ?? "none")
        }
        let header = try await channel.unary(sayHello, .init()).message
        let span = try #require(TraceParent(header))
        #expect(span.traceID == parent.traceID)
        #expect(span.spanID != parent.spanID)
        #expect(span.isSampled)
        #expect(events.all == ["start SayHello \(header)", "end OK \(header)"])
    }

    @Test("reads trace headers according to the specification")
    func traceParents() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        #expect(TraceParent(good)?.header == good)
        #expect(TraceParent("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x") != nil)
        for bad in [
            "", "00", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "00-4bf92f3577b34da6a3ce929d0e0e47-00f067aa0ba902b7-01",
        ] {
            #expect(TraceParent(bad) == nil, "\(bad)")
        }
    }

    @Test("sends a call once more with a fresh token, and fetches it once for all")
    func tokenRefresh() async throws {
        let fetches = Atomic(0)
        let token = BearerToken(allowsInsecureConnections: true) {
            BearerToken.Token("t\(fetches.wrappingAdd(1, ordering: .relaxed).newValue)")
        }
        let refused = Notes()
        let (_, channel) = try channel([.all(.refreshing(token))]) { request, context in
            let value = context.metadata["authorization"] ?? "none"
            guard value != "Bearer t1" else {
                refused.add(value)
                throw RPCError(.unauthenticated, "expired")
            }
            return HelloReply(message: "\(request.name) \(value)")
        }
        #expect(try await channel.unary(sayHello, .init(name: "a")).message == "a Bearer t2")
        #expect(try await channel.unary(sayHello, .init(name: "b")).message == "b Bearer t2")
        #expect(refused.all.count == 1)
        #expect(fetches.load(ordering: .relaxed) == 2)
    }

    @Test("gets a fresh token after a call that was too large to be sent again")
    func tokenRefreshAfterLargeCall() async throws {
        let fetches = Atomic(0)
        let token = BearerToken(allowsInsecureConnections: true) {
            BearerToken.Token("t\(fetches.wrappingAdd(1, ordering: .relaxed).newValue)")
        }
        let (_, channel) = try channel([.all(.refreshing(token))]) { _, context in
            guard context.metadata["authorization"] != "Bearer t1" else {
                throw RPCError(.unauthenticated, "expired")
            }
            return HelloReply(message: "ok")
        }
        let large = HelloRequest(name: String(repeating: "x", count: 300 << 10))
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(sayHello, large)
        }
        #expect(error?.code == .unauthenticated)
        #expect(try await channel.unary(sayHello, large).message == "ok")
        #expect(fetches.load(ordering: .relaxed) == 2)
    }

    @Test("reports each message as written once, even if it is sent again with a fresh token")
    func tokenRefreshOfStream() async throws {
        let server = try LoopbackServer { server in
            server.clientStreaming(RetryTests.collect) { requests, context in
                var all: [UInt8] = []
                for try await request in requests { all += request }
                guard context.metadata["authorization"] != "Bearer t1" else {
                    throw RPCError(.unauthenticated, "expired")
                }
                return all
            }
        }
        let fetches = Atomic(0)
        let token = BearerToken(allowsInsecureConnections: true) {
            BearerToken.Token("t\(fetches.wrappingAdd(1, ordering: .relaxed).newValue)")
        }
        let reportCount = Atomic(0)
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: [
                .all(
                    RetryStreamTests.writeCounter { reportCount.wrappingAdd(1, ordering: .relaxed) }
                ),
                .all(.refreshing(token)),
            ])
        let reply = try await channel.clientStreaming(RetryTests.collect) { writer in
            for byte: UInt8 in 0..<20 { try await writer.write([byte]) }
        }
        #expect(reply == Array(0..<20))
        #expect(fetches.load(ordering: .relaxed) == 2)
        // The answer may arrive before the last reports.
        #expect(1...20 ~= reportCount.load(ordering: .relaxed))
    }

    @Test("distinguishes a call whose deadline passed from a cancelled one")
    func countsDeadlines() async throws {
        let totals = MetricTotals([.callDuration])
        let token = BearerToken(allowsInsecureConnections: true) {
            try await Task.sleep(for: .seconds(3_600))
            return BearerToken.Token("t")
        }
        var arguments = ChannelArguments()
        arguments.metricSinks = [totals]
        let server = try LoopbackServer { server in
            server.unary(sayHello) { _, _ in HelloReply() }
        }
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(
                sayHello, .init(name: "a"),
                options: .with {
                    $0.credentials = token
                    $0.timeout = .milliseconds(20)
                })
        }
        #expect(error?.code == .deadlineExceeded)
        let statuses = totals[.callDuration].map { ($0.key[2].value, $0.value.count) }
        #expect(statuses.map(\.0) == ["DEADLINE_EXCEEDED"])
        #expect(statuses.map(\.1) == [1])
    }

    @Test("sends a call no third time")
    func tokenRefusedTwice() async throws {
        let calls = Atomic(0)
        let (_, channel) = try channel([
            .all(.refreshing(BearerToken("bad", allowsInsecureConnections: true)))
        ]) { _, _ in
            calls.wrappingAdd(1, ordering: .relaxed)
            throw RPCError(.unauthenticated, "no")
        }
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(sayHello, HelloRequest())
        }
        #expect(error?.code == .unauthenticated)
        #expect(calls.load(ordering: .relaxed) == 2)
    }

    private final class Politeness: TypedInterceptor {
        func write(_ request: HelloRequest, _ call: TypedCall<HelloRequest, HelloReply>) {
            call.write(HelloRequest(name: "dear \(request.name)"))
        }
        func receive(_ reply: HelloReply, _ call: TypedCall<HelloRequest, HelloReply>) {
            call.deliver(HelloReply(message: reply.message + "!"))
        }
    }

    @Test("of the program may read messages as values")
    func typed() async throws {
        let polite = InterceptorFactory.typed("politeness", sayHello) { Politeness() }
        let (_, channel) = try channel([.all(polite)])
        let reply = try await channel.unary(sayHello, .init(name: "you"))
        #expect(reply.message == "Hello dear you!")
    }
}
