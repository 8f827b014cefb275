import SwiftletCore

/// Decides when the attempts of a hedged call are sent, and which failure ends it (A6).
///
/// Does no I/O. The call asks ``next(now:)`` at its start, after each event, and at the time in
/// ``Action/wait(until:)``. It performs the action, and repeats this until the action is to wait.
struct HedgingState: Sendable {
    enum Action: Equatable, Sendable {
        /// Send one more attempt, then ask again.
        ///
        /// - Parameter previousCount: The value of the attempt's `grpc-previous-rpc-attempts`.
        case send(previousCount: Int)
        /// Ask again at this time; nil waits for an event.
        case wait(until: Duration?)
        /// No attempt is open and none follows. The last failure is the result of the call.
        case giveUp
    }

    enum Outcome: Equatable, Sendable {
        /// Other attempts are open, or follow later: ask ``next(now:)``.
        case goOn
        /// The failure is the result of the call. All other attempts are cancelled.
        case finish
    }

    private let nonFatalCodes: Set<StatusCode>
    private let delay: Duration
    private let maxAttempts: Int
    private let throttle: RetryThrottle?
    private var openCount = 0
    /// When the next attempt is due; nil when none follows.
    private var nextTime: Duration?
    /// Whether a server has set ``nextTime``. Of several servers, the earliest time counts: the others do not
    /// know when that one accepts a call.
    private var isPushedBack = false
    /// The number of attempts that were sent.
    private var sentCount = 0

    /// - Parameters:
    ///   - limit: The most attempts, even if the policy allows more.
    ///   - now: The time at which the first attempt is sent.
    init(_ policy: HedgingPolicy, limit: Int, throttle: RetryThrottle?, now: Duration) {
        nonFatalCodes = policy.nonFatalCodes
        // Limited, so that the current time plus the delay stays in the range of `Duration`.
        delay = min(policy.delay, .seconds(86_400 * 365))
        maxAttempts = min(policy.maxAttempts, limit)
        self.throttle = throttle
        nextTime = now
    }
}

extension HedgingState {
    mutating func next(now: Duration) -> Action {
        guard let due = nextTime else { return openCount == 0 ? .giveUp : .wait(until: nil) }
        guard due <= now else { return .wait(until: due) }
        // The first attempt is always sent.
        if sentCount > 0, throttle.map({ !$0.allowsRetries }) ?? false {
            nextTime = nil
            return next(now: now)
        }
        sentCount += 1
        openCount += 1
        nextTime = sentCount < maxAttempts ? now + delay : nil
        isPushedBack = false
        return .send(previousCount: sentCount - 1)
    }

    /// Decides what to do after the failure of one attempt.
    mutating func attemptFailed(_ failure: AttemptFailure, now: Duration) -> Outcome {
        if failure.reach == .dropped { return .finish }
        openCount -= 1
        if failure.reach == .closed {
            stop()
            return openCount == 0 ? .finish : .goOn
        }
        let isFatal = !nonFatalCodes.contains(failure.code)
        if !isFatal || failure.pushback == .never { _ = throttle?.recordFailure() }
        if isFatal { return .finish }
        if let due = nextTime {
            switch failure.pushback {
            case .never: nextTime = nil
            case .retry(let delay):
                nextTime = isPushedBack ? min(due, now + delay) : now + delay
                isPushedBack = true
            case nil: nextTime = now
            }
        }
        return openCount == 0 && nextTime == nil ? .finish : .goOn
    }

    /// Commits the call to one attempt, because its response arrived or the replay buffer
    /// overflowed. The other attempts are cancelled, and no attempt follows.
    mutating func commit() {
        nextTime = nil
        openCount = 1
    }

    /// Sends no more attempts. The open ones continue.
    mutating func stop() { nextTime = nil }

    /// Called when an attempt ended with OK.
    func attemptSucceeded() { throttle?.recordSuccess() }
}
