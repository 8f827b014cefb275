/// Decides when the attempts of a call are sent, and which failure ends the call. Holds either a
/// retry policy or a hedging policy.
struct AttemptPlan {
    /// The action after an event.
    enum Next: Equatable {
        /// Send one more attempt now.
        ///
        /// - Parameter previousCount: The value of the attempt's `grpc-previous-rpc-attempts`.
        case send(AttemptKind, previousCount: Int)
        /// Call ``AttemptPlan/next(now:)`` again at this time; nil if only an event is awaited.
        case wait(until: Duration?)
        /// No attempt follows. The failure that was reported last is the result of the call.
        case giveUp
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
    /// The value of `grpc-previous-rpc-attempts` of the attempt that was sent last.
    private var previousAttemptCount = 0
    private var isStopped = false

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

    /// Returns the action that is due at `now`.
    mutating func next(now: Duration) -> Next {
        switch policy {
        case .once(let wasSent):
            policy = .once(wasSent: true)
            return wasSent ? .wait(until: nil) : send(.first)
        case .retry(let state):
            guard let due else { return .wait(until: nil) }
            guard due <= now else { return .wait(until: due) }
            self.due = nil
            previousAttemptCount = state.previousAttemptCount
            return send(previousAttemptCount > 0 ? .retry : .first)
        case .hedging(var state):
            defer { policy = .hedging(state) }
            switch state.next(now: now) {
            case .send:
                previousAttemptCount = state.sentCount - 1
                return send(previousAttemptCount > 0 ? .hedge : .first)
            case .wait(let time): return .wait(until: time)
            case .giveUp: return .giveUp
            }
        }
    }

    private func send(_ kind: AttemptKind) -> Next {
        .send(kind, previousCount: previousAttemptCount)
    }

    /// Called when an attempt has failed and the call is not committed to it. Returns the next
    /// action.
    mutating func attemptFailed(_ failure: AttemptFailure, now: Duration) -> Next {
        switch policy {
        case .once: return .giveUp
        case .retry(var state):
            let decision = state.attemptFailed(failure)
            policy = .retry(state)
            if isStopped { return .giveUp }
            switch decision {
            case .retry(let delay):
                due = now + delay
                return next(now: now)
            case .giveUp: return .giveUp
            }
        case .hedging(var state):
            let outcome = state.attemptFailed(failure, now: now)
            policy = .hedging(state)
            switch outcome {
            case .goOn: return next(now: now)
            case .finish: return .giveUp
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

    /// Sends no more attempts. The open ones continue.
    mutating func stop() {
        isStopped = true
        due = nil
        guard case .hedging(var state) = policy else { return }
        state.stop()
        policy = .hedging(state)
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
