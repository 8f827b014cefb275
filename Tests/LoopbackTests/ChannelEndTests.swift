import Foundation
import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

/// Tests the state of connections and calls after a channel was closed.
@Suite("A channel that was closed", .timeLimit(.minutes(5)))
struct ChannelEndTests {
    private static func channel(_ queue: CompletionQueue) throws -> (Channel, LoopbackServer) {
        let server = try LoopbackServer { $0.unary(HostileTrial.echo) { request, _ in request } }
        return (try Channel(server.target, credentials: .insecure, queue: queue), server)
    }

    @Test("has closed its socket when close() returns")
    func elsewhere() async throws {
        let queue = try CompletionQueue()
        defer { queue.shutdown() }
        let (channel, server) = try Self.channel(queue)
        #expect(try await channel.unary(HostileTrial.echo, [1]) == [1])
        #expect(queue.loop.descriptorCount == 1)
        await channel.close()
        #expect(queue.loop.descriptorCount == 0)
        _ = server
    }

    @Test("has closed its socket when close() returns on the queue's own thread")
    func onTheQueue() async throws {
        let queue = try CompletionQueue()
        defer { queue.shutdown() }
        let (channel, server) = try Self.channel(queue)
        let left = try await withTaskExecutorPreference(queue) {
            _ = try await channel.unary(HostileTrial.echo, [1])
            await channel.close()
            return queue.loop.descriptorCount
        }
        #expect(left == 0)
        _ = server
    }

    @Test("ends at once on a queue that no thread turns, and on one that is shut down")
    func unattended() async throws {
        let queue = try CompletionQueue(.byHand)
        let (channel, server) = try Self.channel(queue)
        await channel.close()
        let ended = try CompletionQueue()
        let late = try Channel(server.target, credentials: .insecure, queue: ended)
        ended.shutdown()
        await late.close()
        #expect(channel.connectivity == .shutdown)
        #expect(late.connectivity == .shutdown)
    }

    @Test("and is released by a call that fails still answers a call that waits for its server")
    func releasedByFailure() async throws {
        let path = NSTemporaryDirectory() + "swiftlet-\(UUID().uuidString)"
        let channel = Mutex<Channel?>(try Channel("unix:\(path)", credentials: .insecure))
        let (failures, failed) = AsyncStream.makeStream(of: StatusCode?.self)
        let (answers, answered) = AsyncStream.makeStream(of: [UInt8]?.self)
        do {
            // Not under the lock: a call may fail before it is started completely.
            let held = channel.withLock { $0 }
            try held?.startUnary(HostileTrial.echo, [1]) { result in
                _ = channel.withLock { $0.take() }
                if case .failure(let error) = result { failed.yield(error.code) }
            }
            try held?.startUnary(
                HostileTrial.echo, [2], options: .with { $0.waitForReady = true }
            ) { answered.yield(try? $0.get().message) }
        }
        var failure = failures.makeAsyncIterator()
        #expect(await failure.next() == .unavailable)
        let server = try LoopbackServer(on: .unix(path: path)) { server in
            server.unary(HostileTrial.echo) { request, _ in request }
        }
        defer { server.shutdown() }
        var answer = answers.makeAsyncIterator()
        #expect(await answer.next() == [2])
    }

    @Test("or released stops reconnecting when its last waiting call is cancelled")
    func givenUp() async throws {
        let queue = try CompletionQueue()
        defer { queue.shutdown() }
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .seconds(3_600)
        arguments.maxReconnectBackoff = .seconds(3_600)
        arguments.idleTimeout = nil
        let monitor = ConnectivityMonitor(includesLocal: true)
        arguments.connectivityMonitor = monitor
        // No server listens on port 1.
        var channel: Channel? = try Channel(
            "127.0.0.1:1", credentials: .insecure, arguments: arguments, queue: queue)
        var options = CallOptions()
        options.waitForReady = true
        let first = try channel?.startUnary(HostileTrial.echo, [1], options: options) { _ in }
        let last = try channel?.startUnary(HostileTrial.echo, [2], options: options) { _ in }
        try await eventually { channel?.connectivity == .transientFailure }
        first?.cancel()
        // Fails the waiting calls without wait-for-ready. `last` waits for ready, so it keeps waiting.
        monitor.report(isConnected: false)
        // The loop schedules the next attempt after it has reported the failure.
        try await eventually { queue.loop.timerCount == 1 }
        channel = nil
        #expect(queue.loop.timerCount == 1)
        last?.cancel()
        try await eventually { queue.loop.timerCount == 0 }
    }
}
