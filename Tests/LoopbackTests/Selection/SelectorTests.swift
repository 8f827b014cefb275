import SwiftletBalancing
import SwiftletLoopback
import SwiftletStyles
import SwiftletTransport
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("A config selector", .timeLimit(.minutes(5)))
struct SelectorTests {
    static let ask = Method<[UInt8], [UInt8]>(
        "/t.T/Ask", .unary, request: .bytes, reply: .bytes)
    static let talk = HostileTrial.talk

    /// A server that answers with its number, its part of the deadline in minutes, and the number of earlier
    /// attempts. It refuses the first `refusals` attempts of each call.
    static func server(_ number: UInt8, refusals: Int = 0) throws -> LoopbackServer {
        @Sendable func answer(_ context: ServerContext) throws -> [UInt8] {
            let earlier = Int(context.metadata["grpc-previous-rpc-attempts"] ?? "0") ?? 0
            if earlier < refusals { throw RPCError(.unavailable, "busy") }
            let minutes = context.deadline.remaining.map { ($0 / .seconds(60)).rounded() } ?? 0
            return [number, UInt8(minutes), UInt8(earlier)]
        }
        return try LoopbackServer { server in
            server.unary(ask) { _, context in try answer(context) }
            server.bidirectional(talk) { requests, replies, context in
                for try await _ in requests { try await replies.write(try answer(context)) }
            }
        }
    }

    static func options(_ cluster: String, key: Int? = nil) -> CallOptions {
        .with { options in
            options.metadata.append(received: .text(cluster), for: "x-cluster")
            if let key { options.metadata.append(received: .text("\(key)"), for: "x-key") }
        }
    }

    static func method(minutes: Int, attempts: Int = 0) -> MethodConfig {
        MethodConfig([]) { method in
            method.timeout = .seconds(60 * minutes)
            guard attempts > 0 else { return }
            var retry = RetryPolicy(maxAttempts: attempts, retryableCodes: [.unavailable])
            retry.initialBackoff = .milliseconds(1)
            method.retry = retry
        }
    }

    /// One call in each form. Each returns the answer, or nil after UNAVAILABLE.
    enum Form: CaseIterable {
        case async, stream, handlers, streamHandlers, blocking, blockingStream, future, operations
        case writer
    }

    static func call(
        _ form: Form, on channel: Channel, _ options: CallOptions
    ) async throws -> [UInt8]? {
        do {
            switch form {
            case .async: return try await channel.unary(ask, [], options: options)
            case .stream:
                let talk = try await channel.bidirectional(talk, options: options)
                try await talk.requests.write([1])
                talk.requests.finish()
                for try await answer in talk.responses { return answer }
                return nil
            case .handlers:
                return try await withCheckedContinuation { continuation in
                    let started = Result {
                        try channel.startUnary(ask, [], options: options) {
                            continuation.resume(returning: $0.map(\.message))
                        }
                    }
                    #expect(throws: Never.self) { _ = try started.get() }
                }.get()
            case .streamHandlers:
                let answers = Mutex<[[UInt8]]>([])
                _ = try await withCheckedContinuation {
                    (continuation: CheckedContinuation<Result<Metadata, RPCError>, Never>) in
                    let call = channel.startBidirectional(
                        talk, options: options,
                        handlers: ResponseHandlers(
                            message: { answer in answers.withLock { $0.append(answer) } },
                            end: { continuation.resume(returning: $0) }))
                    try? call.write([1])
                    call.finish()
                }.get()
                return answers.withLock { $0.first }
            case .blocking:
                return try await onThread {
                    try channel.blockingUnary(ask, [], options: options).message
                }
            case .blockingStream:
                return try await onThread {
                    let call = channel.blockingBidirectional(talk, options: options)
                    try call.write([1])
                    call.finish()
                    return try call.next()
                }
            case .future:
                return try await channel.unaryCall(ask, [], options: options).response.value
            case .operations: return try await operations(on: channel, options)
            case .writer:
                let answers = Mutex<[[UInt8]]>([])
                let keeping = Sink<[UInt8]>(onWrite: { answer in
                    answers.withLock { $0.append(answer) }
                })
                let call = Call(
                    channel, ask, requests: SequenceWriter(value: []), options: options)
                try call.start(with: keeping)
                await keeping.waitForEnd()
                guard let answer = answers.withLock({ $0.first }) else {
                    #expect(keeping.all == ["UNAVAILABLE"])
                    return nil
                }
                return answer
            }
        } catch let error as RPCError {
            #expect(error.code == .unavailable && error.origin == .server, "\(error)")
            return nil
        }
    }

