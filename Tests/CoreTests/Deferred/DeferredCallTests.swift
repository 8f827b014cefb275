import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A call that waits for the service config, without a network")
struct DeferredCallTests {
    @Test("counts the timeout of a service config from its begin, not from the config's arrival")
    func timeoutOfLateConfig() throws {
        let trial = try CallTrial(nil, isKnown: false)
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

    @Test("keeps no requests if it ends while it is made")
    func endedWhileMade() throws {
        let make: DeferredCall.Make = { _, _ in preconditionFailure("the test makes no call") }
        var state = DeferredCall.State(
            SingleResponse(), CallOptions(), CallSelection(nil), make)
        #expect(state.start() != nil)
        #expect(state.keep(.receiveNext) == nil)
        if state.beginMaking() == nil { Issue.record("the call does not wait") }
        if case .none = state.end(RPCError(.cancelled, "enough")) {
        } else {
            Issue.record("the call has ended before")
        }
        #expect(state.made(try CallTrial(nil).call)?.message == "enough")
        #expect(state.takeRequests().isEmpty)
    }

    @Test("ends when its channel is closed before the service config is known")
    func closedBeforeConfig() throws {
        let trial = try CallTrial(nil, isKnown: false)
        trial.call.start()
        trial.backend.openCalls.close(with: RPCError(.unavailable, "the channel was closed"))
        #expect(trial.ends.map { $0.error?.message } == ["the channel was closed"])
        #expect(trial.cores.isEmpty)
    }

    @Test("does not wait for the service config after its end")
    func configAfterEnd() throws {
        let trial = try CallTrial(nil, isKnown: false)
        trial.call.start()
        #expect(trial.configs.waitingCount == 1)
        trial.call.cancel()
        #expect(trial.configs.waitingCount == 0)
        trial.configs.use(ServiceConfig())
        #expect(trial.cores.isEmpty)
    }

    @Test("waits for the service config also after the network was lost, which ended earlier waits")
    func configAfterLoss() throws {
        let trial = try CallTrial(nil, isKnown: false)
        trial.configs.releaseOthers(andLater: false)
        trial.call.start()
        #expect(trial.cores.isEmpty && trial.configs.waitingCount == 1)
        trial.configs.releaseOthers(andLater: false)
        #expect(trial.cores.count == 1)
        trial.call.cancel()
    }

    @Test("starts when the service config is known")
    func configKnown() throws {
        let trial = try CallTrial(nil, isKnown: false)
        trial.call.start()
        #expect(trial.cores.isEmpty)
        trial.configs.use(ServiceConfig())
        #expect(trial.cores.count == 1)
        #expect(trial.configs.waitingCount == 0)
    }

    @Test("is made with the requests so far, in their order, and with those that follow")
    func requests() throws {
        let trial = try CallTrial(CallTrial.retry, isKnown: false)
        trial.call.write(.whole([1]), andFinish: false)
        trial.call.start()
        trial.call.write(.whole([2]), andFinish: false)
        trial.configs.releaseOthers(andLater: true)
        let core = try #require(trial.cores.first)
        trial.call.write(.whole([3]), andFinish: false)
        trial.call.finish()
        var request = try core.takenRequest()
        let isFinish = request.isFinish
        #expect(isFinish)
        #expect(CallRetriesTests.bytes(&request) == [1, 2, 3])
        #expect(trial.backend.openCalls.isEmpty)
        // It retries as the config says.
        trial.pushBack()
        #expect(trial.ends.isEmpty && core.state.withLock { $0.lifetime.isWaiting })
        trial.call.cancel()
        #expect(trial.ends.map { $0.error?.code } == [.cancelled])
    }

    @Test("has one end, whether it is ended before its start, while it waits, or afterwards")
    func ends() throws {
        for isStarted in [false, true] {
            let trial = try CallTrial(nil, isKnown: false)
            if isStarted { trial.call.start() }
            trial.call.cancel()
            trial.call.cancel()
            trial.call.start()
            trial.configs.releaseOthers(andLater: true)
            #expect(trial.ends.map { $0.error?.code } == [.cancelled])
            #expect(trial.ends[0].error?.mayHaveBeenExecuted == false)
            #expect(trial.cores.isEmpty && trial.backend.openCalls.isEmpty)
        }
    }

    @Test("ends if it is cancelled while another thread makes it")
    func cancelledWhileMade() async throws {
        for _ in 0..<500 {
            let trial = try CallTrial(nil, isKnown: false)
            trial.call.start()
            let (call, configs) = (trial.call, trial.configs)
            async let made: Void = configs.releaseOthers(andLater: true)
            async let cancelled: Void = call.cancel()
            _ = await (made, cancelled)
            #expect(trial.ends.map { $0.error?.code } == [.cancelled])
            #expect(trial.cores.allSatisfy { $0.isEnded })
        }
    }

    @Test("ends at its deadline, with the step for which it has waited")
    func late() throws {
        let trial = try CallTrial(nil, timeout: .seconds(86_400), isKnown: false)
        let call = try #require(trial.call as? DeferredCall)
        call.start()
        call.timerFired(now: .now)
        call.timerFired(now: .now)
        #expect(
            trial.ends.map { $0.error?.message } == [
                "the deadline passed before the resolver's first result"
            ])
        #expect(trial.configs.waitingCount == 0)
    }
}
