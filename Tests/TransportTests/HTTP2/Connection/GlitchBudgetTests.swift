import Testing

@testable import SwiftletTransport

@Suite("A glitch budget")
struct GlitchBudgetTests {
    /// A budget of 100 glitches at once and 10 in a second, with its clock.
    struct Subject {
        var now = MonotonicInstant(nanoseconds: 5_000_000_000)
        var budget: GlitchBudget

        init() {
            var limits = Limits()
            limits.glitchCount = 100
            limits.glitchesPerSecond = 10
            budget = GlitchBudget(limits)
        }

        /// The number of single glitches that are allowed now.
        var room: Int {
            var budget = budget
            var count = 0
            while count < 1_000, budget.spend(now: now) { count += 1 }
            return count
        }

        mutating func spend(_ count: Int) -> Bool { budget.spend(count, now: now) }
    }

    private var subject = Subject()

    @Test("allows as many glitches at once as its capacity")
    func capacity() { #expect(subject.room == 100) }

    @Test("earns one glitch in each part of a second, and none earlier")
    mutating func refill() throws {
        var isSpent = subject.spend(100)
        for _ in 0..<20 {
            try #require(isSpent)
            subject.now = subject.now + .milliseconds(99)
            try #require(subject.room == 0)
            subject.now = subject.now + .milliseconds(1)
            try #require(subject.room == 1)
            isSpent = subject.spend(1)
        }
    }

    @Test("allows no more than its capacity at once after a quiet time")
    mutating func quietTime() {
        let isSpent = subject.spend(1)
        #expect(isSpent)
        subject.now = subject.now + .seconds(3_600)
        #expect(subject.room == 100)
    }

    @Test("earns no more than its capacity from content")
    mutating func content() {
        subject.budget.earn(1_000)
        subject.budget.earn(contentByteCount: 1 << 40)
        #expect(subject.room == 100)
    }

    @Test("earns one glitch for each KiB of content, in pieces of any size")
    mutating func pieces() {
        let isSpent = subject.spend(100)
        #expect(isSpent)
        for _ in 0..<1_023 { subject.budget.earn(contentByteCount: 1) }
        #expect(subject.room == 0)
        subject.budget.earn(contentByteCount: 1)
        #expect(subject.room == 1)
        subject.budget.earn(contentByteCount: 2_048)
        #expect(subject.room == 3)
    }

    @Test("charges nothing for what it refuses")
    mutating func refusal() {
        let isSpent = subject.spend(101)
        #expect(!isSpent)
        #expect(subject.room == 100)
    }

    @Test("charges discarded bytes by their sum")
    mutating func discarded() throws {
        for _ in 0..<17 {
            let isAllowed = subject.budget.spend(discarding: 1 << 10, now: subject.now)
            try #require(isAllowed)
        }
        #expect(subject.room == 99)
    }
}
