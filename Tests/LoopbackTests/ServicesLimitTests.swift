import Swiftlet
import SwiftletLoopback
import SwiftletTransport
import Testing

@Suite("A service that keeps what clients send", .timeLimit(.minutes(5)))
struct ServicesLimitTests {
    /// Sends `count` requests, or fewer if the call ends. Returns its error.
    private static func fill<Request, Response>(
        _ method: Method<Request, Response>, _ request: Request, count: Int
    ) async throws -> RPCError? {
        let server = try LoopbackServer { server in
            server.addRouteGuide()
            server.add(TestService())
        }
        let call = try await server.makeChannel().bidirectional(method)
        return await #expect(throws: RPCError.self) {
            async let responses: Void = { for try await _ in call.responses {} }()
            for _ in 0..<count { try await call.requests.write(request) }
            call.requests.finish()
            try await responses
        }
    }

    @Test("refuses further notes with RESOURCE_EXHAUSTED")
    func notes() async throws {
        let error = try await Self.fill(
            RouteGuideClient.routeChat,
            RouteGuide.RouteNote(message: String(repeating: "a", count: 1 << 20)), count: 10)
        #expect(error?.code == .resourceExhausted)
    }

    @Test("refuses further requests with RESOURCE_EXHAUSTED")
    func requests() async throws {
        let method = Method<
            GRPC.Testing.StreamingOutputCallRequest, GRPC.Testing.StreamingOutputCallResponse
        >("/grpc.testing.TestService/HalfDuplexCall", .bidirectional)
        let error = try await Self.fill(method, .init(), count: 100_000)
        #expect(error?.code == .resourceExhausted)
    }

    @Test("records a limited number of connections")
    func connections() async throws {
        let reconnects = try ReconnectService()
        let server = try LoopbackServer { $0.add(reconnects) }
        let port = try #require(reconnects.target.split(separator: ":").last.flatMap { UInt16($0) })
        for count in 1...1_100 {
            let address = SocketAddress.ipv4Loopback(port: port)
            let socket = try Socket(for: address)
            _ = try socket.startConnecting(to: address)
            // The system's queue of connections is short.
            try await eventually { reconnects.arrivalCount >= min(count, 1_001) }
        }
        let stop = Method<GRPC.Testing.Empty, GRPC.Testing.ReconnectInfo>(
            "/grpc.testing.ReconnectService/Stop", .unary)
        let channel = try server.makeChannel()
        let error = await #expect(throws: RPCError.self) {
            _ = try await channel.unary(stop, .init())
        }
        #expect(error?.code == .resourceExhausted)
        #expect(reconnects.arrivalCount == 1_001)
    }
}
