import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import SwiftletObservation
import Testing

@testable import SwiftletCore

/// Answers with the method, the path and the body of the request.
func echoServer(
    tls: ServerTLS? = nil, _ version: HTTPVersion = .negotiated
) throws -> LoopbackServer {
    try LoopbackServer(tls: tls) { server in
        server.httpVersion = version
        server.addGreeter()
        server.http("/echo") { request in
            HTTPReply(
                status: request.method == .put ? 201 : 200, contentType: "text/plain",
                headers: ["x-method": request.method.rawValue, "x-path": request.path],
                body: request.body)
        }
    }
}

@Suite("A request over HTTP/1.1", .timeLimit(.minutes(5)))
struct HTTP1CallTests {
    static let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)

    @Test("may have any method, with and without a body, over one kept connection")
    func methods() async throws {
        let server = try echoServer()
        let channel = try Channel(url: "http://\(server.target)")
        for method: HTTPMethod in [.get, .post, .put, .patch, .delete, .options, "PROPFIND"] {
            let body = Array("\(method)".utf8)
            let answer = try await channel.request(
                method, "/echo?a=b", contentType: "text/plain", body: body)
            #expect(answer.status == (method == .put ? 201 : 200))
            #expect(answer.headers["x-method"] == method.rawValue)
            #expect(answer.headers["x-path"] == "/echo?a=b")
            #expect(answer.body == body)
        }
        let empty = try await channel.request(.get, "/echo")
        #expect(empty.status == 200 && empty.body.isEmpty)
        #expect(server.connectionCount == 1)
    }

    /// A server that answers when the gate opens.
    private static func slowServer(_ gate: Gate) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.httpVersion = .http1
            server.http("/") { _ in
                await gate.pass()
                return HTTPReply(contentType: "text/plain", body: [1])
            }
        }
    }

    @Test(
        "delays close() by the grace period at most, and not at all if the closing task is cancelled"
    )
    func closing() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try Self.slowServer(gate)
        for isCancelled in [false, true] {
            let channel = try Channel(url: "http://\(server.target)")
            let call = Task { try await channel.request(.get, "/") }
            await gate.waitFor(1)
            // Longer than the time limit of the test.
            let patient = Task { await channel.close(grace: .seconds(3_600)) }
            try await eventually { channel.connectivity == .shutdown }
            if isCancelled {
                patient.cancel()
            } else {
                await channel.close(grace: .milliseconds(1))
            }
            await patient.value
            let error = await #expect(throws: RPCError.self) { _ = try await call.value }
            #expect(error?.code == .cancelled)
        }
    }

    @Test("on a queue that no thread turns delays close() by the grace period at most")
    func closingByHand() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try Self.slowServer(gate)
        let queue = try CompletionQueue(.byHand)
        let channel = try Channel(url: "http://\(server.target)", queue: queue)
        let call = try channel.startRequest(.get, "/") { _ in }
        for _ in 0..<1_000 where gate.arrivalCount == 0 {
            _ = try await onThread { try queue.next(deadline: .after(.milliseconds(5))) }
        }
        await channel.close(grace: .milliseconds(50))
        withExtendedLifetime(call) {}
    }

    @Test("ends before its channel is closed, and the channel is then released")
    func released() async throws {
        let gate = Gate()
        let server = try LoopbackServer { server in
            server.httpVersion = .http1
            server.http("/") { _ in
                await gate.pass()
                return HTTPReply(contentType: "text/plain", body: [1])
            }
        }
        let queue = try CompletionQueue()
        var channel: Channel? = try Channel(url: "http://\(server.target)", queue: queue)
        weak let core = channel?.backend as? ChannelCore
        #expect(core != nil)
        let call = Task { [channel] in try await channel?.request(.get, "/").body }
        try await eventually { gate.arrivalCount == 1 }
        let closing = Task { [channel] in await channel?.close(grace: .seconds(3_600)) }
        try await eventually { channel?.connectivity == .shutdown }
        gate.open()
        #expect(try await call.value == [1])
        await closing.value
        channel = nil
        // The queue still runs, and its timer for the grace period would fire in an hour.
        try await eventually { core == nil }
        queue.shutdown()
    }

    @Test("carries the metadata of the call", arguments: [HTTPVersion.http1, .http2])
    func metadata(_ version: HTTPVersion) async throws {
        let server = try LoopbackServer { server in
            server.http("/") { request in
                HTTPReply(
                    contentType: "text/plain", body: Array((request.headers["x-sent"] ?? "").utf8))
            }
        }
        let channel = try Channel(server.target, version: version, credentials: .insecure)
        let answer = try await channel.request(
            .get, "/", options: .with { $0.metadata = ["x-sent": "value"] })
        #expect(answer.body == Array("value".utf8))
    }

    @Test("carries bodies larger than any buffer", arguments: [HTTPVersion.http1, .http2])
    func largeBody(_ version: HTTPVersion) async throws {
        let server = try echoServer()
        let channel = try Channel(server.target, version: version, credentials: .insecure)
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let answer = try await channel.post(
            "/echo", contentType: "application/byte-stream", body: body)
        #expect(answer.body == body)
    }

    @Test("receives as many headers as the channel allows")
    func manyHeaders() async throws {
        let server = try LoopbackServer { server in
            server.http("/many") { _ in
                let value = String(repeating: "x", count: 1_000)
                var reply = HTTPReply(contentType: "text/plain", body: [])
                for number in 0..<100 { reply.headers["x-\(number)"] = value }
                return reply
            }
        }
        for (byteCount, isEnough) in [(64 << 10, false), (200_000, true)] {
            var arguments = ChannelArguments()
            arguments.maxMetadataByteCount = byteCount
            let channel = try Channel(
                server.target, version: .http1, credentials: .insecure, arguments: arguments)
            let answer = try? await channel.request(.get, "/many")
            #expect((answer?.headers["x-99"] != nil) == isEnough)
        }
    }

    @Test(
        "with the method HEAD gets headers and no body in both versions",
        arguments: [HTTPVersion.http1, .http2])
    func head(_ version: HTTPVersion) async throws {
        let server = try echoServer()
        let channel = try Channel(server.target, version: version, credentials: .insecure)
        for _ in 0..<2 {
            let answer = try await channel.request(.head, "/echo", body: [1, 2])
            #expect(answer.headers["x-method"] == "HEAD")
            #expect(answer.body.isEmpty)
        }
        #expect(server.connectionCount == 1)
    }

    @Test("to an unknown path gets an answer, and with a bad method an error")
    func mistakes() async throws {
        let server = try echoServer()
        let channel = try Channel(url: "http://\(server.target)/ignored")
        #expect(try await channel.request(.get, "/nowhere").status == 404)
        for (method, path) in [
            ("CONNECT", "/"), ("GE T", "/"), ("GET", "/a b"), ("GET", "a"), ("GET", "*"),
            ("OPTIONS", "a"),
        ] {
            let error = await #expect(throws: RPCError.self) {
                try await channel.request(HTTPMethod(rawValue: method), path)
            }
            #expect(error?.code == .invalidArgument)
        }
        #expect(try await channel.request(.get, "/echo").status == 200)
    }

    @Test("of gRPC on a channel of HTTP/1.1 fails at once with the reason")
    func gRPC() async throws {
        let server = try echoServer()
        let channel = try Channel(server.target, version: .http1, credentials: .insecure)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.sayHello, HelloRequest(name: "you"))
        }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message.contains("HTTP/2") == true)
    }

    @Test("uses interceptors, limits and deadlines")
    func calls() async throws {
        let (gate, cancelledGate) = (Gate(), Gate())
        let server = try LoopbackServer { server in
            for (path, gate) in [("/silent", gate), ("/cancelled", cancelledGate)] {
                server.http(path) { _ in
                    await gate.pass()
                    return HTTPReply(contentType: "text/plain", body: [])
                }
            }
            server.http("/large") { _ in
                HTTPReply(contentType: "text/plain", body: [UInt8](repeating: 7, count: 10_000))
            }
        }
        defer {
            gate.open()
            cancelledGate.open()
        }
        let totals = MetricTotals([.callDuration], recordsAllPaths: true)
        var arguments = ChannelArguments()
        arguments.metricSinks = [totals]
        let channel = try Channel(url: "http://\(server.target)", arguments: arguments)
        let late = await #expect(throws: RPCError.self) {
            try await channel.request(
                .get, "/silent", options: .with { $0.timeout = .milliseconds(50) })
        }
        #expect(late?.code == .deadlineExceeded)
        let large = await #expect(throws: RPCError.self) {
            try await channel.request(
                .get, "/large", options: .with { $0.maxReceiveByteCount = 100 })
        }
        #expect(large?.code == .resourceExhausted)
        let task = Task { try await channel.request(.get, "/cancelled") }
        await cancelledGate.waitFor(1)
        task.cancel()
        let cancelled = await #expect(throws: RPCError.self) { try await task.value }
        #expect(cancelled?.code == .cancelled)
        #expect(try await channel.request(.get, "/large").body.count == 10_000)
        let counts = totals[.callDuration].map { labels, total in
            labels.filter { $0.key != "grpc.target" }.map(\.value) + ["\(total.count)"]
        }
        #expect(
            Set(counts) == [
                ["silent", "DEADLINE_EXCEEDED", "1"], ["cancelled", "CANCELLED", "1"],
                ["large", "RESOURCE_EXHAUSTED", "1"], ["large", "OK", "1"],
            ])
    }

    @Test("with a handler is completed once")
    func handler() async throws {
        let server = try echoServer()
        let channel = try Channel(url: "http://\(server.target)")
        let answer = await withCheckedContinuation { continuation in
            _ = try? channel.startRequest(.put, "/echo", body: [5]) {
                continuation.resume(returning: $0)
            }
        }
        #expect(try answer.get().body == [5])
        #expect(try answer.get().status == 201)
    }
}

