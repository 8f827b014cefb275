import SwiftletCore
import SwiftletTransport
import Synchronization

// The events of the attempts, and the end of the call.

extension HedgedCall {
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
        guard let remainder = state.withLock({ $0.succeed(attempt) }) else { return }
        release(remainder)
        deliver(&response)
    }

    private func isCommitted(to attempt: Attempt) -> Bool {
        state.withLock { $0.committed === attempt }
    }

    /// Counts a message that an attempt has accepted or lost, and reports it to the observer, unless another
    /// attempt was reported for it. Another attempt may still send a message that was lost, until the call is
    /// committed.
    func attempt(_ attempt: Attempt, wrote wasAccepted: Bool) {
        let isReported = state.withLock { state in
            let count = attempt.state.withLock { own in
                if wasAccepted { own.writtenCount += 1 } else { own.lostCount += 1 }
                return own.writtenCount + own.lostCount
            }
            guard wasAccepted || state.committed === attempt, count > state.reportedCount else {
                return false
            }
            state.reportedCount = count
            return true
        }
        if isReported { deliver(.written(wasAccepted: wasAccepted)) }
    }

    func attempt(_ attempt: Attempt, ended end: CallEnd) {
        let failure = end.error.map { error in
            AttemptFailure(
                error.code, reach: error.reach, pushback: RetryPushback(end.trailers))
        }
        let now = time
        let step = state.withLock { $0.remove(attempt, ended: end, failure, now: now) }
        if let step { carryOut(step) }
    }

    /// Ends the call, once.
    func finish(with end: CallEnd) {
        let remainder = state.withLock { $0.isOver ? nil : $0.end() }
        if let remainder { complete(remainder, with: end) }
    }

    /// Reports the end of the call to its observer.
    func complete(_ remainder: Remainder, with end: CallEnd) {
        var end = end
        // An attempt that is still open may also have been executed.
        if remainder.attempts.contains(where: { $0.core?.mayHaveSent ?? false }) {
            end.error?.mayHaveBeenExecuted = true
        }
        // An attempt knows only its own time.
        end.error?.note(waited: time, method: path)
        release(remainder)
        deliver(.end(end))
    }

    /// Reports an error that was found on this side to the observer.
    func complete(_ remainder: Remainder, with error: RPCError) {
        var end = CallEnd(error: remainder.withFailures(error))
        end.dropsUnread = true
        complete(remainder, with: end)
    }

    private func release(_ remainder: Remainder) {
        unregister()
        timer.close()
        deadlineTimer.close()
        for attempt in remainder.attempts { attempt.core?.cancel() }
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
        HeldLocks.assertNone(calling: "observer")
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

extension HedgedCall: RegisteredCall {
    /// No attempt follows. Ends the call if none is open.
    func channelWasClosed(_ error: RPCError) {
        let remainder = state.withLock { $0.stop() }
        if let remainder { complete(remainder, with: error) }
    }
}

// MARK: - Time

extension HedgedCall: TimerTarget {
    /// Carries out the actions of the plan that are due.
    func timerFired(now: MonotonicInstant) {
        timer.hasFired(now: now)
        let time = epoch.duration(to: now)
        if let step = state.withLock({ $0.nextStep(now: time) }) { carryOut(step) }
    }

    /// Ends the call at its deadline while no attempt is open.
    func deadlineHasPassed() {
        if let step = state.withLock({ $0.deadlineHasPassed() }) { carryOut(step) }
    }
}

extension RPCError {
    /// Whether the plan may decide about another attempt after one that failed with this error.
    fileprivate var reach: AttemptFailure.Reach {
        switch finality {
        case .channelClosed?: .closed
        case .dropped?, .invalidArguments?: .dropped
        case nil: origin == .client && code == .deadlineExceeded ? .dropped : .other
        }
    }
}
