import Testing

@testable import SwiftletCore

@Suite("Rests between reads")
struct AnswerGatheringTests {
    /// Returns for each turn whether the loop rests after it. Each turn has received the given number of
    /// answers, with 100 open calls by default.
    private static func turns(_ answerCounts: [Int], openCount: Int = 100) -> [Bool] {
        var gathering = AnswerGathering()
        return answerCounts.map { gathering.shouldRest(answerCount: $0, openCount: openCount) }
    }

    @Test("continue while each brings several answers, but not too many of all open calls")
    func successful() {
        let rests = Self.turns(Array(repeating: 1, count: 16) + [7, 25, 3, 26, 1])
        #expect(
            rests == Array(repeating: false, count: 15) + [true, true, true, true, false, false])
    }

    @Test("are tried less and less often while they bring nothing")
    func futile() {
        let rests = Self.turns(Array(repeating: 1, count: 200_000))
        // Between two tries there are 16, 64, 256, … turns, but never more than 65,536.
        let places = rests.indices.filter { rests[$0] }
        #expect(places.prefix(3) == [15, 80, 337])
        #expect(places.count < 12)
        #expect(zip(places, places.dropFirst()).allSatisfy { $1 - $0 <= 65_537 })
    }

    @Test("are not tried with few calls, nor if several answers arrive together anyway")
    func pointless() {
        #expect(!Self.turns(Array(repeating: 1, count: 100_000), openCount: 31).contains(true))
        #expect(!Self.turns(Array(repeating: 3, count: 100_000)).contains(true))
        #expect(!Self.turns(Array(repeating: 0, count: 100_000)).contains(true))
    }
}