@Suite(
    "The version of HTTP", .timeLimit(.minutes(5)),
    .enabled(if: TLSLibrary.isHere, "OpenSSL is not installed"))
struct HTTPVersionTests {
    private func channel(_ server: LoopbackServer) throws -> Channel {
        var options = TLSOptions()
        options.rootCertificates = .text(try SecureCallTests.pem("ca.pem"))
        return try Channel(
            url: "https://localhost:\(server.target.split(separator: ":")[1])",
            credentials: .tls(options))
    }

    private func tls() throws -> ServerTLS {
        ServerTLS(
            certificateChain: try SecureCallTests.pem("server.pem"),
            privateKey: try SecureCallTests.pem("server.key"))
    }

    @Test("is HTTP/1.1 if the server chooses it (ALPN)")
    func http1() async throws {
        let server = try echoServer(tls: tls(), .http1)
        let channel = try channel(server)
        for _ in 0..<3 {
            #expect(try await channel.request(.put, "/echo", body: [1]).body == [1])
        }
        #expect(server.connectionCount == 1)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(HTTP1CallTests.sayHello, HelloRequest(name: "you"))
        }
        #expect(error?.code == .failedPrecondition)
    }

    @Test("is HTTP/2 if the server chooses it, and calls of gRPC use the first connection")
    func http2() async throws {
        let server = try echoServer(tls: tls())
        let channel = try channel(server)
        #expect(try await channel.request(.put, "/echo", body: [1]).body == [1])
        let reply = try await channel.unary(HTTP1CallTests.sayHello, HelloRequest(name: "you"))
        #expect(!reply.message.isEmpty)
        #expect(try await channel.request(.get, "/echo").status == 200)
        #expect(server.connectionCount == 1)
        #expect(channel.connectivity == .ready)
        await channel.close()
    }

    @Test("is followed by the states of the channel")
    func connectivity() async throws {
        let server = try echoServer(tls: tls())
        let channel = try channel(server)
        let states = channel.connectivityChanges
        channel.connect()
        for await state in states where state == .connecting { break }
        #expect(try await channel.request(.get, "/echo").status == 200)
        for await state in channel.connectivityChanges where state == .ready { break }
        await channel.close()
        for await state in channel.connectivityChanges where state == .shutdown { break }
    }
}
