import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletObservation
import SwiftletStyles
import Synchronization
import Testing

private let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)

@Suite("A log of calls", .timeLimit(.minutes(5)))
struct CallLogTests {
    private final class Entries: Sendable {
        private let entries = Mutex<[LogEntry]>([])
        var all: [LogEntry] { entries.withLock { $0 } }
        func add(_ entry: LogEntry) { entries.withLock { $0.append(entry) } }

        /// The entries' levels and events.
        var summary: [String] { all.map { "\($0.level) \($0.event)" } }
    }

    private func server() throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(sayHello) { request, _ in
                if let code = Int(request.name) {
                    throw RPCError(StatusCode(rawValue: code), "as asked")
                }
                return HelloReply(message: request.name)
            }
        }
    }

    private func value(_ key: String, of entry: LogEntry?) -> TraceAttribute.Value? {
        entry?.fields.first { $0.key == key }?.value
    }

    @Test(
        "writes the entries of its level and above",
        arguments: [
            (
                .trace,
                [
                    "debug request headers", "trace request message", "debug response headers",
                    "trace response message", "debug trailers", "info call ended",
                ]
            ),
            (
                .debug,
                [
                    "debug request headers", "debug response headers", "debug trailers",
                    "info call ended",
                ]
            ),
            (.info, ["info call ended"]), (.warning, []), (.error, []),
        ] as [(LogEntry.Level, [String])])
    func levels(_ level: LogEntry.Level, _ expected: [String]) async throws {
        let entries = Entries()
        let log = CallLog(level) { entries.add($0) }
        let server = try server()
        let channel = try Channel(
            server.target, credentials: .insecure, interceptors: [.all(log.interceptor)])
        _ = try await channel.unary(sayHello, HelloRequest(name: "you"))
        #expect(entries.summary == expected)
    }

    @Test("gives an end the level of its code")
    func levelsOfEnds() async throws {
        let entries = Entries()
        let log = CallLog { entries.add($0) }
        let server = try server()
        let channel = try Channel(
            server.target, credentials: .insecure, interceptors: [.all(log.interceptor)])
        for code in 1...16 {
            _ = try? await channel.unary(sayHello, HelloRequest(name: "\(code)"))
        }
        let errors = [2, 4, 12, 13, 14, 15]
        let expected = (1...16).map { code -> LogEntry.Level in
            code == 1 ? .info : errors.contains(code) ? .error : .warning
        }
        #expect(entries.all.map(\.level) == expected)
    }

    @Test("gives values beside its text")
    func values() async throws {
        let entries = Entries()
        let log = CallLog(.trace, redacting: ["X-Key"]) { entries.add($0) }
        let server = try server()
        let channel = try Channel(
            server.target, credentials: .insecure, interceptors: [.all(log.interceptor)])
        let options = CallOptions.with { $0.metadata = ["x-key": "k3y", "x-open": "yes"] }
        _ = try? await channel.unary(sayHello, HelloRequest(name: "5"), options: options)
        let all = entries.all
        for entry in all {
            #expect(value("rpc.system", of: entry) == .text("grpc"))
            #expect(value("rpc.service", of: entry) == .text("helloworld.Greeter"))
            #expect(value("rpc.method", of: entry) == .text("SayHello"))
        }
        let headers = all.first { $0.event == "request headers" }
        #expect(value("rpc.grpc.request.metadata.x-open", of: headers) == .text("yes"))
        #expect(value("rpc.grpc.request.metadata.x-key", of: headers) == .text("(hidden)"))
        let message = all.first { $0.event == "request message" }
        #expect(value("byte_count", of: message) == .number(3))
        let end = all.last
        #expect(end?.event == "call ended")
        #expect(value("rpc.grpc.status_code", of: end) == .number(5))
        #expect(value("network.peer.address", of: end) == .text(server.target))
        #expect(value("sent_bytes", of: end) == .number(8))
        #expect(value("streams", of: end) == .number(1))
        guard case .number(let duration) = value("duration_us", of: end) else {
            Issue.record("an end without a duration")
            return
        }
        #expect(duration >= 0)
        #expect(value("error", of: end)?.description.hasPrefix("NOT_FOUND: as asked") == true)
    }

    /// The two ends of one call.
    private final class Ends: Sendable {
        let below = Mutex<InterceptedCall?>(nil)
        let above = Mutex<WritingCall<HelloRequest>?>(nil)
    }

    /// Keeps its call, with which a test ends it.
    private final class Kept: Interceptor {
        private let ends: Ends
        init(_ ends: Ends) { self.ends = ends }

        func start(_ options: CallOptions, _ call: InterceptedCall) {
            ends.below.withLock { $0 = call }
            call.start(options)
        }
    }

    @Test("has one entry for the end of a call that is cancelled while its end is on the way")
    func cancelledAtTheEnd() async throws {
        let entries = Entries()
        let both = Ends()
        let log = CallLog(.trace) { entry in
            entries.add(entry)
            guard entry.event == "request message" else { return }
            // Both wait until the interceptor has passed the message on.
            both.below.withLock { $0 }?.close(CallEnd(error: RPCError(.notFound, "nobody")))
            both.above.withLock { $0.take() }?.cancel()
        }
        let fake = try FakeChannel(interceptors: [
            .all(log.interceptor), .all(InterceptorFactory("kept") { _ in Kept(both) }),
        ])
        let method = Method<HelloRequest, HelloReply>("/t.T/Talk", .bidirectional)
        _ = fake.respond(to: method)
        let (ends, end) = AsyncStream.makeStream(of: RPCError.self)
        let call = fake.channel.startBidirectional(
            method,
            handlers: ResponseHandlers(
                message: { _ in },
                end: { if case .failure(let error) = $0 { end.yield(error) } }))
        both.above.withLock { $0 = call }
        try call.write(HelloRequest(name: "you"))
        var iterator = ends.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        #expect(entries.summary.filter { $0.hasSuffix("call ended") } == ["warning call ended"])
    }

    @Test("writes the events of a channel until its shutdown, and does not keep it")
    func channelEvents() async throws {
        let entries = Entries()
        let log = CallLog(.debug) { entries.add($0) }
        let server = try server()
        weak var released: Channel?
        let writing: Task<Void, Never>
        do {
            let channel = try Channel(server.target, credentials: .insecure)
            released = channel
            writing = log.follow(channel)
            _ = try await channel.unary(sayHello, HelloRequest(name: "you"))
        }
        await writing.value
        #expect(released == nil)
        let all = entries.all
        #expect(all.allSatisfy { value("server.address", of: $0) == .text(server.target) })
        let states = all.filter { $0.event == "connectivity" }.map { value("state", of: $0) }
        #expect(states.contains(.text("READY")))
        #expect(states.last == .text("SHUTDOWN"))
        let opened = all.first { $0.event == "connectionOpened" }
        #expect(opened?.level == .info)
        #expect(value("network.peer.address", of: opened) == .text(server.target))
        #expect(opened?.description.hasPrefix("\(server.target): subchannel ") == true)
    }

    @Test("warns of a channel's failures")
    func channelFailures() async throws {
        let entries = Entries()
        let log = CallLog(.warning) { entries.add($0) }
        let channel = try Channel("unix:/nowhere/at/all", credentials: .insecure)
        let writing = log.follow(channel)
        _ = try? await channel.unary(sayHello, HelloRequest())
        await channel.close()
        await writing.value
        let all = entries.all
        #expect(all.contains { $0.event == "subchannel" && value("error", of: $0) != nil })
        #expect(all.allSatisfy { $0.level == .warning })
    }
}
