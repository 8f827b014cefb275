import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A call with a policy, without a network")
struct RetryingCallTests {
    @Test("is not committed to an attempt that has ended")
    func commitAfterEnd() throws {
        let trial = try RetryingCallTrial(
            RetryingCallTrial.retry, limits: MessageLimits(maxReplayByteCount: 10))
        trial.call.start()
        let first = try #require(trial.call.state.withLock { $0.attempts.first })
        trial.failAttempt()
        trial.call.commit(to: first)
        // Exceeds the limit while no attempt is open.
        trial.call.write(.whole([UInt8](repeating: 1, count: 100)), andFinish: false)
        #expect(trial.call.state.withLock { $0.committed == nil && $0.attempts.isEmpty })
        trial.wake(after: .seconds(36_000))
        #expect(trial.cores.count == 2)
        // The call is committed to the second attempt, so its failure is the result.
        trial.failAttempt(RPCError(.unavailable, "second"))
        #expect(trial.ends.map { $0.error?.message } == ["second"])
    }
}
