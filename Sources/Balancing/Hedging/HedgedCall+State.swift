import SwiftletCore

// The state of a hedged call, and the decisions that are made under its lock.

extension HedgedCall {
    struct State: ~Copyable {
        var observer: (any CallObserver)?
        /// The options of all attempts, with one absolute deadline.
        var options: CallOptions
        var replay: RequestReplay
        private var plan: HedgingState
        /// Attempts that have not ended. An attempt refers to its call. Therefore, at the end of the call,
        /// this is set to empty and ``committed`` to nil.
        private(set) var attempts: [Attempt] = []
        private(set) var committed: Attempt?
        /// The ends of the attempts that have failed. The last one may become the result of the call.
        private var failures: [CallEnd] = []
        /// The number of request messages that were reported to the observer as written.
        var reportedCount = 0
        var isStarted = false
        private(set) var isOver = false
        /// Whether the deadline has passed. No attempt follows.
        private var isLate = false
        private(set) var mayHaveSent = false
        /// Nil once the call is committed or over.
        private var maker: AttemptMaker?

        init(
            _ observer: any CallObserver, _ options: CallOptions, _ plan: HedgingState,
            _ maker: AttemptMaker
        ) {
            self.plan = plan
            self.maker = maker
            self.observer = observer
            self.options = options
            replay = RequestReplay(maxByteCount: maker.maxReplayByteCount)
        }
    }

    /// An action that is decided under the lock and carried out outside it.
    enum Step {
        case send(previousCount: Int)
        /// Ask for the next step at this time; nil if only an event is awaited.
        case wait(until: Duration?)
        /// The call has ended with the end of a successful attempt.
        case succeed(CallEnd, Remainder)
        /// The call has ended with the last failure.
        case giveUp(Remainder)
        /// The call has ended at its deadline, while no attempt was open.
        case fail(Remainder, RPCError)
    }

    /// The parts of a call that has ended. They are used and released outside the lock.
    struct Remainder {
        /// The attempts to cancel.
        var attempts: [Attempt]
        fileprivate var failures: [CallEnd]
        fileprivate var mayHaveSent: Bool
        /// Kept until the end of the call was delivered.
        fileprivate var maker: AttemptMaker?
    }

    /// What remains to be done outside the lock when the call is committed to an attempt.
    struct Commitment {
        let attempt: Attempt
        /// The attempts to cancel.
        let others: [Attempt]
        /// To be released.
        fileprivate let maker: AttemptMaker?
    }
}

// MARK: - Steps

extension HedgedCall.State {
    /// The step that is due at `now`; nil if the plan decides nothing, because the call has ended or is committed.
    mutating func nextStep(now: Duration) -> HedgedCall.Step? {
        guard !isOver, committed == nil else { return nil }
        return step(for: plan.next(now: now))
    }

    /// Adds an attempt. Returns what it is made with; nil if the call needs no more attempts.
    mutating func add(_ attempt: HedgedCall.Attempt) -> (CallOptions, AttemptMaker)? {
        guard let maker else { return nil }
        attempts.append(attempt)
        return (options, maker)
    }

    /// Removes an attempt that has ended, and decides what follows. Nil if the attempt was not open.
    mutating func remove(
        _ attempt: HedgedCall.Attempt, ended end: CallEnd, _ failure: AttemptFailure?,
        now: Duration
    ) -> HedgedCall.Step? {
        guard let failure else { return succeed(attempt).map { .succeed(end, $0) } }
        guard let index = attempts.firstIndex(where: { $0 === attempt }) else { return nil }
        attempts.remove(at: index)
        failures.append(end)
        if end.error?.mayHaveBeenExecuted ?? false { mayHaveSent = true }
        // The failure counts for the throttle even if no attempt can follow.
        let outcome = plan.attemptFailed(failure, now: now)
        guard committed == nil, outcome == .goOn else {
            return .giveUp(self.end())
        }
        return nextStep(now: now)
    }

