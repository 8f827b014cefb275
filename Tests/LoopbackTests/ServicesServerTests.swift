import Swiftlet
import SwiftletCore
import SwiftletLoopback
import Synchronization
import Testing

@Suite("A server inside the process", .timeLimit(.minutes(5)))
struct ServicesServerTests {
    private static let hello = Method<HelloRequest, HelloReply>("/test.Hello/Say", .unary)

    private struct Greetings: LoopbackService {
        func register(in methods: inout ServerMethods) {
            methods.unary(hello) { request, _ in HelloReply(message: "Hi \(request.name)") }
        }
    }

    @Test("is reached over a pair of sockets, without a port")
    func socketPair() async throws {
        let server = try LoopbackServer { server in
            server.add(Greetings())
            server.addRouteGuide()
        }
        let channel = try server.makeChannel()
        #expect(try await channel.unary(Self.hello, .init(name: "you")).message == "Hi you")
        let listFeatures = Method<RouteGuide.Rectangle, RouteGuide.Feature>(
            "/routeguide.RouteGuide/ListFeatures", .serverStreaming)
        let area = RouteGuide.Rectangle(
            lo: .init(latitude: 400_000_000, longitude: -750_000_000),
            hi: .init(latitude: 420_000_000, longitude: -730_000_000))
        var count = 0
        for try await _ in try await channel.serverStreaming(listFeatures, area) { count += 1 }
        #expect(count == 4)
        #expect(server.connectionCount == 1)
    }

    @Test(
        "is reached over a pair of sockets with TLS, under the name localhost",
        .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
    func securePair() async throws {
        let identity = ServerTLS(
            certificateChain: try SecureCallTests.pem("server.pem"),
            privateKey: try SecureCallTests.pem("server.key"))
        let server = try LoopbackServer(tls: identity) { $0.add(Greetings()) }
        var tls = TLSOptions()
        tls.rootCertificates = .text(try SecureCallTests.pem("ca.pem"))
        let channel = try server.makeChannel(credentials: .tls(tls))
        #expect(try await channel.unary(Self.hello, .init(name: "you")).message == "Hi you")
    }

    @Test("cannot be reached over a pair of sockets after it was shut down")
    func socketPairAfterShutdown() async throws {
        let server = try LoopbackServer { $0.add(Greetings()) }
        let channel = try server.makeChannel()
        server.shutdown()
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.hello, .init(name: "you"))
        }
        #expect(error?.code == .unavailable)
    }

    @Test("refuses a method that is registered with another shape than it declares")
    func shapes() throws {
        let mistakes: [(CallShape, @Sendable (inout ServerMethods, Echo) -> Void)] = [
            (.serverStreaming, { $0.unary($1) { request, _ in request } }),
            (.unary, { $0.serverStreaming($1) { _, _, _ in } }),
            (.bidirectional, { $0.clientStreaming($1) { _, _ in [] } }),
            (.clientStreaming, { $0.bidirectional($1) { _, _, _ in } }),
        ]
        for (shape, register) in mistakes {
            let method = Echo("/t.T/Wrong", shape, request: .bytes, reply: .bytes)
            let error = #expect(throws: RPCError.self) {
                _ = try LoopbackServer { register(&$0, method) }
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("/t.T/Wrong is declared as \(shape)") == true)
        }
    }

    private typealias Echo = Method<[UInt8], [UInt8]>

    @Test("refuses a second message to a method with one request")
    func secondMessage() async throws {
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in
                Issue.record("the handler was called")
                return request
            }
        }
        let channel = try server.makeChannel()
        // The same path, called in another shape than the server's.
        let call = try await channel.bidirectional(
            Echo(path: HostileTrial.echo.path, .bidirectional, request: .bytes, reply: .bytes))
        try await call.requests.write([1])
        try call.requests.finish(with: [2])
        let error = await #expect(throws: RPCError.self) {
            for try await _ in call.responses {}
        }
        #expect(error?.code == .unimplemented)
        #expect(error?.message == "the request has more than one message")
    }

    @Test("lists the services that it offers")
    func serviceNames() async throws {
        var names: [String] = []
        _ = try LoopbackServer { server in
            server.add(Greetings())
            server.addGreeter()
            server.add(HealthService())
            names = server.serviceNames
        }
        #expect(names == ["grpc.health.v1.Health", "helloworld.Greeter", "test.Hello"])
    }

    @Test("runs no more calls of a connection at once than it allows")
    func maxConcurrentStreams() async throws {
        let overlap = Overlap()
        let server = try LoopbackServer { server in
            server.maxConcurrentStreams = 3
            server.unary(Self.hello) { request, _ in
                await overlap.stay()
                return HelloReply(message: request.name)
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { _ = try await channel.unary(Self.hello, .init(name: "\(number)")) }
            }
            try await group.waitForAll()
        }
        #expect((1...3).contains(overlap.most))
    }

    @Test("cancels a handler when its client cancels the call")
    func cancellation() async throws {
        let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
        let (left, leaving) = AsyncStream.makeStream(of: Bool.self)
        let server = try LoopbackServer { server in
            server.unary(Self.hello) { _, context in
                arrival.yield()
                // Ends when the task of the handler is cancelled.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                leaving.yield(context.isCancelled)
                return HelloReply()
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        let call = Task { try await channel.unary(Self.hello, .init()) }
        for await _ in arrived { break }
        call.cancel()
        for await isCancelled in left {
            #expect(isCancelled)
            break
        }
    }

    @Test("cancels a handler at the deadline that the client has sent")
    func deadline() async throws {
        let seen = Mutex<Bool?>(nil)
        let server = try LoopbackServer { server in
            server.unary(Self.hello) { _, context in
                // Ends when the task of the handler is cancelled.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                let isCancelled = context.isCancelled
                seen.withLock { $0 = isCancelled }
                try Task.checkCancellation()
                return HelloReply()
            }
        }
        let channel = try Channel(server.target, credentials: .insecure)
        var options = CallOptions()
        // Only the server gets this deadline. The client has none.
        options.metadata.append(received: .text("20m"), for: "grpc-timeout")
        // On a busy machine the time may be over before the handler begins.
        while seen.withLock({ $0 }) == nil {
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(Self.hello, .init(), options: options)
            }
            #expect(error?.code == .deadlineExceeded)
            #expect(error?.origin == .server)
        }
        #expect(seen.withLock { $0 } == true)
    }
}
