import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("Hedging (A6)")
struct HedgingStateTests {
    private func state(
        maxAttempts: Int = 4, delay: Duration = .milliseconds(500), throttle: RetryThrottle? = nil
    ) -> HedgingState {
        var policy = HedgingPolicy(maxAttempts: maxAttempts)
        policy.delay = delay
        policy.nonFatalCodes = [.unavailable]
        return HedgingState(policy, limit: 5, throttle: throttle, now: .zero)
    }

    private func milliseconds(_ count: Int) -> Duration { .milliseconds(count) }

    /// Repeats `next` until the state waits. Returns the number of sent attempts, and the last
    /// decision.
    private func drain(
        _ state: inout HedgingState, at now: Duration
    ) -> (sent: Int, answer: HedgingState.Action) {
        var sent = 0
        while true {
            let action = state.next(now: now)
            guard case .send = action else { return (sent, action) }
            sent += 1
        }
    }

    @Test(
        "after 1 ms there is one outstanding RPC, after 501 ms two, after 1001 ms three, then four")
    func intervals() {
        var state = state()
        var total = 0
        for (time, outstanding) in [(1, 1), (501, 2), (1_001, 3), (1_501, 4), (9_999, 4)] {
            total += drain(&state, at: milliseconds(time)).sent
            #expect(total == outstanding)
        }
        #expect(state.next(now: milliseconds(9_999)) == .wait(until: nil))
    }

    @Test("a hedgingDelay of 0 sends all RPCs simultaneously")
    func noDelay() {
        var state = state(delay: .zero)
        #expect(drain(&state, at: .zero) == (4, .wait(until: nil)))
    }

    @Test("each request carries the number of those before, even if two are sent at once")
    func numbers() {
        var state = state(maxAttempts: 3, delay: .seconds(1))
        // Two threads may ask before either of them has sent its attempt.
        let actions = [0, 2, 4].map { state.next(now: .seconds($0)) }
        #expect(actions == (0..<3).map { .send(previousCount: $0) })
    }

    @Test("no request follows when the channel was closed, but the open ones continue")
    func closed() {
        var state = state()
        let closed = AttemptFailure(.unavailable, reach: .closed)
        _ = drain(&state, at: .zero)
        _ = drain(&state, at: milliseconds(500))
        #expect(state.attemptFailed(closed, now: milliseconds(600)) == .goOn)
        #expect(drain(&state, at: .seconds(60)).sent == 0)
        #expect(state.attemptFailed(closed, now: .seconds(60)) == .finish)
    }

    @Test("the call is over when the throttle forbids the only request that would follow")
    func throttledLast() {
        let throttle = RetryThrottle(.init(maxTokens: 2, tokenRatio: 1))
        var state = state(maxAttempts: 2, delay: .seconds(1), throttle: throttle)
        _ = drain(&state, at: .zero)
        let pushedBack = AttemptFailure(.unavailable, pushback: .retry(after: .seconds(1)))
        #expect(state.attemptFailed(pushedBack, now: .zero) == .goOn)
        #expect(state.next(now: .zero) == .wait(until: .seconds(1)))
        #expect(state.next(now: .seconds(1)) == .giveUp)
    }

    @Test("more than 5 attempts are treated as 5")
    func attemptLimit() {
        var state = state(maxAttempts: 100, delay: .zero)
        #expect(drain(&state, at: .zero).sent == 5)
    }

