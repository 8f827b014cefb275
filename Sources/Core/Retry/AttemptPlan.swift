/// Decides when the attempts of a call are sent, and which failure ends the call. Holds either a
/// retry policy or a hedging policy.
struct AttemptPlan {
    /// The actions after an event.
    struct Next {
        /// Whether to send one more attempt now.
        var sendsAttempt = false
        /// The kind of that attempt.
        var kind = AttemptKind.first
        /// When to call ``AttemptPlan/next(now:)`` again; nil if only an event is awaited.
        var wakeTime: Duration?
        /// Whether the reported failure is the result of the call.
        var givesUp = false
    }

    private enum Policy {
        case retry(RetryState)
        case hedging(HedgingState)
        /// No policy: the call waited for the service config, and the config has no policy for its
        /// method.
        case once(wasSent: Bool)
    }

    private var policy: Policy
    /// When the next attempt of a retry policy is sent; nil if none is due.
    private var due: Duration?
    /// The value of `grpc-previous-rpc-attempts` for the next attempt.
    private(set) var previousAttemptCount = 0

    init(_ attempts: MethodConfig.Attempts?, throttle: RetryThrottle?, now: Duration) {
        switch attempts {
        case .retry(let policy)?:
            self.policy = .retry(RetryState(policy, throttle: throttle))
            due = now
        case .hedging(let policy)?:
            self.policy = .hedging(HedgingState(policy, throttle: throttle, now: now))
        case nil: policy = .once(wasSent: false)
        }
    }
}

extension AttemptPlan {
    /// Whether another attempt may be sent even if no attempt has failed.
    var hasMoreAttempts: Bool {
        guard case .hedging = policy else { return false }
        return true
    }

    /// Returns the actions that are due at `now`.
    mutating func next(now: Duration) -> Next {
        switch policy {
        case .once(let wasSent):
            policy = .once(wasSent: true)
            return Next(sendsAttempt: !wasSent)
        case .retry(let state):
            guard let due else { return Next() }
            guard due <= now else { return Next(wakeTime: due) }
            self.due = nil
            previousAttemptCount = state.previousAttemptCount
            return Next(sendsAttempt: true, kind: previousAttemptCount > 0 ? .retry : .first)
        case .hedging(var state):
            defer { policy = .hedging(state) }
            switch state.next(now: now) {
            case .send:
                previousAttemptCount = state.sentCount - 1
                return Next(sendsAttempt: true, kind: previousAttemptCount > 0 ? .hedge : .first)
            case .wait(let time): return Next(wakeTime: time)
            case .giveUp: return Next(givesUp: true)
            }
        }
    }

    /// Called when an attempt has failed and the call is not committed to it. Returns the next
    /// actions.
    mutating func attemptFailed(_ failure: AttemptFailure, now: Duration) -> Next {
        switch policy {
        case .once: return Next(givesUp: true)
        case .retry(var state):
            let decision = state.attemptFailed(failure)
            policy = .retry(state)
            switch decision {
            case .retry(let delay):
                due = now + delay
                return next(now: now)
            case .transparent: return Next(sendsAttempt: true, kind: .transparent)
            case .giveUp: return Next(givesUp: true)
            }
        case .hedging(var state):
            let outcome = state.attemptFailed(failure, now: now)
            policy = .hedging(state)
            switch outcome {
            case .goOn: return next(now: now)
            case .transparent: return Next(sendsAttempt: true, kind: .transparent)
            case .finish: return Next(givesUp: true)
            }
        }
    }

    /// Called when the committed attempt has failed. No attempt follows, but the throttle counts
    /// the failure.
    mutating func committedAttemptFailed(_ failure: AttemptFailure) {
        guard case .retry(var state) = policy else { return }
        _ = state.attemptFailed(failure, isCommitted: true)
        policy = .retry(state)
    }

    mutating func commit() {
        due = nil
        guard case .hedging(var state) = policy else { return }
        state.commit()
        policy = .hedging(state)
    }

    func attemptSucceeded() {
        switch policy {
        case .once: break
        case .retry(let state): state.attemptSucceeded()
        case .hedging(let state): state.attemptSucceeded()
        }
    }
}