    private static func operations(
        on channel: Channel, _ options: CallOptions
    ) async throws -> [UInt8]? {
        let answer = Mutex<[UInt8]?>(nil)
        let code: StatusCode = try await withCheckedThrowingContinuation { continuation in
            do {
                let call = try channel.rawCall(ask.path, options: options)
                try call.start(
                    [
                        .sendInitialMetadata([:]), .sendMessage([]), .sendClose(),
                        .receiveMessage { message in answer.withLock { $0 = message } },
                        .receiveStatus { status, _ in continuation.resume(returning: status.code) },
                    ], handler: { _ in })
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(code == .ok || code == .unavailable)
        return code == .ok ? answer.withLock { $0 } : nil
    }

    @Test(
        "sends calls by a header to clusters with other timeouts, retries and hashes",
        arguments: Form.allCases)
    func routes(form: Form) async throws {
        let ring = try (10..<13).map { try Self.server($0) }
        let mesh = try Mesh(
            "selector-\("\(form)".lowercased())",
            [
                "patient": Mesh.Cluster(
                    servers: [try Self.server(1, refusals: 2)],
                    method: Self.method(minutes: 3, attempts: 3)),
                "hasty": Mesh.Cluster(
                    servers: [try Self.server(2, refusals: 1)], method: Self.method(minutes: 5)),
                "ring": Mesh.Cluster(
                    servers: ring, policy: RingHash(), method: Self.method(minutes: 7)),
            ])
        let channel = try mesh.channel()
        for _ in 0..<3 {
            #expect(try await Self.call(form, on: channel, Self.options("patient")) == [1, 3, 2])
            #expect(try await Self.call(form, on: channel, Self.options("hasty")) == nil)
        }
        var places: [Int: UInt8] = [:]
        // The ring depends on the ports of the servers: there are so many keys that they never all have one server.
        for index in 0..<56 {
            let key = index % 28
            // The keys are spread over the ring.
            let options = Self.options("ring", key: key << 58)
            let answer = try #require(try await Self.call(form, on: channel, options))
            #expect(answer[1...] == [7, 0])
            #expect(places[key, default: answer[0]] == answer[0], "a key has one place")
            places[key] = answer[0]
        }
        #expect(Set(places.values).count > 1)
        await channel.close()
    }

    @Test("keeps the hash of a call in its retries, which go to the same server")
    func hashOfRetries() async throws {
        let servers = try (0..<4).map { try Self.server($0, refusals: 3) }
        let mesh = try Mesh(
            "selector-retries",
            [
                "ring": Mesh.Cluster(
                    servers: servers, policy: RingHash(),
                    method: Self.method(minutes: 1, attempts: 4))
            ])
        let channel = try mesh.channel()
        for key in 0..<16 {
            let options = Self.options("ring", key: key << 59)
            let first = try await channel.unary(Self.ask, [], options: options)
            #expect(first[2] == 3)
            #expect(try await channel.unary(Self.ask, [], options: options) == first)
        }
        await channel.close()
    }

    @Test("chooses servers and timeouts, and no retries, if the channel uses none")
    func noRetries() async throws {
        let mesh = try Mesh(
            "selector-once",
            [
                "busy": Mesh.Cluster(
                    servers: [try Self.server(1, refusals: 1)],
                    method: Self.method(minutes: 3, attempts: 3)),
                "free": Mesh.Cluster(
                    servers: [try Self.server(2)], method: Self.method(minutes: 5, attempts: 3)),
            ])
        var arguments = ChannelArguments()
        arguments.usesRetryPolicies = false
        let channel = try mesh.channel(arguments)
        #expect(try await Self.call(.async, on: channel, Self.options("busy")) == nil)
        #expect(try await Self.call(.async, on: channel, Self.options("free")) == [2, 5, 0])
        await channel.close()
    }

    @Test("fails a call, also one that waits for ready, and never with an application's code")
    func failure() async throws {
        let mesh = try Mesh("selector-failure", [:])
        let channel = try mesh.channel()
        for waitsForReady in [false, true] {
            var options = Self.options("nowhere")
            options.waitForReady = waitsForReady
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(Self.ask, [], options: options)
            }
            #expect(error?.code == .internal)
            #expect(
                error?.message
                    == "the config selector failed the call with NOT_FOUND, a code that only a server's application may use: no route to nowhere"
            )
            #expect(error?.origin == .client && error?.mayHaveBeenExecuted == false)
        }
        await channel.close()
    }

