import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A call with a retry policy, without a network")
struct CallRetriesTests {
    private static let closed = RPCError(.unavailable, "the channel was closed")

    @Test("is one object, which looks for a stream once for each attempt")
    func attempts() throws {
        let trial = try CallTrial(CallTrial.retry)
        let core = try #require(trial.call.core)
        core.start()
        for _ in 0..<2 {
            trial.failAttempt()
            #expect(trial.ends.isEmpty)
            trial.wake()
        }
        trial.failAttempt(RPCError(.unavailable, "last"))
        #expect(trial.cores.count == 3 && trial.cores.allSatisfy { $0 === core })
        #expect(trial.ends.map { $0.error?.message } == ["last"])
        #expect(
            trial.ends[0].error?.attempts.map(\.cause)
                == Array(repeating: "UNAVAILABLE: busy", count: 2))
        #expect(trial.backend.openCalls.isEmpty)
    }

    @Test("sends the number of the attempts before, and the whole request again")
    func headers() throws {
        let trial = try CallTrial(CallTrial.retry)
        let core = try #require(trial.call.core)
        core.write(.whole([1]), andFinish: false)
        core.start()
        #expect(core.metadata.isEmpty)
        var first = try core.takenRequest()
        trial.pushBack()
        core.write(.whole([2]), andFinish: true)
        trial.wake()
        #expect(core.metadata["grpc-previous-rpc-attempts"] == "1")
        var second = try core.takenRequest()
        let (follows, isRepeated) = (second.attempt == first.attempt + 1, second.isRepeated)
        #expect(follows && !isRepeated)
        #expect(Self.bytes(&first) == [1])
        #expect(Self.bytes(&second) == [1, 2])
        trial.call.cancel()
    }

    static func bytes(_ portion: inout RequestLog.Portion) -> [UInt8] {
        var bytes: [UInt8] = []
        portion.takeEach { message, _ in
            if case .whole(let own) = message { bytes += own }
        }
        return bytes
    }

    @Test("makes no other attempt once its request is too large to be kept")
    func tooLarge() throws {
        let trial = try CallTrial(
            CallTrial.retry, limits: .keeping(10))
        let core = try #require(trial.call.core)
        core.start()
        trial.failAttempt()
        core.write(.whole([UInt8](repeating: 1, count: 100)), andFinish: false)
        trial.wake()
        try trial.attach()
        trial.failAttempt(RPCError(.unavailable, "second"))
        #expect(trial.ends.map { $0.error?.message } == ["second"])
        #expect(trial.ends[0].error?.attempts.map(\.cause) == ["UNAVAILABLE: busy"])
    }

    @Test("makes no other attempt once the server has begun to answer")
    func answered() throws {
        let trial = try CallTrial(CallTrial.retry)
        let core = try #require(trial.call.core)
        core.start()
        _ = core.takeRequest()
        core.receive(
            CallArrival(
                initial: ResponseHead.Initial(
                    httpStatus: 200, encoding: .identity, Metadata())), at: .now)
        trial.failAttempt()
        #expect(trial.ends.map { $0.error?.message } == ["busy"])
    }

    @Test("is sent again once if servers refuse its streams, however many attempts follow")
    func refusedAlways() throws {
        let trial = try CallTrial(CallTrial.retry)
        trial.call.start()
        while trial.ends.isEmpty {
            let (core, count) = (try #require(trial.cores.last), trial.cores.count)
            _ = core.takeRequest()
            core.streamWasNotProcessed(RPCError(.unavailable, "refused"))
            if trial.cores.count == count { trial.wake() }
        }
        // The three attempts of the policy, and one that is granted because no server has seen the call.
        #expect(trial.cores.count == 4)
        #expect(trial.ends.map { $0.error?.message } == ["refused"])
    }

    @Test("ends when its channel is closed between two attempts, with the failures so far")
    func closedBetweenAttempts() throws {
        let trial = try CallTrial(CallTrial.retry)
        trial.call.start()
        trial.failAttempt()
        #expect(!trial.backend.openCalls.isEmpty)
        trial.backend.openCalls.close(with: Self.closed)
        #expect(trial.ends.map { $0.error?.message } == ["the channel was closed"])
        #expect(trial.ends[0].error?.attempts.map(\.cause) == ["UNAVAILABLE: busy"])
        #expect(trial.backend.openCalls.isEmpty)
        trial.wake()
        #expect(trial.cores.count == 1)
    }

    @Test("ends when its channel is closed between two attempts, also if each failed when it began")
    func closedBetweenLaterAttempts() throws {
        let trial = try CallTrial(CallTrial.retry)
        trial.backend.failsAtOnce.store(true, ordering: .relaxed)
        trial.call.start()
        trial.wake()
        #expect(trial.cores.count == 2 && trial.ends.isEmpty)
        trial.backend.openCalls.close(with: Self.closed)
        #expect(trial.ends.map { $0.error?.message } == ["the channel was closed"])
        #expect(trial.backend.openCalls.isEmpty)
    }

    /// Measures the sizes of messages, which it keeps until no attempt follows.
    private final class Meter: CallMeter, AttemptMeter {
        let forgotten = Atomic(0)

        func attempt(_ kind: AttemptKind) -> any AttemptMeter { self }
        func retried() -> any AttemptMeter { self }
        func nameIsResolved() {}
        func measuring(_ observer: consuming any CallObserver) -> any CallObserver { observer }
        func addHeaders(to metadata: inout Metadata) {}
        func isRouted(to labels: BackendLabels) {}
        func sent(_ size: MessageSize) {}
        func received(_ size: MessageSize) {}
        func endIsDelivered(_ error: RPCError?) {}
        func attemptFailed(_ error: RPCError, _ tally: CallTally) {}
        func beginNext(at now: MonotonicInstant) {}
        var measuresMessages: Bool { true }
        func started(at now: MonotonicInstant) {}
        func isSentAgain(after error: RPCError, _ tally: CallTally) {}
        func ended(_ error: RPCError?, _ tally: CallTally) {}
        func forgetMessages() { forgotten.add(1, ordering: .relaxed) }
    }

    @Test("lets its meter forget the messages once the request is too large to be sent again")
    func forgottenSizes() throws {
        let meter = Meter()
        let trial = try CallTrial(
            CallTrial.retry, limits: .keeping(10), meter: meter)
        let core = try #require(trial.call.core)
        core.start()
        try trial.attach()
        core.write(.whole([1]), andFinish: false)
        #expect(meter.forgotten.load(ordering: .relaxed) == 0)
        core.write(.whole([UInt8](repeating: 1, count: 100)), andFinish: false)
        #expect(meter.forgotten.load(ordering: .relaxed) == 1)
        core.cancel()
    }

    @Test("lets its meter keep the messages if a message after the end of the request is dropped")
    func keptSizes() throws {
        let meter = Meter()
        let trial = try CallTrial(CallTrial.retry, meter: meter)
        trial.call.start()
        try trial.attach()
        trial.call.finish()
        trial.call.write(.whole([1]), andFinish: false)
        #expect(meter.forgotten.load(ordering: .relaxed) == 0)
        trial.call.cancel()
    }

    @Test("lets its attempt continue when its channel is closed, and says why no other follows")
    func closedDuringAttempt() throws {
        let trial = try CallTrial(CallTrial.retry)
        trial.call.start()
        trial.backend.openCalls.close(with: Self.closed)
        #expect(trial.ends.isEmpty)
        trial.failAttempt()
        #expect(trial.ends.map { $0.error?.message } == ["the channel was closed"])
        #expect(trial.ends[0].error?.attempts.map(\.cause) == ["UNAVAILABLE: busy"])
        #expect(trial.backend.openCalls.isEmpty)
    }

    @Test("is ended by its channel between two attempts")
    func endedByChannel() throws {
        let trial = try CallTrial(CallTrial.retry)
        trial.call.start()
        trial.failAttempt()
        trial.backend.openCalls.endAll(with: RPCError(.cancelled, "closed"))
        #expect(trial.ends.map { $0.error?.code } == [.cancelled])
        #expect(trial.backend.openCalls.isEmpty)
    }

    @Test("ends at its deadline between two attempts, with the failures so far")
    func lateBetweenAttempts() throws {
        let trial = try CallTrial(CallTrial.retry, timeout: .seconds(86_400))
        trial.call.start()
        trial.failAttempt()
        trial.call.core?.deadlineExceeded()
        let error = try #require(trial.ends.first?.error)
        #expect(error.code == .deadlineExceeded)
        #expect(error.message.contains("before the next attempt"))
        #expect(error.attempts.map(\.cause) == ["UNAVAILABLE: busy"])
        #expect(trial.backend.openCalls.isEmpty)
        trial.wake()
        #expect(trial.cores.count == 1 && trial.ends.count == 1)
    }

    @Test("is not sent again after an error in its arguments, a cancellation or its deadline")
    func final() throws {
        for end: (CallCore) -> Void in [
            { $0.attemptFailed(with: .refused(.unavailable, "the arguments are wrong")) },
            { $0.cancel() }, { $0.deadlineExceeded() },
            { $0.fail(RPCError(.unavailable, "of the program")) },
        ] {
            var policy = RetryPolicy(
                maxAttempts: 3, retryableCodes: [.unavailable, .cancelled, .deadlineExceeded])
            policy.initialBackoff = .seconds(3_600)
            let trial = try CallTrial(.retry(policy))
            let core = try #require(trial.call.core)
            core.start()
            end(core)
            #expect(trial.ends.count == 1 && trial.backend.openCalls.isEmpty)
        }
    }

    @Test("knows that a server may have executed an attempt before")
    func executed() throws {
        let trial = try CallTrial(CallTrial.retry)
        let core = try #require(trial.call.core)
        core.start()
        _ = core.takeRequest()
        trial.pushBack()
        #expect(core.mayHaveSent)
        trial.wake()
        core.cancel()
        #expect(trial.ends.first?.error?.mayHaveBeenExecuted == true)
    }

    @Test(
        "knows that a server may have executed an attempt before one whose stream was never opened",
        arguments: [true, false])
    func executedBeforeUnsent(isLate: Bool) throws {
        let trial = try CallTrial(CallTrial.retry)
        let core = try #require(trial.call.core)
        core.start()
        _ = core.takeRequest()
        trial.pushBack()
        trial.wake()
        try trial.attach(to: TrackedEndTests.FullCarrier())
        if isLate { core.deadlineExceeded() } else { core.cancel() }
        #expect(trial.ends.first?.error?.mayHaveBeenExecuted == true)
    }

    @Test("knows that no server has executed it if its last stream was never opened")
    func neverExecuted() throws {
        let trial = try CallTrial(CallTrial.retry)
        let core = try #require(trial.call.core)
        core.start()
        trial.failAttempt()
        trial.wake()
        try trial.attach(to: TrackedEndTests.FullCarrier())
        core.cancel()
        #expect(trial.ends.first?.error?.attempts.count == 1)
        #expect(trial.ends.first?.error?.mayHaveBeenExecuted == false)
    }

    @Test("keeps its channel until it is committed, and not longer")
    func channel() throws {
        var object: Kept? = Kept()
        weak let channel = object
        let backend = try CallTrial.Backend()
        let method = MethodSignature(path: "/a.B/C", shape: .unary, contentSubtype: nil)
        let call = CallCore(
            CallHead(method, CallOptions(), MessageLimits()), deadline: .never, backend: backend,
            observer: CallTrial.Observer(), kept: KeptParts(channel: object))
        object = nil
        call.start()
        #expect(channel != nil)
        let initial = ResponseHead.Initial(
            httpStatus: 200, encoding: .identity, Metadata())
        _ = call.receive(CallArrival(initial: initial), at: .now)
        #expect(channel == nil)
        call.cancel()
        backend.queue.shutdown()
    }

    private final class Kept: Sendable {}
}
