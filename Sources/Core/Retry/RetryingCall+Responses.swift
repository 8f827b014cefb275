import SwiftletTransport
import Synchronization

// The events of the attempts, and the end of the call.

extension RetryingCall {
    func attempt(_ attempt: Attempt, received metadata: Metadata) {
        commit(to: attempt)
        if isCommitted(to: attempt) { deliver(.initialMetadata(metadata)) }
    }

    func attempt(_ attempt: Attempt, received message: [UInt8]) {
        if isCommitted(to: attempt) { deliver(.message(message)) }
    }

    /// Handles a complete response. If the response has an error, another attempt may follow, so its parts
    /// are handled one by one.
    func attempt(
        _ attempt: Attempt, received response: inout RawResponse, from core: any CallRequests
    ) {
        guard response.end.error == nil else {
            return attempt.receiveParts(of: &response, from: core)
        }
        let others: [Attempt]? = state.withLock { state in
            guard !state.isOver, state.committed == nil || state.committed === attempt else {
                return nil
            }
            let others = state.commit(to: attempt)
            state.plan?.attemptSucceeded()
            state.end()
            return others
        }
        guard let others else { return }
        closeTimers()
        for other in others { other.core?.cancel() }
        deliver(&response)
    }

    private func isCommitted(to attempt: Attempt) -> Bool {
        state.withLock { $0.committed === attempt }
    }

    /// Counts a message that an attempt has accepted. If no other attempt has accepted it before, reports to
    /// the observer that there is room for the next message.
    func attemptWrote(_ attempt: Attempt) {
        let isReported = state.withLock { state in
            let count = attempt.state.withLock { own in
                own.writtenCount += 1
                return own.writtenCount
            }
            guard count > state.reportedCount else { return false }
            state.reportedCount = count
            return true
        }
        if isReported { deliver(.written(wasAccepted: true)) }
    }

    func attempt(_ attempt: Attempt, ended end: consuming CallEnd) {
        var end = end
        guard let error = end.error else {
            commit(to: attempt)
            guard isCommitted(to: attempt) else { return }
            state.withLock { $0.plan }?.attemptSucceeded()
            return finish(with: end)
        }
        let failure = AttemptFailure(
            error.code, reach: error.isFinal ? .dropped : .other,
            pushback: RetryPushback(end.trailers))
        let now = time
        let next: AttemptPlan.Next? = state.withLock { state in
            guard !state.isOver, state.attempts.contains(where: { $0 === attempt }) else {
                return nil
            }
            state.attempts.removeAll { $0 === attempt }
            if error.mayHaveBeenExecuted { state.mayHaveSent = true }
            guard state.committed == nil else {
                state.plan?.committedAttemptFailed(failure)
                return AttemptPlan.Next(givesUp: true)
            }
            return state.plan?.attemptFailed(failure, now: now)
        }
        guard let next else { return }
        guard next.givesUp else {
            state.withLock {
                $0.failures.append(
                    RPCError.Attempt(address: error.peer ?? "", cause: error.summary))
            }
            return carryOut(next)
        }
        end.error = withFailures(error)
        finish(with: end)
    }

    /// Adds the failures of the earlier attempts to the error of the last one.
    private func withFailures(_ error: RPCError) -> RPCError {
        let (failures, mayHaveSent) = state.withLock { ($0.failures, $0.mayHaveSent) }
        var error = error
        error.attempts = failures + error.attempts
        if mayHaveSent { error.mayHaveBeenExecuted = true }
        return error
    }

    /// Ends the call, once.
    func finish(with end: CallEnd) {
        let attempts: [Attempt]? = state.withLock { state in
            guard !state.isOver else { return nil }
            defer { state.end() }
            return state.attempts
        }
        guard let attempts else { return }
        closeTimers()
        for attempt in attempts { attempt.core?.cancel() }
        deliver(.end(end))
    }

    private func closeTimers() {
        timer.close()
        deadlineTimer.close()
    }

    func deliver(_ event: Event) { events.handle(event, hand) }

    /// Delivers a complete response. The observer may move its parts out, unless the response is queued after
    /// another event.
    private func deliver(_ response: inout RawResponse) {
        events.handle(
            orKeep: .response(response),
            now: { takeObserver()?.receive(&response, from: self) }, hand)
    }

    private func hand(_ event: Event) {
        switch event {
        case .initialMetadata(let metadata): observer?.receive(initialMetadata: metadata)
        case .message(let message): observer?.receive(message: message, from: self)
        case .written(let wasAccepted): observer?.messageWasWritten(wasAccepted: wasAccepted)
        case .response(var response): takeObserver()?.receive(&response, from: self)
        case .end(let end): takeObserver()?.receive(end: end)
        }
    }

    private var observer: (any CallObserver)? { state.withLock { $0.observer } }

    /// Removes and returns the observer, for its last event.
    private func takeObserver() -> (any CallObserver)? { state.withLock { $0.observer.take() } }
}

extension RetryingCall.State {
    /// Marks the call as over, and releases its attempts and its request.
    fileprivate mutating func end() {
        isOver = true
        replay.removeAll()
        attempts = []
        committed = nil
    }
}

// MARK: - Time

extension RetryingCall: TimerTarget {
    /// Carries out the actions of the plan that are due.
    func timerFired(now: MonotonicInstant) {
        timer.hasFired(now: now)
        let time = epoch.duration(to: now)
        let next = state.withLock { state in
            state.isOver || state.committed != nil ? nil : state.plan?.next(now: time)
        }
        if let next { carryOut(next) }
    }

    /// If no attempt is open, fails the call. An open attempt reports the deadline itself, with the step at
    /// which it waited.
    fileprivate func deadlineHasPassed() {
        let (hasAttempt, hasPlan) = state.withLock { (!$0.attempts.isEmpty, $0.plan != nil) }
        guard !hasAttempt else { return }
        let step = hasPlan ? "before the next attempt" : "before the resolver's first result"
        fail(withFailures(RPCError(.deadlineExceeded, "the deadline passed \(step)")))
    }
}

/// Ends a call at its deadline while no attempt is open.
final class RetryDeadline: TimerTarget {
    private let call: RetryingCall

    init(_ call: RetryingCall) { self.call = call }

    func timerFired(now: MonotonicInstant) { call.deadlineHasPassed() }
}

extension RPCError {
    /// Whether no other attempt may follow: the balancer dropped the call, its arguments are wrong, or
    /// its deadline has passed.
    var isFinal: Bool {
        wasDropped || phase == .preparing || origin == .client && code == .deadlineExceeded
    }

    /// Code and message.
    fileprivate var summary: String {
        message.isEmpty ? "\(code)" : "\(code): \(Self.shown(message))"
    }
}
