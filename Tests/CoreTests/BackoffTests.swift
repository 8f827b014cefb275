import Testing

@testable import SwiftletCore

@Suite("The backoff between attempts to connect")
struct BackoffTests {
    /// The delays of the first attempts. `chance` is the random number of the jitter, for all of them.
    private static func delays(
        _ configuration: Backoff.Configuration, count: Int, chance: Double = 0.5
    ) -> [Duration] {
        var backoff = Backoff(configuration)
        return (0..<count).map { _ in backoff.next(chance: chance) }
    }

    /// Rounds to milliseconds, because the jitter is computed in floating point.
    private static func rounded(_ durations: [Duration]) -> [Int] {
        durations.map { Int(($0 / .milliseconds(1)).rounded()) }
    }

    @Test("grows by the multiplier from the initial delay to the maximum")
    func growth() {
        let delays = Self.delays(.init(), count: 13)
        #expect(
            Self.rounded(delays) == [
                1_000, 1_600, 2_560, 4_096, 6_554, 10_486, 16_777, 26_844, 42_950, 68_719, 109_951,
                120_000, 120_000,
            ])
    }

    @Test(
        "is spread by the jitter in both directions",
        arguments: [(0.0, [800, 1_280]), (0.5, [1_000, 1_600]), (1.0, [1_200, 1_920])])
    func jitter(chance: Double, milliseconds: [Int]) {
        #expect(Self.rounded(Self.delays(.init(), count: 2, chance: chance)) == milliseconds)
    }

    @Test("stays within the range of the jitter with a random number")
    func randomChance() throws {
        var backoff = Backoff(.init(initial: .seconds(10), maximum: .seconds(10)))
        for _ in 0..<1_000 {
            let delay = backoff.next()
            try #require(delay >= .milliseconds(7_999) && delay <= .milliseconds(12_001))
        }
    }

    @Test("starts again after a success, and counts attempts from there")
    func reset() {
        var backoff = Backoff(.init())
        #expect(backoff.attemptCount == 0)
        for _ in 0..<5 { _ = backoff.next(chance: 0.5) }
        #expect(backoff.attemptCount == 5)
        backoff.reset()
        #expect(backoff.attemptCount == 0)
        #expect(
            Self.rounded([backoff.next(chance: 0.5), backoff.next(chance: 0.5)]) == [1_000, 1_600])
        #expect(backoff.attemptCount == 2)
    }

    @Test(
        "keeps its delays between a millisecond and the maximum",
        arguments: [
            (0, 0, [1, 1, 1]), (-5, 120_000, [1, 2, 3]), (5_000, 3_000, [3_000, 3_000, 3_000]),
            (5_000, -1, [1, 1, 1]), (1, 2, [1, 2, 2]),
        ])
    func limits(initial: Int, maximum: Int, expected: [Int]) {
        let configuration = Backoff.Configuration(
            initial: .milliseconds(initial), maximum: .milliseconds(maximum))
        #expect(Self.rounded(Self.delays(configuration, count: 3)) == expected)
    }
}
