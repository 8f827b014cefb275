import Swiftlet
import SwiftletLoopback
import Testing

private let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)

@Suite("A gate of replies", .timeLimit(.minutes(5)))
struct ReplyGateTests {
    @Test("holds answers until it is opened, and lets later ones pass")
    func holds() async throws {
        let gate = ReplyGate()
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.faults = [.on(sayHello.path, .pause(gate))]
        }
        let channel = try server.makeChannel()
        let answers = Notes()
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    answers.add(
                        try await channel.unary(sayHello, HelloRequest(name: "you")).message)
                }
            }
            await gate.arrivals(3)
            #expect(answers.all.isEmpty)
            gate.open()
            try await group.waitForAll()
        }
        _ = try await channel.unary(sayHello, HelloRequest(name: "you"))
        #expect(gate.arrivalCount == 4)
        #expect(server.unusedFaults.isEmpty)
    }

    @Test("closes again, in the middle of an answer")
    func inHandler() async throws {
        let gate = ReplyGate(isOpen: true)
        let count = Method<HelloRequest, HelloReply>("/t.T/Count", .serverStreaming)
        let server = try LoopbackServer { server in
            server.serverStreaming(count) { _, replies, _ in
                for index in 0..<2 {
                    try await gate.pass()
                    try await replies.write(HelloReply(message: "\(index)"))
                    gate.close()
                }
            }
        }
        var replies = try await server.makeChannel().serverStreaming(count, HelloRequest())
            .makeAsyncIterator()
        #expect(try await replies.next()?.message == "0")
        await gate.arrivals(2)
        gate.open()
        #expect(try await replies.next()?.message == "1")
        #expect(try await replies.next() == nil)
    }

    @Test("lets go of calls that the client has cancelled")
    func cancelled() async throws {
        let gate = ReplyGate()
        let wasReleased = ReplyGate()
        let server = try LoopbackServer { server in
            server.unary(sayHello) { request, _ in
                do {
                    try await gate.pass()
                } catch {
                    // The task of the handler is cancelled, so it does not wait here.
                    try? await wasReleased.pass()
                    throw error
                }
                return HelloReply()
            }
        }
        let channel = try server.makeChannel()
        let call = Task { try await channel.unary(sayHello, HelloRequest()) }
        await gate.arrivals(1)
        call.cancel()
        await wasReleased.arrivals(1)
        let error = await #expect(throws: RPCError.self) { try await call.value }
        #expect(error?.code == .cancelled)
    }

    @Test("does not keep a test that was cancelled")
    func cancelledTest() async {
        let gate = ReplyGate()
        let waiting = Task { await gate.arrivals(1) }
        waiting.cancel()
        await waiting.value
        #expect(gate.arrivalCount == 0)
    }
}