    @Test("a non-fatal status code sends the next hedged request immediately; later ones resume")
    func nonFatal() {
        var state = state()
        _ = drain(&state, at: .zero)
        #expect(state.attemptFailed(AttemptFailure(.unavailable), now: milliseconds(100)) == .goOn)
        #expect(
            drain(&state, at: milliseconds(100)) == (1, .wait(until: milliseconds(600))))
    }

    @Test("any other status code is the result of the call")
    func fatal() {
        var state = state()
        _ = drain(&state, at: .zero)
        #expect(state.attemptFailed(AttemptFailure(.internal), now: .zero) == .finish)
    }

    @Test("the last of all attempts to fail is the result of the call")
    func allFailed() {
        var state = state(maxAttempts: 2, delay: .zero)
        _ = drain(&state, at: .zero)
        #expect(state.attemptFailed(AttemptFailure(.unavailable), now: .zero) == .goOn)
        #expect(state.next(now: .zero) == .wait(until: nil))
        #expect(state.attemptFailed(AttemptFailure(.unavailable), now: .zero) == .finish)
    }

    @Test("pushback not to retry: no further hedged requests are sent")
    func pushbackNever() {
        var state = state(delay: milliseconds(10))
        #expect(drain(&state, at: milliseconds(0)).sent == 1)
        #expect(drain(&state, at: milliseconds(10)).sent == 1)
        let failure = AttemptFailure(.unavailable, pushback: .never)
        #expect(state.attemptFailed(failure, now: milliseconds(11)) == .goOn)
        #expect(drain(&state, at: .seconds(9)) == (0, .wait(until: nil)))
        #expect(state.attemptFailed(AttemptFailure(.unavailable), now: .seconds(9)) == .finish)
    }

    @Test("pushback of n ms: the next one after n ms, subsequent ones at n + hedgingDelay")
    func pushbackDelay() {
        var state = state()
        _ = drain(&state, at: .zero)
        let failure = AttemptFailure(.unavailable, pushback: .retry(after: .seconds(2)))
        #expect(state.attemptFailed(failure, now: milliseconds(100)) == .goOn)
        #expect(drain(&state, at: milliseconds(600)) == (0, .wait(until: milliseconds(2_100))))
        #expect(
            drain(&state, at: milliseconds(2_100)) == (1, .wait(until: milliseconds(2_600))))
    }

    @Test(
        "of several pushbacks the earliest time counts", arguments: [[2, 5], [5, 2], [5, 2, 9]])
    func severalPushbacks(delays: [Int]) {
        var state = state(maxAttempts: 5, delay: milliseconds(1))
        for time in 0..<delays.count { #expect(drain(&state, at: milliseconds(time)).sent == 1) }
        for delay in delays {
            let failure = AttemptFailure(.unavailable, pushback: .retry(after: .seconds(delay)))
            #expect(state.attemptFailed(failure, now: milliseconds(3)) == .goOn)
        }
        #expect(state.next(now: milliseconds(4)) == .wait(until: milliseconds(2_003)))
        // The next pushback may be later again.
        #expect(state.next(now: milliseconds(2_003)) == .send(previousCount: delays.count))
        let failure = AttemptFailure(.unavailable, pushback: .retry(after: .seconds(7)))
        #expect(state.attemptFailed(failure, now: milliseconds(2_003)) == .goOn)
        #expect(state.next(now: milliseconds(2_003)) == .wait(until: milliseconds(9_003)))
    }

    @Test("the first RPC is always sent, subsequent ones only above the threshold of the throttle")
    func throttled() {
        let throttle = RetryThrottle(.init(maxTokens: 2, tokenRatio: 1))
        _ = throttle.recordFailure()
        var state = state(throttle: throttle)
        #expect(drain(&state, at: .zero).sent == 1)
        #expect(drain(&state, at: .seconds(1)) == (0, .wait(until: nil)))
        #expect(state.attemptFailed(AttemptFailure(.unavailable), now: .seconds(2)) == .finish)
    }

    @Test("gives up when only a throttled hedged request remains")
    func throttledLater() {
        let throttle = RetryThrottle(.init(maxTokens: 2, tokenRatio: 1))
        var state = state(throttle: throttle)
        _ = drain(&state, at: .zero)
        let failure = AttemptFailure(.unavailable, pushback: .retry(after: .seconds(1)))
        #expect(state.attemptFailed(failure, now: .zero) == .goOn)
        #expect(drain(&state, at: .seconds(1)) == (0, .giveUp))
    }

    @Test("if the pick result type was DROP, the RPC fails immediately")
    func dropped() {
        var state = state(maxAttempts: 2, delay: .zero)
        _ = drain(&state, at: .zero)
        #expect(
            state.attemptFailed(AttemptFailure(.unavailable, reach: .dropped), now: .zero)
                == .finish)
    }

    @Test("once committed, no subsequent attempts are started")
    func committed() {
        let throttle = RetryThrottle(.init(maxTokens: 2, tokenRatio: 1))
        var state = state(throttle: throttle)
        _ = drain(&state, at: .zero)
        state.commit()
        #expect(drain(&state, at: .seconds(9)) == (0, .wait(until: nil)))
        #expect(state.attemptFailed(AttemptFailure(.unavailable), now: .seconds(9)) == .finish)
        #expect(!throttle.allowsRetries)
        state.attemptSucceeded()
        #expect(throttle.allowsRetries)
    }
}
