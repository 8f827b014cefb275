import Testing

@testable import SwiftletCore

@Suite("The attempts of a call")
struct AttemptPlanTests {
    /// A plan, and its decisions.
    private final class Trial {
        private var plan: AttemptPlan

        init(_ attempts: MethodConfig.Attempts?, throttle: RetryThrottle? = nil) {
            plan = AttemptPlan(attempts, throttle: throttle, now: .zero)
        }

        func next(at seconds: Int) -> String { text(plan.next(now: .seconds(seconds))) }

        func fail(_ failure: AttemptFailure, at seconds: Int) -> String {
            text(plan.attemptFailed(failure, now: .seconds(seconds)))
        }

        func commit() { plan.commit() }

        private func text(_ next: AttemptPlan.Next) -> String {
            switch next {
            case .send(let kind, let previousCount): "\(kind), \(previousCount) before"
            case .wait(let time?): "at \(time.components.seconds)"
            case .wait(nil): ""
            case .giveUp: "over"
            }
        }
    }

    private static let failure = AttemptFailure(
        .unavailable, pushback: RetryPushback.retry(after: .seconds(1)))

    private static let retry = MethodConfig.Attempts.retry(
        RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable]))

    private static let hedging: MethodConfig.Attempts = {
        var policy = HedgingPolicy(maxAttempts: 2)
        policy.delay = .seconds(1)
        policy.nonFatalCodes = [.unavailable]
        return .hedging(policy)
    }()

    @Test("are one without a policy, and its failure is the result")
    func once() {
        let trial = Trial(nil)
        #expect(trial.next(at: 0) == "first, 0 before")
        #expect(trial.next(at: 0) == "")
        #expect(trial.fail(AttemptFailure(.unavailable), at: 0) == "over")
    }

    @Test("follow each other with a retry policy, each after its delay")
    func retries() {
        let trial = Trial(Self.retry)
        #expect(trial.next(at: 0) == "first, 0 before")
        #expect(trial.fail(Self.failure, at: 0) == "at 1")
        #expect(trial.next(at: 0) == "at 1")
        #expect(trial.next(at: 1) == "retry, 1 before")
        #expect(trial.next(at: 1) == "")
        #expect(trial.fail(Self.failure, at: 5) == "at 6")
        #expect(trial.next(at: 6) == "retry, 2 before")
        #expect(trial.fail(Self.failure, at: 6) == "over")
    }

    @Test("run beside each other with a hedging policy, and the last failure is the result")
    func hedges() {
        let trial = Trial(Self.hedging)
        #expect(trial.next(at: 0) == "first, 0 before")
        #expect(trial.next(at: 0) == "at 1")
        #expect(trial.next(at: 1) == "hedge, 1 before")
        #expect(trial.fail(AttemptFailure(.unavailable), at: 1) == "")
        #expect(trial.fail(AttemptFailure(.unavailable), at: 1) == "over")
    }

    @Test("each carry the number of those before, even if two hedges are sent at once")
    func hedgesAtOnce() {
        var policy = HedgingPolicy(maxAttempts: 3)
        policy.delay = .seconds(1)
        let trial = Trial(.hedging(policy))
        #expect(trial.next(at: 0) == "first, 0 before")
        // Two threads may ask before either of them has sent its attempt.
        #expect(trial.next(at: 2) == "hedge, 1 before")
        #expect(trial.next(at: 4) == "hedge, 2 before")
    }

    @Test("are over when the throttle forbids the only one that would follow")
    func throttled() {
        let throttle = RetryThrottle(.init(maxTokens: 2, tokenRatio: 1))
        let trial = Trial(Self.hedging, throttle: throttle)
        #expect(trial.next(at: 0) == "first, 0 before")
        #expect(trial.fail(Self.failure, at: 0) == "at 1")
        #expect(trial.next(at: 1) == "over")
    }

    @Test("are not followed by others when the channel was closed, but the open ones continue")
    func closed() {
        let closed = AttemptFailure(.unavailable, reach: .closed)
        let retried = Trial(Self.retry)
        #expect(retried.next(at: 0) == "first, 0 before")
        #expect(retried.fail(closed, at: 0) == "over")
        let hedged = Trial(Self.hedging)
        #expect(hedged.next(at: 0) == "first, 0 before")
        #expect(hedged.next(at: 1) == "hedge, 1 before")
        #expect(hedged.fail(closed, at: 1) == "")
        #expect(hedged.fail(closed, at: 1) == "over")
    }

    @Test("do not increase after the call is committed to one of them")
    func committed() {
        let trial = Trial(Self.hedging)
        #expect(trial.next(at: 0) == "first, 0 before")
        trial.commit()
        #expect(trial.next(at: 1) == "")
    }
}
