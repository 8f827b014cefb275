import Swiftlet
import SwiftletLoopback
import SwiftletObservation
import Synchronization
import Testing

@Suite("The spans of a call", .timeLimit(.minutes(5)))
struct TracingTests {
    private static let sayHello = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayHello", .unary)
    private static let sayOften = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayOften", .serverStreaming)

    /// Collects spans. The span of a call ends before its status is delivered, after those of its attempts.
    private final class Spans: Sendable {
        private let spans = Mutex<[RecordedSpan]>([])
        var all: [RecordedSpan] { spans.withLock { $0 } }
        var recorder: SpanRecorder { SpanRecorder { self.add($0) } }

        func add(_ span: RecordedSpan) { spans.withLock { $0.append(span) } }

        func named(_ prefix: String) -> [RecordedSpan] { all.filter { $0.name.hasPrefix(prefix) } }
    }

    private let spans = Spans()
    private let headers = Notes()
    private let servers = Servers()

    private func server() throws -> LoopbackServer {
        let failuresLeft = Atomic(2)
        return servers.keep(
            try LoopbackServer { [headers] server in
                server.unary(Self.sayHello) { request, context in
                    headers.add(context.metadata["traceparent"] ?? "none")
                    if request.name == "retried",
                        failuresLeft.subtract(1, ordering: .relaxed).oldValue > 0
                    {
                        throw RPCError(.unavailable, "not yet")
                    }
                    guard request.name != "nobody" else { throw RPCError(.notFound, "nobody here") }
                    return HelloReply(message: "Hello \(request.name)")
                }
                server.serverStreaming(Self.sayOften) { request, replies, _ in
                    for _ in 0..<3 { try await replies.write(HelloReply(message: request.name)) }
                }
            })
    }

    private func channel(
        to target: String? = nil, _ change: (inout ChannelArguments) -> Void = { _ in }
    ) throws -> Channel {
        var arguments = ChannelArguments()
        arguments.tracer = spans.recorder
        change(&arguments)
        return try Channel(
            try target ?? server().target, credentials: .insecure, arguments: arguments)
    }

    private func numbers(_ event: TraceEvent) -> [String: Int] {
        event.attributes.reduce(into: [:]) { numbers, attribute in
            if case .number(let number) = attribute.value { numbers[attribute.key] = number }
        }
    }

