import Foundation
import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@testable import SwiftletCore

/// Calls with interceptors that are cancelled, restarted, held and released by several threads.
/// `SWIFTLET_RACE_CALLS` sets their number.
@Suite("Calls with interceptors that race with their ends", .serialized, .timeLimit(.minutes(10)))
struct ChainRaceTests {
    private static let callCount = min(RaceTests.callCount, 40_000) / 2

    /// Counts its instances that are not released.
    private class Tracked: Interceptor {
        private let liveCount: LiveCount
        init(_ liveCount: LiveCount) {
            self.liveCount = liveCount
            liveCount.add(1)
        }
        deinit { liveCount.add(-1) }

        func start(_ options: CallOptions, _ call: InterceptedCall) { call.start(options) }
        func write(_ message: RawMessage, _ call: InterceptedCall) { call.write(message) }
        func finish(_ call: InterceptedCall) { call.finish() }
        func receiveNext(_ call: InterceptedCall) { call.receiveNext() }
        func close(_ end: CallEnd, _ call: InterceptedCall) { call.close(end) }
    }

    private final class LiveCount: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .acquiring) }
        func add(_ number: Int) { count.wrappingAdd(number, ordering: .acquiringAndReleasing) }
    }

    /// Starts the call in a task, and then releases the requests that were held in the meantime.
    private final class Holding: Tracked {
        override func start(_ options: CallOptions, _ call: InterceptedCall) {
            call.holdRequests()
            Task {
                await Task.yield()
                call.start(options)
                call.releaseRequests()
            }
        }
    }

    /// Makes a second attempt when the first one has failed, from a task.
    private final class Again: Tracked {
        private var options = CallOptions()
        private var message: RawMessage?
        private var hasRestarted = false

        override func start(_ options: CallOptions, _ call: InterceptedCall) {
            self.options = options
            call.start(options)
        }

        override func write(_ message: RawMessage, _ call: InterceptedCall) {
            self.message = message
            call.write(message)
        }

        override func close(_ end: CallEnd, _ call: InterceptedCall) {
            guard end.error?.code == .unavailable, !hasRestarted else { return call.close(end) }
            hasRestarted = true
            Task {
                await Task.yield()
                call.perform(as: Again.self) { again, call in again.sendAgain(call) }
            }
        }

        private func sendAgain(_ call: InterceptedCall) {
            call.restart()
            call.start(options)
            if let message { call.write(message) }
            call.finish()
            call.receiveNext()
            call.receiveNext()
        }
    }

    /// Ends one call in four, chosen at random, from a task.
    private final class Ending: Tracked {
        override func start(_ options: CallOptions, _ call: InterceptedCall) {
            call.start(options)
            guard Int.random(in: 0..<4) == 0 else { return }
            Task {
                await Task.yield()
                call.close(CallEnd(error: RPCError(.aborted, "given up")))
            }
        }
    }

    @Test("end exactly once, and leave no objects")
    func once() async throws {
        let server = try LoopbackServer { server in
            server.maxConcurrentStreams = 50
            server.unary(HostileTrial.echo) { request, _ in
                if request[0].isMultiple(of: 3) { throw RPCError(.unavailable, "try again") }
                return request
            }
        }
        let queue = try CompletionQueue()
        let liveCount = LiveCount()
        do {
            let channel = try Channel(
                server.target, credentials: .insecure,
                interceptors: [
                    .all(InterceptorFactory("tracked") { _ in Tracked(liveCount) }),
                    .all(InterceptorFactory("again") { _ in Again(liveCount) }),
                    .all(InterceptorFactory("holding") { _ in Holding(liveCount) }),
                    .all(
                        InterceptorFactory("ending", context: .queue(queue)) { _ in
                            Ending(liveCount)
                        }),
                ], queue: queue)
            let endCounts = Mutex([Int](repeating: 0, count: Self.callCount))
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            for index in 0..<Self.callCount {
                var options = CallOptions()
                let fate = Int.random(in: 0..<4)
                if fate == 0 { options.timeout = .microseconds(Int.random(in: 0..<3_000)) }
                let request = [UInt8(truncatingIfNeeded: index), 1]
                let call = try channel.startUnary(
                    HostileTrial.echo, request, options: options
                ) { result in
                    if case .success(let response) = result {
                        #expect(response.message == request)
                    }
                    endCounts.withLock { $0[index] += 1 }
                    end.yield()
                }
                if fate == 1 { call.cancel() }
                if fate == 2 {
                    Task {
                        await Task.yield()
                        call.cancel()
                    }
                }
                // Not all calls start at once, so that calls are cancelled in every phase.
                if index.isMultiple(of: 100) { await Task.yield() }
            }
            for await _ in ends.prefix(Self.callCount) {}
            try #require(endCounts.withLock { $0 }.allSatisfy { $0 == 1 })
            try #require(channel.backend.openCalls.isEmpty)
            await channel.close(grace: .seconds(5))
        }
        try await eventually { liveCount.value == 0 && queue.loop.timerCount == 0 }
        queue.shutdown()
    }
}
