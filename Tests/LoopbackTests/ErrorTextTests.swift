import SwiftletInterceptors
import SwiftletLoopback
import SwiftletStyles
import SwiftletTransport
import Synchronization
import Testing

@testable import Swiftlet
@testable import SwiftletCore

/// A reader of an error must know what happened, and what to do next.
@Suite("The text of an error", .timeLimit(.minutes(5)))
struct ErrorTextTests {
    private static let echo = HostileTrial.echo

    private static func error(
        on channel: Channel, _ options: CallOptions = CallOptions()
    ) async throws -> RPCError {
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(echo, [7], options: options)
        }
        return try #require(error)
    }

    @Test("names the method of the call, whatever layers the call has")
    func method() async throws {
        let server = try LoopbackServer { server in
            server.unary(Self.echo) { _, _ in throw RPCError(.notFound, "no such shelf") }
        }
        var config = ServiceConfig()
        config.methods = [
            MethodConfig([.all]) {
                $0.retry = RetryPolicy(maxAttempts: 2, retryableCodes: [.unavailable])
            }
        ]
        var retrying = ChannelArguments()
        retrying.serviceConfig = config
        for arguments in [ChannelArguments(), retrying] {
            let channel = try server.makeChannel(arguments: arguments)
            for isIntercepted in [false, true] {
                var options = CallOptions()
                if isIntercepted {
                    options.interceptors = [InterceptorFactory("none") { _ in Passing() }]
                }
                let error = try await Self.error(on: channel, options)
                #expect(error.method == Self.echo.path)
                #expect("\(error)".hasSuffix("; in \(Self.echo.path)"))
            }
        }
    }

    /// Thrown after a stream without an error.
    private struct NoResponse: Error {}

    private enum Face: CaseIterable {
        case unary, response, handler, future, blocking, blockingStream, stream, single
        case blockingSingle, futureSingle, handlerSingle
    }

    private static func error(
        of face: Face, _ channel: Channel, _ method: (CallShape) -> Method<[UInt8], Int>
    ) async throws {
        switch face {
        case .unary: _ = try await channel.unary(method(.unary), [1])
        case .response: _ = try await channel.unaryResponse(method(.unary), [1])
        case .future: _ = try await channel.unaryCall(method(.unary), [1]).response.value
        case .handler:
            _ = try await withCheckedThrowingContinuation { continuation in
                do {
                    try channel.startUnary(method(.unary), [1]) { continuation.resume(with: $0) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        case .blocking:
            let method = method(.unary)
            try await onThread { _ = try channel.blockingUnary(method, [1]) }
        case .stream:
            for try await _ in try await channel.serverStreaming(method(.serverStreaming), [1]) {}
            throw NoResponse()
        case .blockingStream:
            let method = method(.serverStreaming)
            try await onThread {
                _ = try channel.blockingServerStreaming(method, [1]).next()
                throw NoResponse()
            }
        case .single: _ = try await channel.clientStreaming(method(.clientStreaming)) { _ in }
        case .blockingSingle:
            let method = method(.clientStreaming)
            try await onThread { _ = try channel.blockingClientStreaming(method) { _ in } }
        case .futureSingle:
            let call = channel.clientStreamingCall(method(.clientStreaming))
            call.sendEnd()
            _ = try await call.response.value
        case .handlerSingle:
            _ = try await withCheckedThrowingContinuation { continuation in
                channel.startClientStreaming(method(.clientStreaming)) {
                    continuation.resume(with: $0)
                }.finish()
            }
        }
    }

    @Test(
        "names the method if a response cannot be decoded, or is missing, in every style",
        arguments: Face.allCases, [true, false])
    private func methodOfDecoding(face: Face, hasMessage: Bool) async throws {
        let peer = try RawPeer(
            RawScript { connection, stream in
                try connection.headers(stream, RawConnection.responseFields)
                if hasMessage { try connection.message(stream, [1]) }
                try connection.trailers(stream, status: "0", [])
            })
        peer.conduct = .misbehave
        let channel = try Channel(peer.target, credentials: .insecure)
        let codec = Codec<Int>(
            encode: { _, prefix in [UInt8](repeating: 0, count: prefix) },
            decode: { _ in throw CancellationError() })
        do {
            try await Self.error(of: face, channel) { shape in
                Method("/t.Texts/Broken", shape, request: .bytes, reply: codec)
            }
            Issue.record("no error")
        } catch is NoResponse {
            #expect(!hasMessage)
        } catch let error as RPCError {
            #expect(error.code == (hasMessage ? .internal : .unimplemented))
            #expect(error.method == "/t.Texts/Broken", "\(error)")
        }
    }

    private final class Passing: Interceptor {}

    @Test("shows each attempt of a call, and counts equal ones")
    func equalAttempts() {
        var error = RPCError(.unavailable, "busy")
        error.attempts = [
            .init(address: "a:1", cause: "UNAVAILABLE: busy"),
            .init(address: "a:1", cause: "UNAVAILABLE: busy"),
            .init(address: "", cause: "UNAVAILABLE: refused"),
        ]
        #expect(
            "\(error)"
                == "UNAVAILABLE: busy; 2 × a:1: UNAVAILABLE: busy; UNAVAILABLE: refused")
    }

    @Test(
        "does not repeat the causes of a failure to connect, but shows equal ones of two addresses")
    func connectAttempts() throws {
        let failure = ConnectionFailure(
            phase: .connect,
            attempts: [
                .init(address: "a:1", cause: "connect a:1: refused"),
                .init(address: "b:1", cause: "no route"),
            ])
        let error = failure.error(target: try Target("x.test"), nextAttempt: nil)
        #expect(
            "\(error)" == "UNAVAILABLE: no route; connect a:1: refused; attempt 1 of the channel")
    }

    @Test("counts the time of the whole call, with all its attempts")
    func waited() async throws {
        let server = try LoopbackServer { _ in }
        var policy = RetryPolicy(maxAttempts: 2, retryableCodes: [.unimplemented])
        // The jitter makes it 8 ms at least.
        policy.initialBackoff = .milliseconds(10)
        var config = ServiceConfig()
        config.methods = [MethodConfig([.all]) { [policy] in $0.retry = policy }]
        var arguments = ChannelArguments()
        arguments.serviceConfig = config
        let error = try await Self.error(on: server.makeChannel(arguments: arguments))
        #expect(try #require(error.waited) >= .milliseconds(8))
    }

    @Test("of a call that failed at once has no time")
    func notWaited() {
        var error = RPCError(.unavailable, "closed")
        error.waited = .microseconds(20)
        #expect("\(error)" == "UNAVAILABLE: closed")
    }

    @Test("of a timeout of zero says that nothing was sent")
    func zeroTimeout() async throws {
        let server = try LoopbackServer { server in server.unary(Self.echo) { _, _ in [1] } }
        let channel = try server.makeChannel()
        let error = try await Self.error(on: channel, .with { $0.timeout = .zero })
        #expect(error.code == .deadlineExceeded)
        #expect(error.message.contains("had passed when the call started"))
        #expect(!error.mayHaveBeenExecuted)
    }

    @Test("says which part of a response is missing")
    func missingPart() async throws {
        let cases: [([RawHPACK.Field], String)] = [
            (
                [(":status", "200"), ("content-type", "application/grpc")],
                "the response has no grpc-status: HTTP 200"
            ),
            ([(":status", "200")], "the response is not gRPC: HTTP 200 without a content-type"),
            (
                [(":status", "200"), ("content-type", "text/html")],
                "the response is not gRPC: HTTP 200, content-type text/html"
            ),
            (
                [(":status", "503"), ("content-type", "application/grpc")],
                "the response is not gRPC: HTTP 503, content-type application/grpc"
            ),
        ]
        for (fields, text) in cases {
            let peer = try RawPeer(
                RawScript { connection, stream in
                    try connection.headers(stream, fields, endStream: true)
                })
            let channel = try Channel(peer.target, credentials: .insecure)
            let error = try await Self.error(on: channel)
            #expect(error.message.hasPrefix(text), "\(error)")
        }
    }

    @Test("of a deadline says that no thread turns the queue")
    func unturnedQueue() async throws {
        let queue = try CompletionQueue(.byHand)
        let server = try LoopbackServer { server in server.unary(Self.echo) { _, _ in [1] } }
        let channel = try Channel(server.target, credentials: .insecure, queue: queue)
        let error = try await Self.error(on: channel, .with { $0.timeout = .milliseconds(20) })
        #expect(error.code == .deadlineExceeded)
        #expect(
            error.message.contains("no thread turned the channel's completion queue"))
        queue.shutdown()
    }

    @Test("of a deadline says what the call waited for")
    func deadlines() async throws {
        // The server sends headers, and nothing more.
        let answering = try RawPeer(RawScript { try $0.headers($1) })
        let channel = try Channel(answering.target, credentials: .insecure)
        let answered = "had begun to answer"
        let streamError = try await withGrowingTimeout(until: { $0.message.contains(answered) }) {
            options in
            let error = await #expect(throws: RPCError.self) {
                for try await _ in try await channel.serverStreaming(
                    ManyAnswers.method, [1], options: options)
                {}
            }
            return try #require(error)
        }
        #expect(streamError.message.contains(answered), "\(streamError)")
        // The server grants no window.
        var script = RawScript { _, _ in }
        script.grantsWindow = false
        let peer = try RawPeer(script)
        let blocked = try Channel(peer.target, credentials: .insecure)
        let noWindow = "flow-control window"
        let request = [UInt8](repeating: 1, count: 1 << 20)
        let unaryError = try await withGrowingTimeout(until: { $0.message.contains(noWindow) }) {
            options in
            let error = await #expect(throws: RPCError.self) {
                try await blocked.unary(Self.echo, request, options: options)
            }
            return try #require(error)
        }
        #expect(unaryError.message.contains(noWindow), "\(unaryError)")
    }

    private enum ManyAnswers {
        static let method = Method<[UInt8], [UInt8]>(
            "/t.Texts/Many", .serverStreaming, request: .bytes, reply: .bytes)
    }

    @Test(
        "of a header block names no case of the source",
        arguments: [
            HPACK.Malformation.truncated, .invalidIndex, .invalidHuffmanCode, .integerTooLarge,
        ])
    func headerBlock(error: HPACK.Malformation) { #expect("\(error)".contains(" ")) }

    @Test("of a second iteration says that the responses were read")
    func secondIteration() async throws {
        let server = try LoopbackServer { server in
            server.serverStreaming(ManyAnswers.method) { request, writer, _ in
                try await writer.write(request)
            }
        }
        let stream = try await server.makeChannel().serverStreaming(ManyAnswers.method, [1])
        var first = stream.makeAsyncIterator()
        #expect(try await first.next() == [1])
        #expect(try await first.next() == nil)
        #expect(try await first.next() == nil)
        let error = await #expect(throws: RPCError.self) { for try await _ in stream {} }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message.contains("can be read once") == true)
    }

    @Test("of a call of the wrong shape names both shapes")
    func wrongShape() async throws {
        let server = try LoopbackServer { _ in }
        let channel = try server.makeChannel()
        let many = ManyAnswers.method
        let text = "/t.Texts/Many is a server-streaming method and cannot be called as a"
        func check(_ error: RPCError?, _ shape: String) {
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.hasPrefix("\(text) \(shape) one") == true)
        }
        check(await #expect(throws: RPCError.self) { try await channel.unary(many, [1]) }, "unary")
        check(
            #expect(throws: RPCError.self) {
                _ = try channel.startUnary(many, [1]) { _ in Issue.record("called") }
            }, "unary")
        let future = channel.clientStreamingCall(many)
        check(
            await #expect(throws: RPCError.self) { try await future.response.value },
            "client-streaming")
        let ended = Mutex<RPCError?>(nil)
        _ = channel.startClientStreaming(many) { result in
            if case .failure(let error) = result { ended.withLock { $0 = error } }
        }
        check(ended.withLock { $0 }, "client-streaming")
        #expect(server.connectionCount == 0)
    }
}
