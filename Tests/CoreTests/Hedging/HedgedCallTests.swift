import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A call above its attempts, without a network")
struct HedgedCallTests {
    @Test("is not committed to an attempt that has ended")
    func commitAfterEnd() throws {
        let trial = try HedgedCallTrial(
            HedgedCallTrial.hedging, limits: MessageLimits(maxReplayByteCount: 10))
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

    @Test("counts the timeout of a service config from its begin, not from the config's arrival")
    func timeoutOfLateConfig() throws {
        let trial = try HedgedCallTrial(nil, isKnown: false)
        trial.call.start()
        var config = ServiceConfig()
        config.methods = [MethodConfig([.all]) { $0.timeout = .seconds(3_600) }]
        let start = MonotonicInstant.now
        while MonotonicInstant.now == start {}
        trial.configs.use(config)
        let moment = try #require(trial.cores.first?.deadline.moment)
        #expect(moment <= start + .seconds(3_600))
        trial.call.cancel()
    }

    @Test("ends when its channel is closed before the service config is known")
    func closedBeforeConfig() throws {
        let trial = try HedgedCallTrial(nil, isKnown: false)
        trial.call.start()
        trial.backend.openCalls.close(with: RPCError(.unavailable, "the channel was closed"))
        #expect(trial.ends.map { $0.error?.message } == ["the channel was closed"])
        #expect(trial.cores.isEmpty)
    }

    @Test("makes no attempt on a channel that is closed")
    func startAfterClose() throws {
        let trial = try HedgedCallTrial(HedgedCallTrial.hedging)
        trial.backend.openCalls.close(with: RPCError(.unavailable, "the channel was closed"))
        trial.call.start()
        #expect(trial.ends.map { $0.error?.message } == ["the channel was closed"])
        #expect(trial.cores.isEmpty)
    }

    @Test("ends at its deadline, even if its attempt fails just before it is told")
    func lateFailure() throws {
        let trial = try HedgedCallTrial(HedgedCallTrial.hedging, timeout: .seconds(86_400))
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
        let trial = try HedgedCallTrial(HedgedCallTrial.hedging, timeout: .seconds(86_400))
        let call = try #require(trial.call as? HedgedCall)
        call.start()
        trial.pushBack()
        call.deadlineHasPassed()
        #expect(trial.ends.map { $0.error?.code } == [.deadlineExceeded])
    }

    @Test("does not wait for the service config after its end")
    func configAfterEnd() throws {
        let trial = try HedgedCallTrial(nil, isKnown: false)
        trial.call.start()
        #expect(trial.configs.waitingCount == 1)
        trial.call.cancel()
        #expect(trial.configs.waitingCount == 0)
        trial.configs.use(ServiceConfig())
        #expect(trial.cores.isEmpty)
    }

    @Test("starts when the service config is known")
    func configKnown() throws {
        let trial = try HedgedCallTrial(nil, isKnown: false)
        trial.call.start()
        #expect(trial.cores.isEmpty)
        trial.configs.use(ServiceConfig())
        #expect(trial.cores.count == 1)
        #expect(trial.configs.waitingCount == 0)
    }

    @Test("retries as a config says that it has waited for, and drops what its attempt has")
    func configWithRetries() throws {
        let trial = try HedgedCallTrial(HedgedCallTrial.retry, isKnown: false)
        let call = try #require(trial.call as? HedgedCall)
        call.start()
        trial.configs.releaseOthers()
        let core = try #require(trial.cores.first)
        call.write(.whole([0, 0, 0, 0, 1, 1]), andFinish: false)
        #expect(call.state.withLock { $0.committed?.core === core && $0.replay.byteCount == 0 })
        trial.failAttempt()
        #expect(trial.ends.isEmpty)
        core.beginNextAttempt()
        #expect(trial.cores.count == 2 && trial.cores[1] === core)
        trial.failAttempt(.refused(.unavailable, "the arguments are wrong"))
        #expect(trial.ends.map { $0.error?.message } == ["the arguments are wrong"])
        #expect(trial.ends[0].error?.attempts.map(\.cause) == ["UNAVAILABLE: busy"])
    }

    @Test("makes no other attempt after an error in its arguments")
    func invalidArguments() throws {
        let trial = try HedgedCallTrial(HedgedCallTrial.hedging)
        trial.call.start()
        trial.failAttempt(.refused(.unavailable, "the arguments are wrong"))
        #expect(trial.ends.map { $0.error?.message } == ["the arguments are wrong"])
    }
}