    @Test("are one for the call, and one for its attempt with its messages and its headers")
    func call() async throws {
        let channel = try channel()
        let parent = TraceParent()
        _ = try await parent.asCurrent {
            try await channel.unary(Self.sayHello, HelloRequest(name: "you"))
        }
        let call = try #require(spans.named("Sent.").first)
        let attempt = try #require(spans.named("Attempt.").first)
        #expect(spans.all.count == 2)
        #expect(call.name == "Sent.helloworld.Greeter.SayHello")
        #expect(call.context.traceID == parent.traceID && call.parentID == parent.spanID)
        #expect(
            attempt.context.traceID == parent.traceID && attempt.parentID == call.context.spanID)
        #expect(headers.all == [attempt.context.header])
        #expect(call.code == .ok && attempt.code == .ok)
        #expect(
            attempt.attributes == [
                TraceAttribute("previous-rpc-attempts", .number(0)),
                TraceAttribute("transparent-retry", .flag(false)),
            ])
        let messages = attempt.events.filter { $0.name.hasSuffix("message") }
        try #require(messages.map(\.name) == ["Outbound message", "Inbound message"])
        #expect(numbers(messages[0]) == ["sequence-number": 0, "message-size": 5])
        #expect(numbers(messages[1]) == ["sequence-number": 0, "message-size": 11])
        // The first call of a channel waits for its connection.
        #expect(attempt.events.contains { $0.name == "Delayed LB pick complete" })
        #expect(call.events.contains { $0.name == "Delayed name resolution complete" })
        #expect(
            call.attributes.contains(TraceAttribute("rpc.service", .text("helloworld.Greeter"))))
    }

    @Test("of an attempt begin when the name is resolved, which is an event of the call")
    func resolution() async throws {
        let (server, resolver, totals) = (try server(), PushedResolver(nil), MetricTotals())
        let channel = try channel(to: resolver.target()) { $0.metricSinks = [totals] }
        let running = Task {
            try await channel.unary(Self.sayHello, HelloRequest(name: "you"))
        }
        try await eventually { resolver.isStarted }
        let resolved = ContinuousClock.now
        #expect(!totals.prometheusText.contains("grpc_client_attempt_started_total{"))
        await resolver.push(ResolverResult([Endpoint([try ServerAddress(server.target)])]))
        _ = try await running.value
        #expect(totals.prometheusText.contains("grpc_client_attempt_started_total{"))
        let call = try #require(spans.named("Sent.").first)
        #expect(call.instant <= resolved)
        let event = try #require(call.events.first)
        #expect(call.events.count == 1 && event.name == "Delayed name resolution complete")
        #expect(event.instant >= resolved)
        #expect(try #require(spans.named("Attempt.").first).instant >= resolved)
    }

    @Test("begin so with a name and with addresses, and again after the channel was idle")
    func laterResolution() async throws {
        let target = try server().target
        let port = try #require(target.split(separator: ":").last)
        for target in [target, "localhost:\(port)"] {
            let channel = try channel(to: target) { $0.idleTimeout = .seconds(1) }
            for isIdle in [true, false, true] {
                if isIdle { try await eventually { channel.connectivity == .idle } }
                let response = try await channel.unaryResponse(
                    Self.sayHello, HelloRequest(name: "you"))
                let resolved = try #require(response.timeline?.resolved)
                let call = try #require(spans.named("Sent.").last)
                let events = call.events.filter { $0.name == "Delayed name resolution complete" }
                #expect(events.count == (isIdle ? 1 : 0))
                #expect(try #require(spans.named("Attempt.").last).instant >= resolved)
            }
        }
    }

    @Test("name the status of a call that fails")
    func failure() async throws {
        let channel = try channel()
        _ = try? await channel.unary(Self.sayHello, HelloRequest(name: "nobody"))
        #expect(spans.all.map(\.code) == [.notFound, .notFound])
        #expect(spans.all.allSatisfy { $0.message == "nobody here" })
    }

    @Test("are one for each attempt of a call that is retried, with a header of its own")
    func retries() async throws {
        let channel = try channel { arguments in
            var policy = RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable])
            policy.initialBackoff = .milliseconds(1)
            var config = ServiceConfig()
            config.methods = [MethodConfig([.all]) { $0.retry = policy }]
            arguments.serviceConfig = config
        }
        _ = try await channel.unary(Self.sayHello, HelloRequest(name: "retried"))
        let attempts = spans.named("Attempt.")
        #expect(attempts.map(\.code) == [.unavailable, .unavailable, .ok])
        #expect(headers.all == attempts.map(\.context.header))
        #expect(
            attempts.map { $0.attributes[0].value } == [.number(0), .number(1), .number(2)])
        #expect(Set(attempts.map(\.parentID)) == [spans.named("Sent.").first?.context.spanID])
    }

    @Test("count the messages of a stream, and say how small compression made them")
    func stream() async throws {
        let channel = try channel()
        let name = String(repeating: "a", count: 1_000)
        let options = CallOptions.with { $0.compression = .gzip }
        let replies = try await channel.serverStreaming(
            Self.sayOften, HelloRequest(name: name), options: options)
        for try await _ in replies {}
        let attempt = try #require(spans.named("Attempt.").first)
        let sent = attempt.events.filter { $0.name == "Outbound message" }.map(numbers)
        let received = attempt.events.filter { $0.name == "Inbound message" }.map(numbers)
        #expect(sent.count == 1 && sent[0]["message-size"] == 1_003)
        #expect((1..<200).contains(sent[0]["message-size-compressed"] ?? 0))
        #expect(received.map { $0["sequence-number"] } == [0, 1, 2])
        #expect(received.allSatisfy { $0["message-size"] == 1_003 })
    }

    @Test("keep the first events of a long stream, and count the others")
    func longStream() async throws {
        let channel = try channel { arguments in
            arguments.tracer = SpanRecorder(maxEventCount: 2) { [spans] in spans.add($0) }
        }
        let replies = try await channel.serverStreaming(Self.sayOften, HelloRequest(name: "you"))
        for try await _ in replies {}
        let attempt = try #require(spans.named("Attempt.").first)
        // The wait for a connection, the request, and three replies.
        #expect(attempt.events.count == 2)
        #expect(attempt.droppedEventCount == 3)
        // It is added last, and is earlier than the replies.
        #expect(attempt.events.contains { $0.name == "Delayed LB pick complete" })
        #expect(
            OpenTelemetryJSON.text(of: [attempt], service: "s").contains(#""droppedEventsCount":3"#)
        )
    }

    @Test("are not recorded below a parent that is not sampled, which the server is told")
    func unsampled() async throws {
        let channel = try channel()
        let parent = TraceParent(isSampled: false)
        _ = try await parent.asCurrent {
            try await channel.unary(Self.sayHello, HelloRequest(name: "you"))
        }
        #expect(spans.all.isEmpty)
        #expect(headers.all.count == 1 && headers.all[0].hasSuffix("-00"))
    }

    @Test("are made beside metrics, and of the process's tracer where a channel has none")
    func beside() async throws {
        let totals = MetricTotals()
        let channel = try channel { $0.metricSinks = [totals] }
        _ = try await channel.unary(Self.sayHello, HelloRequest(name: "you"))
        #expect(spans.all.count == 2)
        #expect(totals.prometheusText.contains("grpc_status=\"OK\""))
    }

    @Test("are OpenTelemetry's JSON with IDs in hexadecimal digits, and each character escaped")
    func json() async throws {
        let channel = try channel()
        _ = try? await channel.unary(Self.sayHello, HelloRequest(name: "nobody"))
        let span = try #require(spans.named("Sent.").first)
        let text = OpenTelemetryJSON.text(of: [span], service: "a \"b\" \\ \u{7}")
        #expect(text.contains(#""stringValue":"a \"b\" \\ \u0007""#))
        let id = span.context.header.split(separator: "-")[1]
        #expect(text.contains("\"traceId\":\"\(id)\""))
        #expect(text.contains(#""status":{"code":2,"message":"NOT_FOUND: nobody here"}"#))
        _ = try await channel.unary(Self.sayHello, HelloRequest(name: "you"))
        let last = try #require(spans.named("Sent.").last)
        #expect(
            OpenTelemetryJSON.text(of: [last], service: "s").contains(#""status":{"code":1}"#))
        #expect(!text.contains("\n"))
    }
}
