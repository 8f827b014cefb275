import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("A call with a hedging policy, without a network")
struct HedgedCallTests {
    @Test("is not committed to an attempt that has ended")
    func commitAfterEnd() throws {
        let trial = try CallTrial(
            CallTrial.hedging, limits: .keeping(10))
        let call = try #require(trial.call as? HedgedCall)
        call.start()
        let first = try #require(call.state.withLock { $0.attempts.first })
        trial.pushBack()
        call.commit(to: first)
        // Exceeds the limit while no attempt is open.
        call.write(.whole([UInt8](repeating: 1, count: 100)), andFinish: false)
        #expect(call.state.withLock { $0.committed == nil && $0.attempts.isEmpty })
        trial.wake()
        #expect(trial.cores.count == 2)
        // The call is committed to the second attempt, so its failure is the result.
        trial.failAttempt(RPCError(.unavailable, "second"))
        #expect(trial.ends.map { $0.error?.message } == ["second"])
        #expect(trial.ends[0].error?.attempts.map(\.cause) == ["UNAVAILABLE: busy"])
    }

    @Test("makes no attempt on a channel that is closed")
    func startAfterClose() throws {
        let trial = try CallTrial(CallTrial.hedging)
        trial.backend.openCalls.close(with: RPCError(.unavailable, "the channel was closed"))
        trial.call.start()
        #expect(trial.ends.map { $0.error?.message } == ["the channel was closed"])
        #expect(trial.cores.isEmpty)
    }

    @Test("ends at its deadline, even if its attempt fails just before it is told")
    func lateFailure() throws {
        let trial = try CallTrial(CallTrial.hedging, timeout: .seconds(86_400))
        let call = try #require(trial.call as? HedgedCall)
        call.start()
        call.deadlineHasPassed()
        // The attempt reports its own end.
        #expect(trial.ends.isEmpty)
        trial.pushBack()
        #expect(trial.ends.map { $0.error?.code } == [.deadlineExceeded])
        #expect(trial.ends[0].error?.attempts.map(\.cause) == ["UNAVAILABLE: busy"])
    }

    @Test("ends at its deadline between two attempts")
    func lateBetweenAttempts() throws {
        let trial = try CallTrial(CallTrial.hedging, timeout: .seconds(86_400))
        let call = try #require(trial.call as? HedgedCall)
        call.start()
        trial.pushBack()
        call.deadlineHasPassed()
        #expect(trial.ends.map { $0.error?.code } == [.deadlineExceeded])
    }

    @Test("makes no other attempt after an error in its arguments")
    func invalidArguments() throws {
        let trial = try CallTrial(CallTrial.hedging)
        trial.call.start()
        trial.failAttempt(.refused(.unavailable, "the arguments are wrong"))
        #expect(trial.ends.map { $0.error?.message } == ["the arguments are wrong"])
    }
}
