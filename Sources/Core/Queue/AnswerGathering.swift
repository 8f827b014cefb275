/// Decides whether a loop rests for a moment between two turns, so that several answers arrive in one
/// read.
///
/// If the server writes each answer separately, each one wakes the client. Most of the cost of an answer
/// is then system calls. A short rest gathers several answers. The loop tries it, and rests again while
/// it helps.
///
/// An answer is a response of one of many running calls, or a message of a call that only receives: its
/// server does not wait for anything from the client. An answer that arrives early in a rest is delayed.
/// Of many calls, the delay is small compared with the duration of one: the loop does not rest if more
/// than a quarter of the running calls are answered in one rest.
struct AnswerGathering {
    /// The intended length of a rest. The system adds about 50 µs.
    static let rest = Duration.microseconds(30)
    /// With fewer expected answers there is too little to gather.
    static let minExpectedCount = 32
    /// A call that only receives may expect any number of answers.
    static let endless = 1 << 32

    private enum State {
        /// The number of turns with only one or two answers before the loop tries a rest.
        case waiting(turnCount: Int)
        /// The loop rested before the last turn.
        case rested
    }

    private static let shortestPause = 16
    private static let longestPause = 1 << 16

    private var state = State.waiting(turnCount: shortestPause)
    private var pause = shortestPause
}

extension AnswerGathering {
    /// Whether to rest before the next turn.
    ///
    /// - Parameters:
    ///   - answerCount: The answers of this turn.
    ///   - expectedCount: The answers that the connections that received them expected before the turn.
    mutating func shouldRest(answerCount: Int, expectedCount: Int) -> Bool {
        switch state {
        case .rested:
            // A rest that gathered little is tried less often.
            pause = answerCount > 2 ? Self.shortestPause : min(pause * 4, Self.longestPause)
            if answerCount > 2, answerCount * 4 <= expectedCount { return true }
            state = .waiting(turnCount: pause)
            return false
        case .waiting(let turnCount):
            guard answerCount == 1 || answerCount == 2, expectedCount >= Self.minExpectedCount
            else {
                return false
            }
            state = turnCount > 1 ? .waiting(turnCount: turnCount - 1) : .rested
            return turnCount <= 1
        }
    }
}
