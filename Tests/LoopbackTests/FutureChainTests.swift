import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@Suite("Futures of calls, chained", .timeLimit(.minutes(5)))
struct FutureChainTests {
    private static let sayHello = FutureCallTests.sayHello

    private static func channel(_ gate: Gate = Gate()) throws -> Channel {
        try LoopbackServer { server in
            server.unary(sayHello) { request, _ in
                if request.name == "wait" { await gate.pass() }
                if request.name == "fail" { throw RPCError(.notFound, "no such name") }
                return HelloReply(message: "\(request.name)!")
            }
        }.makeChannel()
    }

    @Test("flatMap starts the second call with the response of the first")
    func flatMap() async throws {
        let channel = try Self.channel()
        @Sendable func call(_ name: String) -> CallFuture<HelloReply> {
            channel.unaryCall(Self.sayHello, HelloRequest(name: name)).response
        }
        let last = call("a").flatMap { call($0.message) }.flatMap { call($0.message) }
        #expect(try await last.value.message == "a!!!")
        #expect(try last.wait().message == "a!!!")
        let failing = call("fail").flatMap { _ in
            Issue.record("called for an error")
            return call("b")
        }
        let error = await #expect(throws: RPCError.self) { try await failing.value }
        #expect(error?.code == .notFound)
    }

    @Test("map, flatMap and recover may throw the error of the new future")
    func throwing() async throws {
        let channel = try Self.channel()
        let refused = RPCError(.failedPrecondition, "refused")
        let response = channel.unaryCall(Self.sayHello, HelloRequest(name: "a")).response
        let mapped = response.map { _ throws(RPCError) -> Int in throw refused }
        let chained = response.flatMap { _ throws(RPCError) -> CallFuture<Int> in throw refused }
        let recovered = mapped.recover { _ throws(RPCError) -> Int in throw refused }
        for future in [mapped, chained, recovered] {
            let error = await #expect(throws: RPCError.self) { try await future.value }
            #expect(error == refused)
        }
    }

    @Test("recover and flatMapError replace an error, and leave a value as it is")
    func recovery() async throws {
        let channel = try Self.channel()
        for (name, outcome) in [("a", "a!"), ("fail", "no such name")] {
            let response = channel.unaryCall(Self.sayHello, HelloRequest(name: name)).response
            let text = response.map(\.message).recover { $0.message }
            #expect(try await text.value == outcome)
            let again = response.flatMapError { _ in
                channel.unaryCall(Self.sayHello, HelloRequest(name: "b")).response
            }
            #expect(try await again.value.message == (name == "a" ? "a!" : "b!"))
        }
    }

    @Test("all gives the values in the order of the futures, or the first error")
    func all() async throws {
        let gate = Gate()
        let channel = try Self.channel(gate)
        func futures(_ names: [String]) -> [CallFuture<HelloReply>] {
            names.map { channel.unaryCall(Self.sayHello, HelloRequest(name: $0)).response }
        }
        #expect(try await CallFuture<Int>.all([]).value == [])
        #expect(try CallFuture<Int>.all([]).wait() == [])
        let three = CallFuture.all(futures(["wait", "b", "c"]))
        let failing = CallFuture.all(futures(["wait", "fail"]))
        let error = await #expect(throws: RPCError.self) { try await failing.value }
        #expect(error?.code == .notFound)
        #expect(!three.isComplete)
        gate.open()
        #expect(try await three.value.map(\.message) == ["wait!", "b!", "c!"])
    }

    @Test("form a chain of any length of futures in futures without overflowing the stack")
    func longChain() async throws {
        let gate = Gate()
        let channel = try Self.channel(gate)
        let first = channel.unaryCall(Self.sayHello, HelloRequest(name: "wait")).response
        let one = channel.unaryCall(Self.sayHello, HelloRequest(name: "x")).response.map { _ in 1 }
        var sum = first.map { _ in 0 }
        for _ in 0..<50_000 { sum = sum.flatMap { sum in one.map { $0 + sum } } }
        // Each level waits inside the one before.
        @Sendable func nested(_ depth: Int) -> CallFuture<Int> {
            depth == 0 ? one : first.flatMap { _ in one }.recover { _ in 0 }
        }
        gate.open()
        #expect(try await sum.value == 50_000)
        #expect(try await nested(1).value == 1)
    }
}
