import Swiftlet
import SwiftletLoopback
import Testing

@Suite("The timeline of a call", .timeLimit(.minutes(1)))
struct TimelineTests {
    static let sayHello = Method<HelloRequest, HelloReply>(
        "/helloworld.Greeter/SayHello", .unary)

    @Test("tells its steps in their order, and the way there")
    func steps() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let channel = try Channel(server.target)
        let request = HelloRequest(name: "you")
        let first = try #require(
            try await channel.unaryResponse(Self.sayHello, request).timeline)
        let resolved = try #require(first.resolved)
        let connected = try #require(first.connected)
        let sent = try #require(first.headersSent)
        let firstByte = try #require(first.firstByte)
        let lastByte = try #require(first.lastByte)
        #expect(first.started <= resolved && resolved <= connected && connected <= sent)
        #expect(sent <= firstByte && firstByte <= lastByte)
        #expect(first.secured == nil)
        #expect(first.peer == server.target)
        #expect(first.streamCount == 1)
        #expect(first.sentByteCount == 5 + request.encoded().count)
        #expect(first.receivedByteCount == 5 + HelloReply(message: "Hello you").encoded().count)
        #expect(first.description.contains(server.target))

        let second = try #require(
            try await channel.unaryResponse(Self.sayHello, request).timeline)
        #expect(second.connected == connected)
        #expect(second.started >= lastByte)
        #expect(second.headersSent == second.started)
    }

    @Test("travels in the error of a call that failed, with what the server sent before")
    func failure() async throws {
        let server = try LoopbackServer { _ in }
        let channel = try Channel(server.target)
        let error = try #require(
            await #expect(throws: RPCError.self) {
                try await channel.unary(Self.sayHello, HelloRequest(name: "you"))
            })
        #expect(error.code == .unimplemented)
        #expect(error.timeline?.peer == server.target)
        #expect(error.waited == error.timeline?.duration)
        #expect(error.peer == server.target)
    }

    @Test("of a stream is there once it has ended")
    func stream() async throws {
        let server = try LoopbackServer { $0.addRouteGuide() }
        let channel = try Channel(server.target)
        let chat: Conversation<RouteGuide.RouteNote, RouteGuide.RouteNote> =
            try await channel.bidirectional(
                Method("/routeguide.RouteGuide/RouteChat", .bidirectional))
        #expect(chat.responses.timeline == nil)
        chat.requests.finish()
        for try await _ in chat.responses {}
        #expect(chat.responses.timeline?.lastByte != nil)
    }
}