    /// The deadline has passed. Ends the call if no attempt is open. An open attempt reports the deadline
    /// itself, with the step at which it waited, unless it has failed already: then the call ends when it
    /// receives that failure.
    mutating func deadlineHasPassed() -> HedgedCall.Step? {
        guard !isOver else { return nil }
        isLate = true
        return attempts.isEmpty ? endLate() : nil
    }

    private mutating func endLate() -> HedgedCall.Step {
        .fail(
            end(),
            RPCError(.deadlineExceeded, "the deadline passed before the next attempt")
                .notExecuted)
    }

    /// Ends the call if its plan gives up, or if the next attempt would be too late. The decision is made
    /// under the lock, so no later event can change the result.
    private mutating func step(for action: HedgingState.Action) -> HedgedCall.Step {
        switch action {
        case .send(let previousCount):
            isLate && attempts.isEmpty ? endLate() : .send(previousCount: previousCount)
        case .wait(let time): isLate && attempts.isEmpty ? endLate() : .wait(until: time)
        case .giveUp: .giveUp(end())
        }
    }
}

// MARK: - The end

extension HedgedCall.State {
    /// Ends the call with the response of an attempt, which has ended. Nil if the attempt was not open.
    mutating func succeed(_ attempt: HedgedCall.Attempt) -> HedgedCall.Remainder? {
        guard let index = attempts.firstIndex(where: { $0 === attempt }) else { return nil }
        attempts.remove(at: index)
        plan.attemptSucceeded()
        return end()
    }

    /// Marks the call as over, and releases its attempts and its request.
    mutating func end() -> HedgedCall.Remainder {
        defer {
            isOver = true
            replay.removeAll()
            attempts = []
            committed = nil
            failures = []
            maker = nil
        }
        return HedgedCall.Remainder(
            attempts: attempts, failures: failures, mayHaveSent: mayHaveSent, maker: maker)
    }

    /// Sends no more attempts. Ends the call if none is open; otherwise returns nil.
    mutating func stop() -> HedgedCall.Remainder? {
        guard !isOver else { return nil }
        plan.stop()
        return attempts.isEmpty ? end() : nil
    }
}

extension HedgedCall.Remainder {
    /// The last failure, with the failures before it.
    var lastFailure: CallEnd {
        var earlier = self
        guard var end = earlier.failures.popLast(), let error = end.error else {
            return CallEnd(error: RPCError(.internal, "no attempt of the call was sent"))
        }
        end.error = earlier.withFailures(error)
        return end
    }

    /// Adds the failures of the attempts to an error of the call.
    func withFailures(_ error: RPCError) -> RPCError {
        var error = error
        error.attempts =
            failures.compactMap(\.error).map { failure in
                RPCError.Attempt(address: failure.peer ?? "", cause: failure.summary)
            } + error.attempts
        if mayHaveSent { error.mayHaveBeenExecuted = true }
        return error
    }
}

// MARK: - Commitment

extension HedgedCall.State {
    /// Commits the call to an open attempt, once. Nil if the call is committed or over, or if the attempt has
    /// ended: another attempt may follow it.
    mutating func commit(to attempt: HedgedCall.Attempt) -> HedgedCall.Commitment? {
        guard committed == nil, isOpen(attempt) else { return nil }
        committed = attempt
        plan.commit()
        replay.commit()
        defer { attempts = [attempt] }
        return HedgedCall.Commitment(
            attempt: attempt, others: attempts.filter { $0 !== attempt },
            maker: maker.take())
    }

    /// The open attempt that has sent the most messages, if the request exceeds the replay limit.
    var attemptIfTooLarge: HedgedCall.Attempt? {
        guard replay.isOverLimit else { return nil }
        return attempts.max { $0.writtenCount < $1.writtenCount }
    }

    /// Whether the attempt has not ended, and can provide the result of the call: it is the one that the
    /// call is committed to, if there is one.
    private func isOpen(_ attempt: HedgedCall.Attempt) -> Bool {
        attempts.contains { $0 === attempt }
    }
}
