/// Decides after each failed attempt of one call whether and when the next one is sent (A6).
///
/// Does no I/O. The call asks ``attemptFailed(_:_:isCommitted:chance:)`` after each failure.
package struct RetryState: Sendable {
    private let retryableCodes: Set<StatusCode>
    private let maxAttempts: Int
    private let throttle: RetryThrottle?
    private var backoff: Backoff
    /// The number of failed attempts. This is the value of `grpc-previous-rpc-attempts`.
    private(set) var previousAttemptCount = 0

    /// - Parameter limit: The most attempts, even if the policy allows more.
    init(_ policy: RetryPolicy, limit: Int, throttle: RetryThrottle?) {
        retryableCodes = policy.retryableCodes
        maxAttempts = min(policy.maxAttempts, limit)
        self.throttle = throttle
        backoff = Backoff(
            .init(
                initial: policy.initialBackoff, maximum: policy.maxBackoff,
                multiplier: policy.backoffMultiplier))
    }
}

extension RetryState {
    /// The delay of the next attempt after one that has failed; nil if the failure is the result of the call.
    ///
    /// - Parameters:
    ///   - pushback: The server's instruction; nil if it gave none.
    ///   - isCommitted: Whether response headers arrived or the replay buffer overflowed.
    ///   - chance: The position of the delay in the range of the jitter, 0.8 to 1.2. A number from 0 to 1.
    mutating func attemptFailed(
        _ code: StatusCode, _ pushback: RetryPushback? = nil, isCommitted: Bool = false,
        chance: Double = .chance
    ) -> Duration? {
        previousAttemptCount += 1
        let isRetryable = retryableCodes.contains(code)
        // The failure counts for the throttle, even if something else forbids a retry.
        let isThrottled: Bool =
            if isRetryable || pushback == .never {
                throttle.map { !$0.recordFailure() } ?? false
            } else { false }
        guard isRetryable, !isThrottled, !isCommitted, previousAttemptCount < maxAttempts else {
            return nil
        }
        switch pushback {
        case .never: return nil
        case .retry(let delay):
            backoff.reset()
            return delay
        case nil: return backoff.next(chance: chance)
        }
    }
}
