import Swiftlet
import SwiftletBalancing
import SwiftletLoopback
import Synchronization
import Testing

@Suite("A hedged call", .timeLimit(.minutes(5)))
struct HedgingTests {
    @Test("uses the first answer, and cancels the other attempts")
    func hedged() async throws {
        let count = Atomic(0)
        let server = try LoopbackServer { server in
            server.unary(RetryTests.echo) { request, _ in
                if count.add(1, ordering: .relaxed).newValue == 1 {
                    // Ends when the call is cancelled.
                    try await Task.sleep(for: .seconds(3_600))
                }
                return request
            }
        }
        var policy = HedgingPolicy(maxAttempts: 3)
        policy.delay = .milliseconds(20)
        let channel = try server.makeChannel(arguments: RetryTests.arguments(.hedging(policy)))
        #expect(try await channel.unary(RetryTests.echo, [5]) == [5])
        #expect(count.load(ordering: .relaxed) >= 2)
    }

    @Test("ends with its failure if the throttle forbids the attempt that it waits for")
    func throttledWhileWaiting() async throws {
        let count = Counter()
        let server = try LoopbackServer { server in
            server.unary(RetryTests.echo) { _, context in
                count.add()
                context.setRetryPushback(.milliseconds(1))
                throw RPCError(.unavailable, "busy")
            }
        }
        var policy = HedgingPolicy(maxAttempts: 3)
        policy.delay = .seconds(3_600)
        policy.nonFatalCodes = [.unavailable]
        var arguments = RetryTests.arguments(
            .hedging(policy), throttling: RetryThrottling(maxTokens: 2, tokenRatio: 0.1))
        // Channels to the same server name share a throttle, so this test uses its own name.
        arguments.defaultAuthority = "throttled-hedge.test"
        let channel = try server.makeChannel(arguments: arguments)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(RetryTests.echo, [1])
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message == "busy")
        #expect(error?.attempts == [])
        #expect(count.count == 1)
    }

    @Test("is committed to the attempt that has sent most when it has written more than is kept")
    func hedgedTooLarge() async throws {
        func server(windowByteCount: Int?) throws -> LoopbackServer {
            try LoopbackServer { server in
                server.windowByteCount = windowByteCount
                server.unary(RetryTests.echo) { request, _ in request }
                server.clientStreaming(RetryTests.collect) { requests, _ in
                    // The server with a small window reads nothing until the call is cancelled.
                    if windowByteCount != nil { try await Task.sleep(for: .seconds(3_600)) }
                    var count = 0
                    for try await request in requests { count += request.count }
                    return [UInt8(count / 10_000)]
                }
            }
        }
        let servers = [try server(windowByteCount: nil), try server(windowByteCount: 1_000)]
        var policy = HedgingPolicy(maxAttempts: 2)
        policy.delay = .zero
        let hedging = policy
        var config = ServiceConfig(balancing: RoundRobin())
        config.methods = [
            MethodConfig([.method(service: "t.T", method: "Collect")]) { $0.hedging = hedging }
        ]
        var arguments = ChannelArguments()
        arguments.serviceConfig = config
        let channel = try Channel(
            "ipv4:" + servers.map(\.target).joined(separator: ","), credentials: .insecure,
            arguments: arguments)
        // Waits until the channel is connected to both servers.
        for server in servers {
            while server.connectionCount == 0 {
                #expect(try await channel.unary(RetryTests.echo, [1]) == [1])
            }
        }
        for _ in 0..<4 {
            // Advances round robin, so that the first attempt goes to the other server each time.
            #expect(try await channel.unary(RetryTests.echo, [1]) == [1])
            let reply: [UInt8] = try await channel.clientStreaming(RetryTests.collect) { writer in
                for _ in 0..<40 { try await writer.write([UInt8](repeating: 1, count: 10_000)) }
            }
            #expect(reply == [40])
        }
    }
}
