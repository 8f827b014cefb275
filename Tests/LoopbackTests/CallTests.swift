import Foundation
import Swiftlet
import SwiftletLoopback
import Testing

struct Greeter: ServiceClient {
    static let serviceName = "helloworld.Greeter"
    let channel: Channel

    func sayHello(
        _ request: HelloRequest, _ options: CallOptions = .init()
    ) async throws(RPCError) -> HelloReply {
        try await unary("SayHello", request, options)
    }
}

@Suite("A call", .timeLimit(.minutes(1)))
struct CallTests {
    @Test("with one message each way")
    func unary() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let greeter = Greeter(channel: try Channel(server.target))
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
        let greeter = Greeter(channel: try Channel(server.target))
        #expect(try await greeter.sayHello(.init(name: "you")).message == "Hello you")
    }

    @Test("over a path that is free again when its server has ended, and only then")
    func freedPath() async throws {
        let path = "/tmp/swiftlet-\(UInt64.random(in: 0 ... .max)).sock"
        let first = try LoopbackServer(on: .unix(path: path)) { $0.addGreeter() }
        #expect(throws: RPCError.self) { _ = try LoopbackServer(on: .unix(path: path)) { _ in } }
        first.shutdown()
        let second = try LoopbackServer(on: .unix(path: path)) { $0.addGreeter() }
        first.shutdown()
        let greeter = Greeter(channel: try Channel(second.target))
        let reply = try await greeter.sayHello(.init(name: "you"))
        #expect(reply.message == "Hello you")
        second.shutdown()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("to a method that is not there is UNIMPLEMENTED")
    func unimplemented() async throws {
        let server = try LoopbackServer { _ in }
        let greeter = Greeter(channel: try Channel(server.target))
        let error = await #expect(throws: RPCError.self) {
            try await greeter.sayHello(.init(name: "you"))
        }
        #expect(error?.code == .unimplemented)
        #expect(error?.origin == .server)
    }

    @Test("to nobody says who refused, and when the next attempt is")
    func refused() async throws {
        // A port that was free a moment ago.
        let target: String
        do {
            let server = try LoopbackServer { _ in }
            target = server.target
        }
        let greeter = Greeter(channel: try Channel(target))
        let error = await #expect(throws: RPCError.self) {
            try await greeter.sayHello(.init(name: "you"))
        }
        #expect(error?.code == .unavailable)
        #expect(error?.phase == .connect)
        #expect(error?.message.contains(target) == true)
    }

    @Test("many at the same time share a connection")
    func concurrent() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let greeter = Greeter(channel: try Channel(server.target))
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
        let greeter = Greeter(channel: try Channel(server.target))
        let error = await #expect(throws: RPCError.self) {
            try await greeter.sayHello(.init(), .with { $0.timeout = .milliseconds(50) })
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
        let greeter = Greeter(channel: try Channel(server.target))
        let call = Task { try await greeter.sayHello(.init()) }
        for await _ in arrived { break }
        call.cancel()
        let error = await #expect(throws: RPCError.self) { try await call.value }
        #expect(error?.code == .cancelled)
    }
}
