/// Decides whether a loop rests for a moment between two turns, so that several responses arrive in
/// one read.
///
/// If many calls run and the server writes each response separately, each response wakes the
/// client. Most of the cost of a call is then system calls. A short rest gathers several responses.
/// The loop tries it, and rests again while it helps.
///
/// A response that arrives early in a rest is delayed. The delay is small compared with the
/// duration of a call: the loop does not rest if more than a quarter of the running calls are
/// answered in one rest.
struct AnswerGathering {
    /// The intended length of a rest. The system adds about 50 µs.
    static let rest = Duration.microseconds(30)
    /// With fewer running calls there is too little to gather.
    static let minOpenCount = 32

    private enum State {
        /// The number of turns with only one or two responses before the loop tries a rest.
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
    ///   - answerCount: The responses of this turn.
    ///   - openCount: The running calls on the connections that received them, before the turn.
    mutating func shouldRest(answerCount: Int, openCount: Int) -> Bool {
        switch state {
        case .rested:
            // A rest that gathered little is tried less often.
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