    /// Holds calls until the test lets them go on.
    private final class Holding: CallFilter {
        let held = Mutex<[@Sendable (RPCError?) -> Void]>([])
        let endCount = Atomic(0)
        func begin(
            _ proceed: @escaping @Sendable (RPCError?) -> Void
        ) -> (@Sendable () -> Void)? {
            held.withLock { $0.append(proceed) }
            return { self.endCount.add(1, ordering: .relaxed) }
        }
        func take() async throws -> @Sendable (RPCError?) -> Void {
            try await eventually { self.held.withLock { !$0.isEmpty } }
            return held.withLock { $0.removeFirst() }
        }
    }

    @Test("adds a step before the first attempt, which delays the call, or ends it with any code")
    func filter() async throws {
        let filter = Holding()
        let mesh = try Mesh(
            "selector-filter",
            [
                "held": Mesh.Cluster(
                    servers: [try Self.server(1, refusals: 1)],
                    method: Self.method(minutes: 1, attempts: 2), filter: filter)
            ])
        let channel = try mesh.channel()
        async let answer = channel.unary(Self.ask, [], options: Self.options("held"))
        try await filter.take()(nil)
        #expect(try await answer == [1, 1, 1])
        #expect(filter.held.withLock { $0.isEmpty }, "the step precedes the first attempt only")

        let failing = Task { try await channel.unary(Self.ask, [], options: Self.options("held")) }
        try await filter.take()(RPCError(.notFound, "a fault"))
        let error = await #expect(throws: RPCError.self) { try await failing.value }
        #expect(error?.code == .notFound && error?.message == "a fault")

        let cancelled = Task {
            try await channel.unary(Self.ask, [], options: Self.options("held"))
        }
        let proceed = try await filter.take()
        cancelled.cancel()
        let end = await #expect(throws: RPCError.self) { try await cancelled.value }
        #expect(end?.code == .cancelled && end?.mayHaveBeenExecuted == false)
        // A step that waits ends with its call. It is told of both calls that were not sent.
        try await eventually { filter.endCount.load(ordering: .relaxed) == 2 }
        proceed(nil)
        mesh.remove("held")
        try await eventually { mesh.clusters.isEmpty }
        await channel.close()
    }

    /// Adds a header to each response, and counts them.
    private final class Stamping: ResponseFilter {
        let count = Atomic(0)
        func responseBegins(with metadata: inout Metadata) {
            metadata.append("\(count.add(1, ordering: .relaxed).newValue)", for: "x-stamp")
        }
    }

    @Test("sees where each response begins: its headers, or its trailers if it has no headers")
    func responseFilter() async throws {
        let stamps = Stamping()
        let server = try LoopbackServer { server in
            server.unary(Self.ask) { request, _ in
                if request == [0] { throw RPCError(.dataLoss, "no") }
                return [1]
            }
        }
        let busy = try Self.server(1, refusals: 1)
        let mesh = try Mesh(
            "selector-response",
            [
                "plain": Mesh.Cluster(servers: [server], responseFilter: stamps),
                "retried": Mesh.Cluster(
                    servers: [busy], method: Self.method(minutes: 1, attempts: 2),
                    responseFilter: stamps),
            ])
        let channel = try mesh.channel()
        let answer = try await channel.unaryResponse(
            Self.ask, [1], options: Self.options("plain"))
        #expect(
            answer.initialMetadata["x-stamp"] == "1" && answer.trailingMetadata["x-stamp"] == nil)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.ask, [0], options: Self.options("plain"))
        }
        #expect(error?.metadata["x-stamp"] == "2" || error?.initialMetadata["x-stamp"] == "2")
        // The refused attempt counts as well: it is answered, although the call does not receive it.
        let retried = try await channel.unaryResponse(
            Self.ask, [], options: Self.options("retried"))
        #expect(retried.message == [1, 1, 1] && retried.initialMetadata["x-stamp"] == "4")
        await channel.close()
    }
}
