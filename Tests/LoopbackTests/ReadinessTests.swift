import Foundation
import Swiftlet
import SwiftletLoopback
import Testing

private let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)

@Suite("The readiness of a channel", .timeLimit(.minutes(5)))
struct ReadinessTests {
    @Test("comes without a call")
    func connects() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let channel = try Channel(server.target, credentials: .insecure)
        try await channel.ready(within: .seconds(100))
        #expect(channel.connectivity == .ready)
        #expect(server.connectionCount == 1)
        // A channel that is ready is not late.
        try await channel.ready(within: .zero)
    }

    @Test("is late with the last failure")
    func late() async throws {
        let channel = try Channel("unix:/nowhere/at/all", credentials: .insecure)
        // The events show that the failure came first.
        var events = channel.events.makeAsyncIterator()
        channel.connect()
        while let event = await events.next() {
            if case .subchannel(_, .transientFailure, _) = event.kind { break }
        }
        let error = await #expect(throws: RPCError.self) {
            try await channel.ready(within: .zero)
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.phase == .connect)
        #expect(error?.mayHaveBeenExecuted == false)
        let text = "\(error.map { "\($0)" } ?? "")"
        #expect(text.contains("was not ready within 0"))
        #expect(text.contains("/nowhere/at/all"))
        #expect(text.contains("No such file") || text.contains("no such file"), "\(text)")
    }

    @Test("continues through failures")
    func afterFailure() async throws {
        let path = Self.path()
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .milliseconds(1)
        arguments.maxReconnectBackoff = .milliseconds(1)
        let channel = try Channel("unix:\(path)", credentials: .insecure, arguments: arguments)
        var events = channel.events.makeAsyncIterator()
        async let isReady: Void = channel.ready(within: .seconds(100))
        while let event = await events.next() {
            if case .subchannel(_, .transientFailure, _) = event.kind { break }
        }
        let server = try LoopbackServer(on: .unix(path: path)) { $0.addGreeter() }
        try await isReady
        #expect(channel.connectivity == .ready)
        server.shutdown()
    }

    /// A path at which nothing listens yet.
    static func path() -> String {
        "\(NSTemporaryDirectory())/ready-\(UUID().uuidString.prefix(8))"
    }

    @Test("ends with the channel and with the task")
    func ends() async throws {
        let channel = try Channel("unix:/nowhere/at/all", credentials: .insecure)
        let cancelled = Task { try await channel.ready(within: .seconds(1_000)) }
        cancelled.cancel()
        await #expect(throws: RPCError(.cancelled, "the task was cancelled")) {
            try await cancelled.value
        }
        let closed = Task { try await channel.ready(within: .seconds(1_000)) }
        await channel.close()
        let error = await #expect(throws: RPCError.self) { try await closed.value }
        #expect(error?.code == .unavailable)
    }
}

@Suite("A channel that connects again", .timeLimit(.minutes(5)))
struct ReconnectionTests {
    @Test(
        "uses another connection, and ends the old one after its calls",
        arguments: [false, true])
    func reconnects(roundRobin: Bool) async throws {
        let gate = ReplyGate()
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.faults = [.on(sayHello.path, call: 1, .pause(gate))]
        }
        var arguments = ChannelArguments()
        if roundRobin { arguments.serviceConfig = ServiceConfig(balancing: RoundRobin()) }
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        async let running = channel.unary(sayHello, HelloRequest(name: "old"))
        await gate.arrivals(1)
        var events = channel.events.makeAsyncIterator()
        channel.reconnect()
        // Another thread may still be telling the balancer of the first connection.
        while let event = await events.next() {
            if case .connectivity(.idle) = event.kind { break }
        }
        try await channel.ready(within: .seconds(100))
        #expect(try await channel.unary(sayHello, HelloRequest(name: "new")).message == "Hello new")
        #expect(server.connectionCount == 2)
        gate.open()
        #expect(try await running.message == "Hello old")
    }

    @Test("dials without a call, and without the delay of an earlier failure")
    func dials() async throws {
        let path = ReadinessTests.path()
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .seconds(10_000)
        arguments.maxReconnectBackoff = .seconds(10_000)
        let channel = try Channel("unix:\(path)", credentials: .insecure, arguments: arguments)
        var events = channel.events.makeAsyncIterator()
        channel.connect()
        while let event = await events.next() {
            if case .connectivity(.transientFailure) = event.kind { break }
        }
        let server = try LoopbackServer(on: .unix(path: path)) { $0.addGreeter() }
        channel.reconnect()
        try await channel.ready(within: .seconds(100))
        #expect(server.connectionCount == 1)
    }

    @Test("stays idle, or closed")
    func staysIdle() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let channel = try Channel(server.target, credentials: .insecure)
        channel.reconnect()
        #expect(channel.connectivity == .idle)
        await channel.close()
        channel.reconnect()
        #expect(channel.connectivity == .shutdown)
        #expect(server.connectionCount == 0)
    }
}
