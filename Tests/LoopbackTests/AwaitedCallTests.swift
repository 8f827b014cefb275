import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletStyles
import SwiftletTransport
import Synchronization
import Testing

@Suite("A call that a task awaits", .timeLimit(.minutes(5)))
struct AwaitedCallTests {
    private static let collect = Method<[UInt8], [UInt8]>(
        "/t.T/Collect", .clientStreaming, request: .bytes, reply: .bytes)

    @Test("ends at its deadline even if no thread turns its queue")
    func unturned() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let queue = try CompletionQueue(.byHand)
        let channel = try Channel(server.target, credentials: .insecure, queue: queue)
        let soon = CallOptions.with { $0.timeout = .milliseconds(50) }
        let unary = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [1], options: soon)
        }
        #expect(unary?.code == .deadlineExceeded)
        let stream = try await channel.serverStreaming(HostileTrial.echo, [1], options: soon)
        let streamed = await #expect(throws: RPCError.self) { for try await _ in stream {} }
        #expect(streamed?.code == .deadlineExceeded)
    }

    private final class Passing: Interceptor {}

    @Test("ends at its deadline on such a queue also with interceptors, and without a first config")
    func unturnedAbove() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let queue = try CompletionQueue(.byHand)
        try Resolvers.register("silent-by-hand") { _ in PushedResolver(nil) }
        let passing = InterceptorFactory("passing") { _ in Passing() }
        for (target, interceptors): (String, [ChannelInterceptor]) in [
            (server.target, [.all(passing)]), (server.target, [.all(HoldingInterceptor.factory)]),
            ("silent-by-hand:///x", []),
        ] {
            let channel = try Channel(
                target, credentials: .insecure, interceptors: interceptors, queue: queue)
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(
                    HostileTrial.echo, [1], options: .with { $0.timeout = .milliseconds(50) })
            }
            #expect(error?.code == .deadlineExceeded)
        }
    }

    @Test("ends with its channel, whose grace passes even if no thread turns the queue")
    func closing() async throws {
        let peer = try RawPeer(.correct)
        peer.conduct = .hold
        let queue = try CompletionQueue(.byHand)
        let channel = try Channel(peer.target, credentials: .insecure, queue: queue)
        let messages = Counter()
        let call = channel.startBidirectional(
            HostileTrial.talk,
            handlers: ResponseHandlers { _ in
                messages.add()
            } end: { _ in
            })
        try await onThread {
            while messages.count == 0 { _ = try queue.next(deadline: .after(.milliseconds(10))) }
        }
        await channel.close(grace: .milliseconds(50))
        #expect(channel.connectivity == .shutdown)
        withExtendedLifetime(call) {}
    }

    @Test("with one response gives its metadata and timeline in every face")
    func wholeResponses() async throws {
        let server = try LoopbackServer { server in
            server.clientStreaming(Self.collect) { requests, context in
                context.sendInitialMetadata(["x-initial": "a"])
                context.setTrailingMetadata(["x-trailing": "b"])
                var count: UInt8 = 0
                for try await _ in requests { count += 1 }
                return [count]
            }
        }
        let channel = try server.makeChannel()
        func check(_ response: Response<[UInt8]>) {
            #expect(response.message == [2])
            #expect(response.initialMetadata["x-initial"] == "a")
            #expect(response.trailingMetadata["x-trailing"] == "b")
            #expect(response.timeline?.streamCount == 1)
        }
        check(
            try await channel.clientStreamingResponse(Self.collect) { requests in
                for byte: UInt8 in 0..<2 { try await requests.write([byte]) }
            })
        check(
            try await onThread {
                try channel.blockingClientStreamingResponse(Self.collect) { call in
                    for byte: UInt8 in 0..<2 { try call.write([byte]) }
                }
            })
        let response: Response<[UInt8]> = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Response<[UInt8]>, any Error>) in
            let call = channel.startClientStreaming(Self.collect) { result in
                continuation.resume(with: result)
            }
            do {
                for byte: UInt8 in 0..<2 { try call.write([byte]) }
                call.finish()
            } catch {
                call.cancel()
            }
        }
        check(response)
    }

    @Test("names the step of the connection at which its deadline passed")
    func stalledHandshake() async throws {
        // Receives the first bytes of the connection and does not answer.
        let hearing = Counter()
        let peer = try RawPeer(
            RawScript(opening: { connection in
                var buffer = ReceiveBuffer()
                try connection.receive(&buffer)
                hearing.add()
                try connection.stall()
            }))
        var arguments = ChannelArguments()
        arguments.connectTimeout = .seconds(3_600)
        for (credentials, step) in [
            (ChannelCredentials.insecure, "no HTTP/2 SETTINGS"),
            (try ChannelCredentials.tls(), "the TLS handshake did not complete"),
        ] {
            let channel = try Channel(
                peer.target, credentials: credentials, arguments: arguments)
            let before = hearing.count
            channel.connect()
            try await eventually { hearing.count > before }
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(
                    HostileTrial.echo, [1], options: .with { $0.timeout = .milliseconds(50) })
            }
            #expect(error?.code == .deadlineExceeded)
            #expect(error?.causes.first?.contains(step) == true, "\(error as Any)")
        }
    }
}
