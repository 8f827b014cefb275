import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

/// Tests that block a thread of Swift's cooperative pool, like a plain `@Test func x() throws`. On
/// two processors the pool has two threads, so the server must not need either of them.
@Suite("A blocking call beside the server in one process", .timeLimit(.minutes(5)))
struct SynchronousTests {
    private static let echo = HostileTrial.echo
    /// With this timeout, a regression fails the test. Without it, the test would hang.
    private static let options = CallOptions.with { $0.timeout = .seconds(120) }

    /// Keeps only the channel, like a fixture of a user's tests.
    private static func fixture() throws -> Channel {
        let server = try LoopbackServer { server in
            server.unary(echo) { request, _ in request }
        }
        return try server.makeChannel(defaultOptions: options)
    }

    @Test("ends in a plain synchronous test", arguments: UInt8(0)..<4)
    func blocking(number: UInt8) throws {
        #expect(try Self.fixture().blockingUnary(Self.echo, [number]).message == [number])
    }

    @Test("waits for the initial metadata, and for each message once")
    func initialMetadata() throws {
        let method = Method<[UInt8], [UInt8]>(
            "/t.T/Late", .serverStreaming, request: .bytes, reply: .bytes)
        let server = try LoopbackServer { server in
            server.serverStreaming(method) { _, replies, context in
                // Sent after the client has begun to wait, because its connection does not exist
                // yet.
                context.sendInitialMetadata(["x-first": "yes"])
                for number: UInt8 in 0..<3 { try await replies.write([number]) }
            }
        }
        let channel = try server.makeChannel(defaultOptions: Self.options)
        let call = try channel.blockingServerStreaming(method, [])
        #expect(try call.initialMetadata()["x-first"] == "yes")
        for number: UInt8 in 0..<3 { #expect(try call.next() == [number]) }
        #expect(try call.next() == nil)
    }

    @Test("throws the error of a call without initial metadata when they are asked for")
    func failedInitialMetadata() throws {
        let method = Method<[UInt8], [UInt8]>(
            "/t.T/Fails", .serverStreaming, request: .bytes, reply: .bytes)
        let server = try LoopbackServer { server in
            server.serverStreaming(method) { _, _, _ in throw RPCError(.notFound, "no such file") }
        }
        let channel = try server.makeChannel(defaultOptions: Self.options)
        let call = try channel.blockingServerStreaming(method, [])
        let error = #expect(throws: RPCError.self) { _ = try call.initialMetadata() }
        #expect(error?.code == .notFound)
        #expect(throws: RPCError.self) { _ = try call.next() }
    }

    @Test("ends in each of 64 tasks")
    func tasks() async throws {
        let channel = try Self.fixture()
        let replies = try await withThrowingTaskGroup { group in
            for number in UInt8(0)..<64 {
                group.addTask { try channel.blockingUnary(Self.echo, [number]).message }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(replies.sorted() == Array(0..<64))
    }

    @Test("ends when the server waits before it answers, and between its messages")
    func pauses() async throws {
        let method = Method<
            GRPC.Testing.StreamingOutputCallRequest, GRPC.Testing.StreamingOutputCallResponse
        >("/grpc.testing.TestService/StreamingOutputCall", .serverStreaming)
        var request = GRPC.Testing.StreamingOutputCallRequest()
        request.responseParameters = [
            .init(size: 1, intervalUs: 1_000), .init(size: 1, intervalUs: 1),
        ]
        let server = try LoopbackServer { server in
            server.add(TestService())
            server.faults = [.always(.delay(.milliseconds(1)))]
        }
        let channel = try server.makeChannel(defaultOptions: Self.options)
        let count = try await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask { [request] in
                    let call = try channel.blockingServerStreaming(method, request)
                    var count = 0
                    while try call.next() != nil { count += 1 }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(count == 32)
    }

    @Test("ends in a handler that makes it to its own server")
    func nested() async throws {
        let inner = Mutex<Channel?>(nil)
        let outer = Method<[UInt8], [UInt8]>(
            "/t.T/Outer", .unary, request: .bytes, reply: .bytes)
        let server = try LoopbackServer { server in
            server.unary(Self.echo) { request, _ in request }
            server.unary(outer) { request, _ in
                let channel = try #require(inner.withLock { $0 })
                return try channel.blockingUnary(Self.echo, request).message
            }
        }
        let channel = try server.makeChannel(defaultOptions: Self.options)
        inner.withLock { $0 = channel }
        #expect(try await channel.unary(outer, [7]) == [7])
        _ = inner.withLock { $0.take() }
    }

    @Test("does not keep its server after its channel is released")
    func released() async throws {
        let (released, continuation) = AsyncStream.makeStream(of: Void.self)
        do {
            let kept = Released(continuation)
            let server = try LoopbackServer { server in
                server.unary(Self.echo) { request, _ in withExtendedLifetime(kept) { request } }
            }
            let channel = try server.makeChannel(defaultOptions: Self.options)
            #expect(try await channel.unary(Self.echo, [1]) == [1])
        }
        for await _ in released {}
    }

    /// A server whose handlers wait until their call is cancelled, and then open `gate`.
    private static func waitingServer(_ gate: Gate) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.bidirectional(HostileTrial.talk) { requests, replies, _ in
                defer { gate.open() }
                for try await request in requests { try await replies.write(request) }
            }
            server.clientStreaming(HostileTrial.collect) { requests, context in
                defer { gate.open() }
                context.sendInitialMetadata([:])
                for try await _ in requests {}
                return []
            }
        }
    }

    @Test("ends at the server too when a reply cannot be decoded, while the program keeps the call")
    func unreadableReply() async throws {
        let gate = Gate()
        // Without a timeout, which would end the call as well.
        let channel = try Self.waitingServer(gate).makeChannel()
        let method = Method<[UInt8], HelloReply>(
            "/t.T/Talk", .bidirectional, request: .bytes, reply: .message)
        let call = channel.blockingBidirectional(method)
        try call.write([0xff])
        let error = #expect(throws: RPCError.self) { _ = try call.next() }
        #expect(error?.code == .internal)
        await gate.pass()
        #expect(throws: RPCError.self) { try call.write([1]) }
    }

    @Test("is cancelled when the function that writes its request throws")
    func throwingProducer() async throws {
        struct Changed: Error {}
        let gate = Gate()
        let channel = try Self.waitingServer(gate).makeChannel(defaultOptions: Self.options)
        // Kept, because the release of a call cancels it as well.
        var kept: BlockingCall<[UInt8], [UInt8]>?
        #expect(throws: Changed.self) {
            try channel.blockingClientStreaming(HostileTrial.collect) { call in
                kept = call
                // A call that is cancelled before its request is sent does not reach the server.
                _ = try call.initialMetadata()
                throw Changed()
            }
        }
        await gate.pass()
        let error = #expect(throws: RPCError.self) { _ = try kept?.next() }
        #expect(error?.code == .cancelled)
    }
}
