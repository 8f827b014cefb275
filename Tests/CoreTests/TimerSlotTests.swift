import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A timer slot")
struct TimerSlotTests {
    private final class Target: TimerTarget {
        let firedCount = Atomic(0)
        func timerFired(now: MonotonicInstant) { firedCount.wrappingAdd(1, ordering: .relaxed) }
    }

    private let target = Target()
    private let later = MonotonicInstant.now + .seconds(3_600)

    @Test("has only the timer that was scheduled last")
    func replaced() throws {
        let loop = try EventLoop()
        let slot = TimerSlot()
        slot.schedule(target, at: later, on: loop)
        slot.schedule(target, at: later + .seconds(1), on: loop)
        #expect(loop.timerCount == 1)
        slot.cancel()
        #expect(loop.timerCount == 0)
        slot.schedule(target, at: later, on: loop)
        #expect(loop.timerCount == 1)
        slot.close()
    }

    @Test("schedules nothing after it was closed")
    func closed() throws {
        let loop = try EventLoop()
        let slot = TimerSlot()
        slot.schedule(target, at: later, on: loop)
        slot.close()
        slot.schedule(target, at: later, on: loop)
        slot.schedule(target, at: later, on: loop, unlessEarlier: true)
        #expect(loop.timerCount == 0)
    }

    @Test("keeps a timer that fires earlier")
    func noLater() throws {
        let loop = try EventLoop()
        let slot = TimerSlot()
        var scratch = EventLoop.Scratch()
        slot.schedule(target, at: .now, on: loop, unlessEarlier: true)
        slot.schedule(target, at: later, on: loop, unlessEarlier: true)
        #expect(loop.timerCount == 1)
        while target.firedCount.load(ordering: .relaxed) == 0 {
            try loop.turn(until: .now + .milliseconds(10), &scratch)
        }
        slot.hasFired(now: .now)
        slot.schedule(target, at: later, on: loop, unlessEarlier: true)
        #expect(loop.timerCount == 1)
        // If an earlier timer fires late, it does not remove the new timer from the slot.
        slot.hasFired(now: .now)
        slot.close()
        #expect(loop.timerCount == 0)
    }

    @Test("leaves no timer behind when it is closed while other threads schedule")
    func races() async throws {
        let loop = try EventLoop()
        for _ in 0..<200 {
            let slot = SharedSlot()
            await withTaskGroup { group in
                for task in 0..<4 {
                    group.addTask {
                        for _ in 0..<5 { slot.slot.schedule(target, at: later, on: loop) }
                        if task == 0 { slot.slot.close() }
                    }
                }
            }
            slot.slot.close()
            try #require(loop.timerCount == 0)
        }
    }

    private final class SharedSlot: Sendable {
        let slot = TimerSlot()
    }
}
