import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import Testing

/// Tests how the bundled services and the server answer invalid and unusual requests.
@Suite("A loopback server with unusual requests", .timeLimit(.minutes(5)))
struct ServicesEdgeTests {
    @Test("continues after an echo of text that must not be sent")
    func echo() async throws {
        let server = try LoopbackServer { $0.add(TestService()) }
        let peer = try Channel(server.target, credentials: .insecure)
        let call = Method<GRPC.Testing.Empty, GRPC.Testing.Empty>(
            "/grpc.testing.TestService/EmptyCall", .unary)
        var options = CallOptions()
        options.metadata.append(
            received: .text("\t\u{e9}"), for: "x-grpc-test-echo-initial")
        // The first call may fail. The server must still answer the second one.
        _ = try? await peer.unary(call, .init(), options: options)
        _ = try await peer.unary(call, .init())
    }

    @Test("continues after a distance above the largest number")
    func distance() async throws {
        let server = try LoopbackServer { $0.addRouteGuide() }
        let channel = try Channel(server.target, credentials: .insecure)
        let record = Method<RouteGuide.Point, RouteGuide.RouteSummary>(
            "/routeguide.RouteGuide/RecordRoute", .clientStreaming)
        let summary: RouteGuide.RouteSummary = try await channel.clientStreaming(record) { points in
            for number in 0..<80 {
                let edge = number % 2 == 0 ? Int32.min : .max
                try await points.write(RouteGuide.Point(latitude: edge, longitude: edge))
            }
        }
        #expect(summary.pointCount == 80)
        #expect(summary.distance == .max)
    }

    @Test("greets in streams, too")
    func greetings() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let channel = try Channel(server.target, credentials: .insecure)
        let many = try await channel.serverStreaming(
            Method<HelloRequest, HelloReply>(
                "/helloworld.Greeter/SayHelloStreamReply", .serverStreaming),
            HelloRequest(name: "you"))
        var messages: [String] = []
        for try await reply in many { messages.append(reply.message) }
        #expect(messages.count == 10 && messages.first == "Hello you 0")
        let talk = try await channel.bidirectional(
            Method<HelloRequest, HelloReply>(
                "/helloworld.Greeter/SayHelloBidiStream", .bidirectional))
        try await talk.requests.write(HelloRequest(name: "you"))
        talk.requests.finish()
        var answers: [String] = []
        for try await reply in talk.responses { answers.append(reply.message) }
        #expect(answers == ["Hello you"])
    }

    @Test("sends and receives at the same time until the client has finished")
    func bothWays() async throws {
        let server = try LoopbackServer { $0.addBenchmark() }
        let channel = try Channel(server.target, credentials: .insecure)
        let call = try await channel.bidirectional(
            Method<GRPC.Testing.SimpleRequest, GRPC.Testing.SimpleResponse>(
                "/grpc.testing.BenchmarkService/StreamingBothWays", .bidirectional))
        var replies = call.responses.makeAsyncIterator()
        for _ in 0..<100 { #expect(try await replies.next() != nil) }
        call.requests.finish()
        while try await replies.next() != nil {}
    }

    @Test("answers 415 to content types that are not gRPC, or only similar")
    func notGRPC() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let channel = try Channel(server.target, credentials: .insecure)
        for type in ["text/plain", "application/grpc-web", "application/grpcfoo"] {
            let answer = try await channel.post(
                "/helloworld.Greeter/SayHello", contentType: type, body: [0, 0, 0, 0, 0])
            #expect(answer.status == 415, "\(type)")
        }
    }

    @Test("drops the connection before the first message if a fault requires it")
    func dropAtOnce() async throws {
        let server = try LoopbackServer {
            $0.addGreeter()
            $0.faults = [.always(.dropAfterMessages(0))]
        }
        let error = await #expect(throws: RPCError.self) {
            _ = try await Channel(server.target, credentials: .insecure).unary(
                Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary), .init())
        }
        #expect(error?.code == .unavailable)
    }

    @Test("accepts large metadata up to the limit, in frames of any size")
    func largeMetadata() async throws {
        let text = String(repeating: "x", count: 200_000)
        let echo = HostileTrial.echo
        let server = try LoopbackServer { server in
            server.unary(echo) { request, context in
                context.setTrailingMetadata(["large": text])
                return request
            }
        }
        var arguments = ChannelArguments()
        arguments.maxMetadataByteCount = 1 << 20
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        let response = try await channel.unaryResponse(echo, [1])
        #expect(response.trailingMetadata["large"] == text)
        // With the default limit the metadata is too large, and the call fails.
        let other = try Channel(server.target, credentials: .insecure)
        let error = await #expect(throws: RPCError.self) { _ = try await other.unary(echo, [1]) }
        #expect(error != nil)
    }

    @Test("is not called if the authority or the user agent contains a line end")
    func lineEnds() async throws {
        let server = try LoopbackServer { $0.unary(HostileTrial.echo) { request, _ in request } }
        let channel = try Channel(server.target, credentials: .insecure)
        let first = await #expect(throws: RPCError.self) {
            try await channel.unary(
                HostileTrial.echo, [1], options: .with { $0.authority = "a\nb" })
        }
        #expect(first?.code == .invalidArgument)
        var arguments = ChannelArguments()
        arguments.userAgentPrefix = "a\r\nb"
        let other = try Channel(server.target, credentials: .insecure, arguments: arguments)
        let second = await #expect(throws: RPCError.self) {
            try await other.unary(HostileTrial.echo, [1])
        }
        #expect(second?.code == .invalidArgument)
        #expect(try await channel.unary(HostileTrial.echo, [1]) == [1])
    }

    @Test("of plain HTTP receives no more bytes than the limit allows")
    func plainLimit() async throws {
        let server = try LoopbackServer { server in
            server.http("/size") { request in
                let headers = request.headers.map(\.name).contains("grpc-timeout")
                return HTTPReply(
                    contentType: "text/plain", body: Array("\(request.body.count) \(headers)".utf8))
            }
        }
        var options = CallOptions()
        options.maxSendByteCount = 10
        options.timeout = .seconds(120)
        let channel = try Channel(server.target, credentials: .insecure)
        let answer = try await channel.post(
            "/size", contentType: "text/plain", body: [1, 2, 3], options: options)
        #expect(String(decoding: answer.body, as: UTF8.self) == "3 false")
        let limited = options
        let error = await #expect(throws: RPCError.self) {
            try await channel.post(
                "/size", contentType: "text/plain", body: Array(repeating: 1, count: 11),
                options: limited)
        }
        #expect(error?.code == .resourceExhausted)
    }
}
