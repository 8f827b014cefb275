import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import Synchronization
import Testing

/// Large fields are sent without a copy. The server must receive the message that was written, also
/// with compression or interceptors.
@Suite("A large request", .timeLimit(.minutes(5)))
struct LargeRequestTests {
    typealias Payload = GRPC.Testing.Payload

    private static let echo = Method<Payload, Payload>("/t.T/Echo", .bidirectional)
    private static let unary = Method<Payload, Payload>("/t.T/One", .unary)
    private static let bytes = Method<[UInt8], [UInt8]>(
        "/t.T/One", .unary, request: .bytes, reply: .bytes)

    /// Sizes below and above the limit from which a field is not copied.
    private static let sizes = [5, 40_000, 32 << 10, (32 << 10) - 1, 700_000, 0, 300_000]

    private static func payload(_ byteCount: Int) -> Payload {
        Payload(body: (0..<byteCount).map { UInt8(truncatingIfNeeded: byteCount &+ $0 &* 7) })
    }

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { methods in
            methods.bidirectional(echo) { requests, replies, _ in
                for try await request in requests { try await replies.write(request) }
            }
            methods.unary(unary) { request, _ in request }
        }
    }

    @Test("equals the written message, even if its writer changes the memory afterwards")
    func writerGoesOn() async throws {
        let server = try Self.server()
        let channel = try Channel(server.target, credentials: .insecure)
        let call = try await channel.bidirectional(Self.echo)
        let writing = Task {
            var payload = Payload()
            for size in Self.sizes {
                payload.body = Self.payload(size).body
                try await call.requests.write(payload)
                for index in payload.body.indices { payload.body[index] = 0xff }
            }
            call.requests.finish()
        }
        var received: [Payload] = []
        for try await reply in call.responses { received.append(reply) }
        try await writing.value
        #expect(received == Self.sizes.map(Self.payload))
    }

    /// The treatment of a request before it is sent: none, compression, or an interceptor.
    enum Way: CaseIterable {
        case plain, compressed, intercepted, changed

        var interceptors: [ChannelInterceptor] {
            switch self {
            case .plain, .compressed: []
            case .intercepted: [.all(InterceptorFactory("look") { _ in Looker() })]
            case .changed:
                [.all(.typed("change", LargeRequestTests.unary) { Passer() })]
            }
        }

        var options: CallOptions { .with { if self == .compressed { $0.compression = .gzip } } }
    }

    /// Reads each message by every property and function.
    private final class Looker: Interceptor {
        func write(_ message: RawMessage, _ call: InterceptedCall) {
            let bytes = message.withBytes { $0.count }
            #expect(bytes == message.byteCount)
            #expect(message.bytes.count == message.byteCount)
            #expect(message == RawMessage(message.bytes))
            call.write(message)
        }
    }

    private final class Passer: TypedInterceptor {
        typealias Request = Payload
        typealias Reply = Payload
    }

    @Test("arrives in every way", arguments: Way.allCases)
    func ways(_ way: Way) async throws {
        let server = try Self.server()
        let channel = try Channel(
            server.target, credentials: .insecure, interceptors: way.interceptors)
        for size in Self.sizes {
            let payload = Self.payload(size)
            let reply = try await channel.unary(Self.unary, payload, options: way.options)
            #expect(reply == payload)
            let raw = try await channel.unary(Self.bytes, payload.encoded(), options: way.options)
            #expect(try Payload(decoding: raw) == payload)
        }
    }

    @Test("is refused above the limit, which counts all bytes of the message")
    func limit() async throws {
        let server = try Self.server()
        let channel = try Channel(server.target, credentials: .insecure)
        let options = CallOptions.with { $0.maxSendByteCount = 100_000 }
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.unary, Self.payload(100_000), options: options)
        }
        #expect(error?.code == .resourceExhausted)
        #expect(error?.message.hasPrefix("the request message of 100004 bytes is larger") == true)
        let body = Self.payload(99_996)
        #expect(try await channel.unary(Self.unary, body, options: options) == body)
    }

    @Test("is received whole by a fake channel")
    func fake() async throws {
        let fake = try FakeChannel()
        let shown = Mutex<[Payload]>([])
        let response = fake.respond(to: Self.unary) { part in
            if case .message(let payload) = part { shown.withLock { $0.append(payload) } }
        }
        try response.sendMessage(Self.payload(50_000))
        let reply = try await fake.channel.unary(Self.unary, Self.payload(70_000))
        #expect(reply == Self.payload(50_000))
        #expect(shown.withLock { $0 } == [Self.payload(70_000)])
    }

    @Test("is sent again whole when its connection accepted none of it")
    func again() async throws {
        let server = try Self.server()
        try server.setFaults([.call(1, .refuse)])
        let channel = try Channel(server.target, credentials: .insecure)
        let payload = Self.payload(100_000)
        #expect(try await channel.unary(Self.unary, payload) == payload)
    }
}
