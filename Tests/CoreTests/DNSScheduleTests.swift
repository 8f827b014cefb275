import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("When a name is looked up")
struct DNSScheduleTests {
    private typealias Schedule = DNSResolver.Schedule
    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    private static func at(_ seconds: Int) -> MonotonicInstant { start + .seconds(seconds) }

    /// A schedule without jitter, whose look-ups are at least 30 seconds apart.
    private static func schedule() -> Schedule {
        var backoff = Backoff.Configuration()
        backoff.jitter = 0
        return Schedule(minInterval: .seconds(30), backoff: backoff)
    }

    @Test("the first request looks the name up at once; later requests wait for this look-up")
    func first() {
        var schedule = Self.schedule()
        #expect(schedule.request(now: Self.start) == .lookUp)
        #expect(schedule.isLookingUp)
        // A request during a look-up starts another one, after the minimum interval.
        #expect(schedule.request(now: Self.at(1)) == .nothing)
        #expect(schedule.ended(isSuccess: true, now: Self.at(2)) == .wait(until: Self.at(32)))
    }

    @Test("nothing is looked up after a success unless it is asked for")
    func quiet() {
        var schedule = Self.schedule()
        #expect(schedule.request(now: Self.start) == .lookUp)
        #expect(schedule.ended(isSuccess: true, now: Self.at(1)) == .nothing)
        #expect(schedule.next(now: Self.at(1_000)) == .nothing)
        #expect(schedule.request(now: Self.at(1_000)) == .lookUp)
    }

    @Test("a request soon after a success waits until 30 seconds have passed since it")
    func interval() {
        var schedule = Self.schedule()
        _ = schedule.request(now: Self.start)
        _ = schedule.ended(isSuccess: true, now: Self.at(5))
        #expect(schedule.request(now: Self.at(6)) == .wait(until: Self.at(35)))
        #expect(schedule.next(now: Self.at(34)) == .wait(until: Self.at(35)))
        #expect(schedule.next(now: Self.at(35)) == .lookUp)
    }

    @Test("a failure is followed by look-ups with growing delays, up to a success")
    func growingDelays() {
        var schedule = Self.schedule()
        #expect(schedule.request(now: Self.start) == .lookUp)
        #expect(schedule.ended(isSuccess: false, now: Self.start) == .wait(until: Self.at(1)))
        #expect(schedule.reconnection(now: Self.start).attemptNumber == 1)
        #expect(schedule.reconnection(now: Self.start).nextAttempt == .seconds(1))
        #expect(schedule.next(now: Self.at(1)) == .lookUp)
        #expect(
            schedule.ended(isSuccess: false, now: Self.at(1))
                == .wait(until: Self.start + .milliseconds(2_600)))
        #expect(schedule.next(now: Self.at(3)) == .lookUp)
        #expect(schedule.ended(isSuccess: true, now: Self.at(4)) == .nothing)
        // The backoff starts from the initial delay again.
        _ = schedule.request(now: Self.at(40))
        #expect(schedule.ended(isSuccess: false, now: Self.at(40)) == .wait(until: Self.at(41)))
    }

    @Test("a request during the delay after a failure does not shorten it")
    func requestDuringDelay() {
        var schedule = Self.schedule()
        _ = schedule.request(now: Self.start)
        _ = schedule.ended(isSuccess: false, now: Self.at(10))
        #expect(schedule.request(now: Self.at(10)) == .wait(until: Self.at(11)))
    }

    @Test("the return of the network ends the delay after a failure, and changes nothing else")
    func networkIsBack() {
        var schedule = Self.schedule()
        _ = schedule.request(now: Self.start)
        #expect(schedule.resetBackoff(now: Self.start) == .nothing)
        _ = schedule.ended(isSuccess: false, now: Self.start)
        #expect(schedule.resetBackoff(now: Self.start) == .lookUp)
        #expect(schedule.ended(isSuccess: true, now: Self.start) == .nothing)
        #expect(schedule.resetBackoff(now: Self.at(1)) == .nothing)
    }
}
