import Testing

@testable import SwiftletCore

@Suite("Retries (A6)")
struct RetryStateTests {
    private static let policy: RetryPolicy = {
        var policy = RetryPolicy(maxAttempts: 5, retryableCodes: [.unavailable])
        policy.initialBackoff = .milliseconds(100)
        policy.maxBackoff = .milliseconds(300)
        policy.backoffMultiplier = 2
        return policy
    }()

    private func state(
        maxAttempts: Int = 5, throttle: RetryThrottle? = nil
    ) -> RetryState {
        var policy = Self.policy
        policy.maxAttempts = maxAttempts
        return RetryState(policy, limit: 5, throttle: throttle)
    }

    /// The delay in milliseconds; nil when the call gives up.
    private func delay(_ delay: Duration?) -> Int? {
        delay.map { Int(($0 / .milliseconds(1)).rounded()) }
    }

    @Test("the n-th delay is min(initialBackoff × backoffMultiplier^(n−1), maxBackoff)")
    func backoff() {
        var state = state()
        let delays = (0..<4).map { _ in
            delay(state.attemptFailed(.unavailable, chance: 0.5))
        }
        #expect(delays == [100, 200, 300, 300])
    }

    @Test("a multiplier that is not above 0 counts as 1", arguments: [0.0, -1, .nan])
    func noMultiplier(multiplier: Double) {
        var policy = Self.policy
        policy.backoffMultiplier = multiplier
        var state = RetryState(policy, limit: 5, throttle: nil)
        let delays = (0..<3).map { _ in
            delay(state.attemptFailed(.unavailable, chance: 0.5))
        }
        #expect(delays == [100, 100, 100])
    }

    @Test("jitter of plus or minus 0.2 is applied", arguments: [(0.0, 80), (1.0, 120)])
    func jitter(chance: Double, milliseconds: Int) {
        var state = state()
        #expect(
            delay(state.attemptFailed(.unavailable, chance: chance))
                == milliseconds)
    }

    @Test("maxAttempts includes the original request")
    func maxAttempts() {
        var state = state(maxAttempts: 2)
        #expect(delay(state.attemptFailed(.unavailable)) != nil)
        #expect(state.attemptFailed(.unavailable) == nil)
        #expect(state.previousAttemptCount == 2)
    }

    @Test("more than 5 attempts are treated as 5")
    func attemptLimit() {
        var state = state(maxAttempts: 1_000)
        let delays = (0..<5).map { _ in state.attemptFailed(.unavailable) }
        #expect(delays[..<4].allSatisfy { $0 != nil })
        #expect(delays[4] == nil)
    }

    @Test("a fatal status code is not retried")
    func fatal() {
        var state = state()
        #expect(state.attemptFailed(.internal) == nil)
    }

    @Test("a committed call is not retried")
    func committed() {
        var state = state()
        #expect(state.attemptFailed(.unavailable, isCommitted: true) == nil)
    }

    @Test("pushback is obeyed exactly, and later delays begin again with initialBackoff")
    func pushback() {
        var state = state()
        _ = state.attemptFailed(.unavailable, chance: 0.5)
        #expect(
            state.attemptFailed(.unavailable, .retry(after: .seconds(7)), chance: 0.9)
                == .seconds(7))
        #expect(delay(state.attemptFailed(.unavailable, chance: 0.5)) == 100)
    }

    @Test("a server that pushes back without a delay is not retried")
    func noRetry() {
        var state = state()
        #expect(state.attemptFailed(.unavailable, .never) == nil)
    }

    @Test("pushback allows no attempt beyond maxAttempts and no code that is not retryable")
    func pushbackLimits() {
        let pushback = RetryPushback.retry(after: .zero)
        var state = state(maxAttempts: 2)
        #expect(state.attemptFailed(.internal, pushback) == nil)
        #expect(state.attemptFailed(.unavailable, pushback) == nil)
    }

    @Test("retries stop when the token count is at half of maxTokens")
    func throttled() {
        let throttle = RetryThrottle(.init(maxTokens: 4, tokenRatio: 0.5))
        var state = state(throttle: throttle)
        #expect(delay(state.attemptFailed(.unavailable)) != nil)
        #expect(state.attemptFailed(.unavailable) == nil)
        throttle.recordSuccess()
        #expect(throttle.allowsRetries)
    }

    @Test(
        "a failure that is retryable or pushes back counts for the throttle, even without a retry",
        arguments: [
            (StatusCode.unavailable, RetryPushback?.none, true, true),
            (.unavailable, .never, false, true), (.invalidArgument, .never, false, true),
            (.invalidArgument, nil, false, false),
        ])
    func counted(
        code: StatusCode, pushback: RetryPushback?, isCommitted: Bool, counts: Bool
    ) {
        let throttle = RetryThrottle(.init(maxTokens: 2, tokenRatio: 1))
        var state = state(throttle: throttle)
        _ = state.attemptFailed(code, pushback, isCommitted: isCommitted)
        #expect(throttle.allowsRetries != counts)
    }

    @Test(
        "policies with extreme numbers have delays in range",
        arguments: [Double.infinity, .nan, -1, 0, 1e300])
    func absurdNumbers(multiplier: Double) {
        var policy = Self.policy
        policy.initialBackoff = .seconds(315_576_000_000)
        policy.maxBackoff = .seconds(315_576_000_000)
        policy.backoffMultiplier = multiplier
        var state = RetryState(policy, limit: 5, throttle: nil)
        for _ in 0..<4 {
            #expect(delay(state.attemptFailed(.unavailable)) != nil)
        }
    }
}

@Suite("grpc-retry-pushback-ms")
struct RetryPushbackTests {
    @Test(
        "is a signed 32-bit number; negative or unparseable values mean no retry",
        arguments: [
            (["0"], .retry(after: .zero)), (["100"], .retry(after: .milliseconds(100))),
            (["2147483647"], .retry(after: .milliseconds(2_147_483_647))),
            (["2147483648"], .never), (["-1"], .never), (["+1"], .never), (["007"], .never),
            ([""], .never), (["1.5"], .never), (["soon"], .never), (["1", "2"], .never), ([], nil),
        ] as [([String], RetryPushback?)])
    func parses(values: [String], pushback: RetryPushback?) {
        var trailers: Metadata = ["x-other": "1"]
        for value in values { trailers.append(received: .text(value), for: RetryPushback.name) }
        #expect(RetryPushback(trailers) == pushback)
    }
}
