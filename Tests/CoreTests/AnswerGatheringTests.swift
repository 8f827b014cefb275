import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("Rests between reads")
struct AnswerGatheringTests {
    /// Returns for each turn whether the loop rests after it. Each turn has received the given number of
    /// answers, with 100 open calls by default.
    private static func turns(_ answerCounts: [Int], expectedCount: Int = 100) -> [Bool] {
        var gathering = AnswerGathering()
        return answerCounts.map {
            gathering.shouldRest(answerCount: $0, expectedCount: expectedCount)
        }
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
        #expect(!Self.turns(Array(repeating: 1, count: 100_000), expectedCount: 31).contains(true))
        #expect(!Self.turns(Array(repeating: 3, count: 100_000)).contains(true))
        #expect(!Self.turns(Array(repeating: 0, count: 100_000)).contains(true))
    }

    @Test("go on while a call that only receives gets many messages in each")
    func stream() {
        let rests = Self.turns(
            Array(repeating: 1, count: 16) + [40, 18, 2, 1], expectedCount: AnswerGathering.endless)
        #expect(rests == Array(repeating: false, count: 15) + [true, true, true, false, false])
    }
}

@Suite("Answers of a read")
struct AnswerCountTests {
    private static let first = StreamHandle(slot: 0, generation: 1)
    private static let second = StreamHandle(slot: 1, generation: 1)

    /// The answers among arrivals of two streams, of which only the first has a complete request.
    private static func counts(
        _ arrivals: LinkArrivals, callCount: Int
    ) -> [Int] {
        let counts = arrivals.answerCounts(callCount: callCount) { $0 == first }
        return [counts.answerCount, counts.expectedCount]
    }

    @Test("are pieces of messages if each running call only receives")
    func pieces() {
        var arrivals = LinkArrivals()
        for begin in [0, 100, 200] {
            arrivals.append(data: begin..<begin + 50, on: Self.first, for: nil)
        }
        #expect(Self.counts(arrivals, callCount: 1) == [3, AnswerGathering.endless])
        // Another call may wait for its response.
        #expect(Self.counts(arrivals, callCount: 2) == [1, 2])
        arrivals.append(data: 300..<300 + 8_192, on: Self.first, for: nil)
        #expect(Self.counts(arrivals, callCount: 1) == [1, 1])
    }

    @Test("are arrivals if a call also sends, or has ended")
    func responses() {
        var sending = LinkArrivals()
        sending.append(data: 0..<50, on: Self.first, for: nil)
        sending.append(data: 50..<99, on: Self.second, for: nil)
        #expect(Self.counts(sending, callCount: 2) == [2, 2])
        var signals = LinkArrivals()
        signals.append(.ready)
        #expect(Self.counts(signals, callCount: 0) == [1, 0])
        #expect(Self.counts(signals, callCount: 1) == [1, 1])
    }
}
