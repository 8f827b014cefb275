import Foundation
import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

struct Greeter: ServiceClient {
    static let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
    let channel: Channel

    func sayHello(
        _ request: HelloRequest, options: CallOptions = .init()
    ) async throws(RPCError) -> HelloReply {
        try await unary(Self.sayHello, request, options: options)
    }
}

@Suite("A call", .timeLimit(.minutes(5)))
struct CallTests {
    @Test("with one message each way")
    func unary() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let greeter = Greeter(channel: try Channel(server.target, credentials: .insecure))
        for index in 0..<100 {
            let reply = try await greeter.sayHello(.init(name: "world \(index)"))
            #expect(reply.message == "Hello world \(index)")
        }
        #expect(server.connectionCount == 1)
    }

    @Test("over a Unix-domain socket")
    func unix() async throws {
        let path = "/tmp/swiftlet-\(UInt64.random(in: 0 ... .max)).sock"
        let server = try LoopbackServer(on: .unix(path: path)) { $0.addGreeter() }
        let greeter = Greeter(channel: try Channel(server.target, credentials: .insecure))
        #expect(try await greeter.sayHello(.init(name: "you")).message == "Hello you")
    }

    @Test("over a path, which is free again only after its server has ended")
    func freedPath() async throws {
        let path = "/tmp/swiftlet-\(UInt64.random(in: 0 ... .max)).sock"
        let first = try LoopbackServer(on: .unix(path: path)) { $0.addGreeter() }
        #expect(throws: RPCError.self) { _ = try LoopbackServer(on: .unix(path: path)) { _ in } }
        first.shutdown()
        let second = try LoopbackServer(on: .unix(path: path)) { $0.addGreeter() }
        first.shutdown()
        let greeter = Greeter(channel: try Channel(second.target, credentials: .insecure))
        let reply = try await greeter.sayHello(.init(name: "you"))
        #expect(reply.message == "Hello you")
        second.shutdown()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("to an unknown method fails with UNIMPLEMENTED")
    func unimplemented() async throws {
        let server = try LoopbackServer { _ in }
        let greeter = Greeter(channel: try Channel(server.target, credentials: .insecure))
        let error = await #expect(throws: RPCError.self) {
            try await greeter.sayHello(.init(name: "you"))
        }
        #expect(error?.code == .unimplemented)
        #expect(error?.origin == .server)
    }

    @Test("to a refused address names the address and the next attempt")
    func refused() async throws {
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .seconds(60)
        // No server listens on port 1.
        let greeter = Greeter(
            channel: try Channel("127.0.0.1:1", credentials: .insecure, arguments: arguments))
        let error = await #expect(throws: RPCError.self) {
            try await greeter.sayHello(.init(name: "you"))
        }
        #expect(error?.code == .unavailable)
        #expect(error?.phase == .connect)
        #expect(error?.message == "connect 127.0.0.1:1: connection refused")
        #expect(error?.reconnection?.attemptNumber == 1)
        let next = try #require(error?.reconnection?.nextAttempt)
        #expect(next > .seconds(40) && next <= .seconds(72))
        let text = "\(try #require(error))"
        #expect(text.contains("; attempt 1 of the channel, which tries again in "))
        #expect(error?.attempts.map(\.address) == ["127.0.0.1:1"])
    }

    @Test("gets a new connection when it finds its channel idle")
    func idle() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        var arguments = ChannelArguments()
        // The shortest idle timeout.
        arguments.idleTimeout = .zero
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        let greeter = Greeter(channel: channel)
        _ = try await greeter.sayHello(.init(name: "you"))
        for await state in channel.connectivityChanges where state == .idle { break }
        _ = try await greeter.sayHello(.init(name: "you"))
        #expect(server.connectionCount == 2)
    }

    @Test("uses the options of its client, unless its own options differ")
    func clientOptions() async throws {
        struct Patient: ServiceClient {
            static let ask = Method<HelloRequest, HelloReply>("/t.T/Ask", .unary)
            let channel: Channel
            let defaultOptions = CallOptions.with {
                $0.metadata.append("client", for: "from")
                $0.timeout = .seconds(50)
            }
        }
        let timeouts = Mutex<[String]>([])
        let server = try LoopbackServer { server in
            server.unary(Patient.ask) { _, context in
                let isLong = context.deadline.remaining.map { $0 > .seconds(20) } ?? true
                timeouts.withLock { $0.append(isLong ? "long" : "short") }
                return HelloReply(message: context.metadata["from"] ?? "none")
            }
        }
        let client = Patient(
            channel: try Channel(
                server.target, credentials: .insecure,
                defaultOptions: .with { $0.timeout = .seconds(9) }))
        let first = try await client.unary(Patient.ask, HelloRequest())
        let second = try await client.unary(
            Patient.ask, HelloRequest(), options: .with { $0.timeout = .seconds(8) })
        #expect([first.message, second.message] == ["client", "client"])
        #expect(timeouts.withLock { $0 } == ["long", "short"])
    }

    @Test("shares a connection with many others at the same time")
    func concurrent() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let greeter = Greeter(channel: try Channel(server.target, credentials: .insecure))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<500 {
                group.addTask {
                    let reply = try await greeter.sayHello(.init(name: "\(index)"))
                    return reply.message == "Hello \(index)"
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(server.connectionCount == 1)
    }

    @Test("ends at its deadline when the server is silent")
    func deadline() async throws {
        let silent = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
        let server = try LoopbackServer { server in
            server.unary(silent) { _, _ in
                try await Task.sleep(for: .seconds(3_600))
                return HelloReply()
            }
        }
        let greeter = Greeter(channel: try Channel(server.target, credentials: .insecure))
        let error = await #expect(throws: RPCError.self) {
            try await greeter.sayHello(.init(), options: .with { $0.timeout = .milliseconds(50) })
        }
        #expect(error?.code == .deadlineExceeded)
    }

    @Test("is cancelled with its task")
    func cancellation() async throws {
        let slow = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
        let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { server in
            server.unary(slow) { _, _ in
                arrival.yield()
                try await Task.sleep(for: .seconds(3_600))
                return HelloReply()
            }
        }
        let greeter = Greeter(channel: try Channel(server.target, credentials: .insecure))
        let call = Task { try await greeter.sayHello(.init()) }
        for await _ in arrived { break }
        call.cancel()
        let error = await #expect(throws: RPCError.self) { try await call.value }
        #expect(error?.code == .cancelled)
    }
}
