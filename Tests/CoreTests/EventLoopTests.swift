import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

@Suite("An event loop")
struct EventLoopTests {
    /// Counts its events, and records their count when its timer fires.
    private final class Target: Pollable, TimerTarget {
        let eventCount = Atomic(0)
        /// How many events were handled before the timer fired.
        let eventCountAtTimer = Atomic(-1)

        func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) {
            eventCount.wrappingAdd(1, ordering: .relaxed)
        }

        func timerFired(now: MonotonicInstant) {
            eventCountAtTimer.store(eventCount.load(ordering: .relaxed), ordering: .relaxed)
        }
    }

    /// Schedules its timer again for a past time each time it fires.
    private final class Restless: TimerTarget {
        let count = Atomic(0)
        private let loop: EventLoop
        init(_ loop: EventLoop) { self.loop = loop }

        func timerFired(now: MonotonicInstant) {
            count.wrappingAdd(1, ordering: .relaxed)
            _ = loop.schedule(self, at: now)
        }
    }

    @Test(
        "fires its timers, and returns at the deadline, while it polls for input",
        .timeLimit(.minutes(1)))
    func spin() throws {
        let loop = try EventLoop(spin: .seconds(100))
        let target = Target()
        _ = loop.schedule(target, at: .now + .milliseconds(1))
        var scratch = EventLoop.Scratch()
        try loop.turn(until: nil, &scratch)
        #expect(target.eventCountAtTimer.load(ordering: .relaxed) == 0)
        try loop.turn(until: .now, &scratch)
    }

    @Test("continues its other work even if a timer is always due")
    func restless() throws {
        let loop = try EventLoop()
        let target = Restless(loop)
        _ = loop.schedule(target, at: .now)
        var scratch = EventLoop.Scratch()
        for turn in 1...3 {
            try loop.turn(until: nil, &scratch)
            #expect(target.count.load(ordering: .relaxed) == turn)
        }
    }

    @Test("handles events between jobs that take long, and runs all jobs in their order")
    func longJobs() throws {
        let loop = try EventLoop()
        let target = Target()
        // For each job, how many events were handled before it.
        let eventCounts = Mutex<[(job: Int, eventCount: Int)]>([])
        try Socket.withPair { near, _ in
            let token = try loop.add(near.descriptor, target)
            for job in 0..<60 {
                loop.run {
                    let end = MonotonicInstant.now + .microseconds(300)
                    while .now < end {}
                    let count = target.eventCount.load(ordering: .relaxed)
                    eventCounts.withLock { $0.append((job, count)) }
                }
            }
            var scratch = EventLoop.Scratch()
            repeat { try loop.turn(until: .now, &scratch) } while loop.hasWork
            loop.remove(near.descriptor, token)
        }
        let seen = eventCounts.withLock { $0 }
        #expect(seen.map(\.job) == Array(0..<60))
        #expect(seen.first?.eventCount == 0 && seen.last?.eventCount == 1)
        // After eight jobs the time begins, and ends after 2 ms, which is seven jobs more.
        let before = seen.filter { $0.eventCount == 0 }.count
        #expect(before <= 16)
    }

    @Test("handles every event that has arrived before it fires a timer", arguments: [1, 64, 500])
    func timersLast(eventCount: Int) throws {
        let loop = try EventLoop()
        let target = Target()
        try Socket.withPair { near, far in
            let descriptor = near.descriptor
            // A socket without output is writable, and each copy of its descriptor reports that.
            let copies = (0..<eventCount).map { _ in dup(descriptor) }
            defer { for copy in copies { close(copy) } }
            for copy in copies { _ = try loop.add(copy, target) }
            _ = loop.schedule(target, at: .now)
            var scratch = EventLoop.Scratch()
            try loop.turn(until: nil, &scratch)
            _ = consume near
            _ = consume far
        }
        #expect(target.eventCountAtTimer.load(ordering: .relaxed) == eventCount)
    }
}
