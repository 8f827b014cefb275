/// Decides whether a loop rests for a moment before it looks at its descriptors again, so that the
/// answers of a server that writes each by itself come together.
///
/// With many calls under way such a server wakes the client for every single answer, and is sent
/// every single request: most of what a call costs is then the system's. A moment's rest brings
/// several at once. Whether it does is found out by trying.
///
/// An answer that comes early in a rest waits for those behind it. That is little beside what its
/// call takes anyway: the share of the calls under way that are answered in a rest is the share of
/// the rest in the time of a call, and where that is more than a quarter there is no rest.
struct AnswerGathering {
    /// How long a rest is meant to be. The system makes some 50 µs more of it.
    static let rest = Duration.microseconds(30)
    /// With fewer calls under way there is too little to gather.
    static let minOpenCount = 32

    private enum State {
        /// Until the next try, in turns that brought little.
        case waiting(turnCount: Int)
        /// The last turn came after a rest.
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
    ///   - answerCount: What the turn has brought.
    ///   - openCount: Calls that were under way on the connections that brought it.
    mutating func shouldRest(answerCount: Int, openCount: Int) -> Bool {
        switch state {
        case .rested:
            // What did not help is tried less often.
            pause = answerCount > 2 ? Self.shortestPause : min(pause * 4, Self.longestPause)
            if answerCount > 2, answerCount * 4 <= openCount { return true }
            state = .waiting(turnCount: pause)
            return false
        case .waiting(let turnCount):
            guard answerCount == 1 || answerCount == 2, openCount >= Self.minOpenCount else {
                return false
            }
            state = turnCount > 1 ? .waiting(turnCount: turnCount - 1) : .rested
            return turnCount <= 1
        }
    }
}
