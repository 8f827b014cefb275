import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@Suite("Callbacks of a call as a value that use the call", .timeLimit(.minutes(5)))
struct FutureReentryTests {
    private static let sayHello = FutureCallTests.sayHello

    private static func server(_ gate: Gate = Gate()) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(sayHello) { request, context in
                context.sendInitialMetadata([:])
                if request.name == "wait" { await gate.pass() }
                return HelloReply(message: "Hello \(request.name)")
            }
            server.bidirectional(FutureCallTests.echo) { requests, writer, _ in
                for try await request in requests { try await writer.write(request) }
            }
        }
    }

    @Test("may cancel their own call, which ends once with CANCELLED")
    func cancelInside() async throws {
        let gate = Gate()
        let channel = try Self.server(gate).makeChannel()
        let call = channel.unaryCall(Self.sayHello, HelloRequest(name: "wait"))
        let ends = Atomic(0)
        call.status.whenComplete { _ in
            ends.wrappingAdd(1, ordering: .relaxed)
            call.cancel()
        }
        call.initialMetadata.whenComplete { _ in
            call.cancel()
            call.cancel()
        }
        #expect(try await call.status.value.code == .cancelled)
        await #expect(throws: RPCError.self) { try await call.response.value }
        #expect(ends.load(ordering: .relaxed) == 1)
        gate.open()
    }

    @Test("may cancel from a handler of messages, which then receives no more")
    func cancelInHandler() async throws {
        let channel = try Self.server().makeChannel()
        let count = Atomic(0)
        let box = Mutex<BidirectionalCall<[UInt8], [UInt8]>?>(nil)
        let call = channel.bidirectionalCall(FutureCallTests.echo) { _ in
            count.wrappingAdd(1, ordering: .relaxed)
            box.withLock { $0 }?.cancel()
        }
        box.withLock { $0 = call }
        for number: UInt8 in 0..<5 { call.sendMessage([number]) }
        #expect(try await call.status.value.code == .cancelled)
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test("may add callbacks, and start the next call, again and again")
    func startInside() async throws {
        let channel = try Self.server().makeChannel()
        let (replies, continuation) = AsyncStream.makeStream(of: String.self)
        @Sendable func start(_ number: Int) {
            guard number < 200 else { return continuation.finish() }
            let call = channel.unaryCall(Self.sayHello, HelloRequest(name: "\(number)"))
            call.response.whenComplete { result in
                continuation.yield((try? result.get().message) ?? "none")
                // The future is complete, so the callback runs before `whenComplete` returns.
                call.response.whenComplete { _ in start(number + 1) }
            }
        }
        start(0)
        var number = 0
        for await reply in replies {
            #expect(reply == "Hello \(number)")
            number += 1
        }
        #expect(number == 200)
    }

    @Test("must not block the queue that delivers the value, but may read an available value")
    func waitInside() async throws {
        let gate = Gate()
        let channel = try Self.server(gate).makeChannel()
        let slow = channel.unaryCall(Self.sayHello, HelloRequest(name: "wait"))
        let call = channel.unaryCall(Self.sayHello, HelloRequest(name: "you"))
        let result = await withCheckedContinuation { continuation in
            call.response.whenComplete { _ in
                let own = Result { () throws(RPCError) in try call.response.wait() }
                let other = Result { () throws(RPCError) in try slow.response.wait() }
                continuation.resume(returning: (own, other))
            }
        }
        #expect(try result.0.get().message == "Hello you")
        let error = #expect(throws: RPCError.self) { try result.1.get() }
        #expect(error?.code == .failedPrecondition)
        gate.open()
        #expect(try await slow.response.value.message == "Hello wait")
    }

    @Test("may write the next message from the future of the one before")
    func writeInside() async throws {
        let channel = try Self.server().makeChannel()
        let received = Mutex<[UInt8]>([])
        let call = channel.bidirectionalCall(FutureCallTests.echo) { reply in
            received.withLock { $0 += reply }
        }
        @Sendable func write(_ number: UInt8) {
            guard number < 100 else { return call.sendEnd() }
            call.sendMessage([number]).whenComplete { _ in write(number + 1) }
        }
        write(0)
        #expect(try await call.status.value == .ok)
        #expect(received.withLock { $0 } == Array(0..<100))
    }

    @Test("form a chain of any length without overflowing the stack")
    func longChain() async throws {
        let gate = Gate()
        let channel = try Self.server(gate).makeChannel()
        let call = channel.unaryCall(Self.sayHello, HelloRequest(name: "wait"))
        var length = call.response.map(\.message.count)
        for _ in 0..<100_000 { length = length.map { $0 + 1 } }
        gate.open()
        #expect(try await length.value == 100_010)
    }

    @Test("are each called once, even if threads add them while the value arrives")
    func race() async throws {
        let channel = try Self.server().makeChannel()
        for _ in 0..<50 {
            let call = channel.unaryCall(Self.sayHello, HelloRequest(name: "you"))
            let results = Notes()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        await withCheckedContinuation { continuation in
                            call.response.whenComplete { result in
                                results.add("\((try? result.get()) != nil)")
                                continuation.resume()
                            }
                        }
                    }
                }
                group.addTask { call.cancel() }
            }
            #expect(results.all.count == 8)
            #expect(Set(results.all).count == 1)
        }
    }
}
