import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A call with a policy, without a network")
struct HedgedCallTests {
    @Test("is not committed to an attempt that has ended")
    func commitAfterEnd() throws {
        let trial = try HedgedCallTrial(
            HedgedCallTrial.retry, limits: MessageLimits(maxReplayByteCount: 10))
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

    @Test("is sent again once if servers refuse its streams, however many attempts follow")
    func refusedAlways() throws {
        let trial = try HedgedCallTrial(HedgedCallTrial.retry)
        trial.call.start()
        while trial.ends.isEmpty {
            let core = try #require(trial.cores.last)
            _ = core.takeRequest()
            core.streamWasNotProcessed(RPCError(.unavailable, "refused"))
            if trial.cores.last === core { trial.wake(after: .seconds(36_000)) }
        }
        // The three attempts of the policy, and one that is granted because no server has seen the call.
        #expect(trial.cores.count == 4)
        #expect(trial.ends.map { $0.error?.message } == ["refused"])
    }

    @Test("counts the timeout of a service config from its begin, not from the config's arrival")
    func timeoutOfLateConfig() throws {
        let configs = HedgedCallTrial.configs(isKnown: false)
        let trial = try HedgedCallTrial(nil, configs: configs)
        trial.call.start()
        var config = ServiceConfig()
        config.methods = [MethodConfig([.all]) { $0.timeout = .seconds(3_600) }]
        let start = MonotonicInstant.now
        while MonotonicInstant.now == start {}
        configs.use(config)
        let moment = try #require(trial.cores.first?.deadline.moment)
        #expect(moment <= start + .seconds(3_600))
        trial.call.cancel()
    }

    private static let closed = RPCError(.unavailable, "the channel was closed")

    @Test("ends when its channel is closed between two attempts, with the failures so far")
    func closedBetweenAttempts() throws {
        let trial = try HedgedCallTrial(HedgedCallTrial.retry)
        trial.call.start()
        trial.failAttempt()
        #expect(!trial.backend.openCalls.isEmpty)
        trial.backend.openCalls.close(with: Self.closed)
        #expect(trial.ends.map { $0.error?.message } == ["the channel was closed"])
        #expect(trial.ends[0].error?.attempts.map(\.cause) == ["UNAVAILABLE: busy"])
        #expect(trial.backend.openCalls.isEmpty)
        trial.wake(after: .seconds(36_000))
        #expect(trial.cores.count == 1)
    }

    @Test("lets its attempt continue when its channel is closed, and starts no other")
    func closedDuringAttempt() throws {
        let trial = try HedgedCallTrial(HedgedCallTrial.retry)
        trial.call.start()
        trial.backend.openCalls.close(with: Self.closed)
        #expect(trial.ends.isEmpty)
        trial.failAttempt()
        #expect(trial.ends.map { $0.error?.message } == ["busy"])
        #expect(trial.backend.openCalls.isEmpty)
    }

    @Test("ends when its channel is closed before the service config is known")
    func closedBeforeConfig() throws {
        let trial = try HedgedCallTrial(
            nil, configs: HedgedCallTrial.configs(isKnown: false))
        trial.call.start()
        trial.backend.openCalls.close(with: Self.closed)
        #expect(trial.ends.map { $0.error?.message } == ["the channel was closed"])
        #expect(trial.cores.isEmpty)
    }

    @Test("makes no attempt on a channel that is closed")
    func startAfterClose() throws {
        let trial = try HedgedCallTrial(HedgedCallTrial.retry)
        trial.backend.openCalls.close(with: Self.closed)
        trial.call.start()
        #expect(trial.ends.map { $0.error?.message } == ["the channel was closed"])
        #expect(trial.cores.isEmpty)
    }

    @Test("is ended by its channel between two attempts")
    func endedByChannel() throws {
        let trial = try HedgedCallTrial(HedgedCallTrial.retry)
        trial.call.start()
        trial.failAttempt()
        trial.backend.openCalls.endAll(with: RPCError(.cancelled, "closed"))
        #expect(trial.ends.map { $0.error?.code } == [.cancelled])
        #expect(trial.backend.openCalls.isEmpty)
    }

    @Test("ends at its deadline, even if its attempt fails just before it is told")
    func lateFailure() throws {
        let trial = try HedgedCallTrial(HedgedCallTrial.retry, timeout: .seconds(86_400))
        trial.call.start()
        trial.call.deadlineHasPassed()
        // The attempt reports its own end.
        #expect(trial.ends.isEmpty)
        trial.failAttempt()
        #expect(trial.ends.map { $0.error?.code } == [.deadlineExceeded])
        #expect(trial.ends[0].error?.attempts.map(\.cause) == ["UNAVAILABLE: busy"])
    }

    @Test("ends at its deadline between two attempts")
    func lateBetweenAttempts() throws {
        let trial = try HedgedCallTrial(HedgedCallTrial.retry, timeout: .seconds(86_400))
        trial.call.start()
        trial.failAttempt()
        trial.call.deadlineHasPassed()
        #expect(trial.ends.map { $0.error?.code } == [.deadlineExceeded])
    }

    @Test("does not wait for the service config after its end")
    func configAfterEnd() throws {
        let configs = HedgedCallTrial.configs(isKnown: false)
        let trial = try HedgedCallTrial(nil, configs: configs)
        trial.call.start()
        #expect(configs.waitingCount == 1)
        trial.call.cancel()
        #expect(configs.waitingCount == 0)
        configs.use(ServiceConfig())
        #expect(trial.cores.isEmpty)
    }

    @Test("starts when the service config is known")
    func configKnown() throws {
        let configs = HedgedCallTrial.configs(isKnown: false)
        let trial = try HedgedCallTrial(nil, configs: configs)
        trial.call.start()
        #expect(trial.cores.isEmpty)
        configs.use(ServiceConfig())
        #expect(trial.cores.count == 1)
        #expect(configs.waitingCount == 0)
    }

    @Test("makes no other attempt after an error in its arguments")
    func invalidArguments() throws {
        let trial = try HedgedCallTrial(HedgedCallTrial.retry)
        trial.call.start()
        trial.failAttempt(.refused(.unavailable, "the arguments are wrong"))
        #expect(trial.ends.map { $0.error?.message } == ["the arguments are wrong"])
    }
}
