import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Testing

private let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)

@Suite("A group of calls", .timeLimit(.minutes(5)))
struct CallGroupTests {
    @Test("ends once, with its results in order")
    func order() async throws {
        let fake = try FakeChannel()
        var group = CallGroup<String>()
        for index in 0..<10 {
            let method = try Method<HelloRequest, HelloReply>(
                path: "/test.Test/M\(index)", .unary)
            try fake.respond(to: method).sendMessage(HelloReply(message: "\(index)"))
            group.add { try await fake.channel.unary(method, .init()).message }
        }
        #expect(try await group.values() == (0..<10).map { "\($0)" })
    }

    @Test("can cancel the other calls at the first error, and throws this error")
    func firstError() async throws {
        let fake = try FakeChannel()
        let silent = Method<HelloRequest, HelloReply>("/test.Test/Silent", .unary)
        let failing = Method<HelloRequest, HelloReply>("/test.Test/Failing", .unary)
        let kept = fake.respond(to: silent)
        try fake.respond(to: failing).sendError(RPCError(.dataLoss, "gone"))
        var group = CallGroup<HelloReply>(cancelsRestOnError: true)
        group.add { try await fake.channel.unary(silent, .init()) }
        group.add { try await fake.channel.unary(failing, .init()) }
        let error = await #expect(throws: RPCError.self) { try await group.values() }
        #expect(error?.code == .dataLoss)
        _ = kept
    }

    @Test("lets the other calls end after an error, unless it was told to cancel them")
    func goesOn() async throws {
        let fake = try FakeChannel()
        let slow = Method<HelloRequest, HelloReply>("/test.Test/Slow", .unary)
        let failing = Method<HelloRequest, HelloReply>("/test.Test/Failing", .unary)
        let response = fake.respond(to: slow)
        try fake.respond(to: failing).sendError(RPCError(.dataLoss, "gone"))
        let failed = Gate()
        var group = CallGroup<HelloReply>()
        group.add { try await fake.channel.unary(slow, .init()) }
        group.add {
            defer { failed.open() }
            return try await fake.channel.unary(failing, .init())
        }
        async let results = group.results()
        await failed.pass()
        try response.sendMessage(HelloReply(message: "x"))
        let ended = await results
        #expect(try ended[0].get().message == "x")
        #expect((try? ended[1].get()) == nil)
    }

    @Test("can pass its results to a handler")
    func handlers() async throws {
        let fake = try FakeChannel()
        try fake.respond(to: sayHello).sendMessage(HelloReply(message: "x"))
        var group = CallGroup<String>()
        group.add { try await fake.channel.unary(sayHello, .init()).message }
        group.add { try await fake.channel.unary(sayHello, .init()).message }
        let results = await withCheckedContinuation { continuation in
            group.start { continuation.resume(returning: $0) }
        }
        #expect(results.count == 2)
        #expect(results.filter { (try? $0.get()) == "x" }.count == 1)
    }
}
