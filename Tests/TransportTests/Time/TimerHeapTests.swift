import Testing

@testable import SwiftletTransport

@Suite("A timer heap")
struct SocketsTimerHeapTests {
    let start = MonotonicInstant.now

    @Test("returns due timers, earliest first, and in order of insertion at the same time")
    func order() {
        var timers = TimerHeap<Int>()
        for (payload, delay) in [(1, 30), (2, 10), (3, 20), (4, 10), (5, 10)] {
            _ = timers.insert(payload, at: start + .milliseconds(delay))
        }
        #expect(timers.earliest == start + .milliseconds(10))
        #expect(timers.popExpired(now: start) == nil)
        var due: [Int] = []
        while let payload = timers.popExpired(now: start + .milliseconds(20)) {
            due.append(payload)
        }
        #expect(due == [2, 4, 5, 3])
        #expect(timers.count == 1)
    }

    @Test("cancels once; an old handle cancels no other timer")
    func cancel() {
        var timers = TimerHeap<Int>()
        let first = timers.insert(1, at: start)
        #expect(timers.cancel(first) == 1)
        #expect(timers.cancel(first) == nil)
        let second = timers.insert(2, at: start)
        #expect((second.slot, second.generation) != (first.slot, first.generation))
        #expect(timers.cancel(first) == nil)
        #expect(timers.popExpired(now: start) == 2)
        #expect(timers.cancel(second) == nil)
        #expect(timers.earliest == nil)
    }

    @Test("holds 100,000 deadlines, and agrees with a sorted list on every one")
    func many() {
        var generator = SplitMix64(seed: 2_026)
        var timers = TimerHeap<Int>()
        var expected: [(delay: Int, payload: Int)] = []
        var handles: [TimerHeap<Int>.Handle] = []
        for payload in 0..<100_000 {
            let delay = Int.random(in: 0..<50_000, using: &generator)
            handles.append(timers.insert(payload, at: start + .microseconds(delay)))
            expected.append((delay, payload))
        }
        for payload in stride(from: 0, to: 100_000, by: 3) {
            #expect(timers.cancel(handles[payload]) == payload)
        }
        expected.removeAll { $0.payload % 3 == 0 }
        expected.sort { ($0.delay, $0.payload) < ($1.delay, $1.payload) }
        var popped: [Int] = []
        for step in 1...50 {
            while let payload = timers.popExpired(now: start + .milliseconds(step)) {
                popped.append(payload)
            }
        }
        #expect(popped == expected.map(\.payload))
        #expect(timers.count == 0)
    }
}
