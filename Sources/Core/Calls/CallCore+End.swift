package import SwiftletTransport
import Synchronization

// The end of an attempt. It is the end of the call, unless the retry policy lets another attempt follow.

extension CallCore: TimerTarget {
    package func timerFired(now: MonotonicInstant) { deadlineExceeded() }

    func deadlineExceeded() {
        guard state.withLock({ $0.lifetime.isWaiting }) else {
            return end(with: backend.deadlineError(of: self))
        }
        end(with: RPCError(.deadlineExceeded, "the deadline passed before the next attempt"))
    }

    /// Ends the call with an error that was found on this side. Replaces an end that waits for messages to be read.
    package func end(with error: RPCError) {
        let now = MonotonicInstant.now
        var wasReplaced = false
        let ending: Ending? = state.withLock { state in
            if state.lifetime.isOver {
                wasReplaced = state.lifetime.replaceEnd(with: error)
                if wasReplaced { state.inbound.dropMessages() }
                return nil
            }
            let error = state.mayHaveSent ? error : error.notExecuted
            return state.finish(ResponseEnd(error: error, isImmediate: true), of: self, at: now)
        }
        if let ending { return carryOut(ending) }
        noteEnd()
        if wasReplaced { deliver() }
    }

    /// The attempt has failed. If the call has a retry policy that grants another one, it follows. Otherwise the
    /// call ends, after the observer has read the messages that have arrived.
    @inline(never)  // Has many callers.
    package func attemptFailed(with error: RPCError) {
        let now = MonotonicInstant.now
        let ending: Ending? = state.withLock { state in
            guard !state.lifetime.isOver else { return nil }
            let error = state.mayHaveSent ? error : error.notExecuted
            return state.finishAttempt(ResponseEnd(error: error), of: self, at: now)
        }
        if let ending { carryOut(ending) }
    }

    private func carryOut(_ ending: consuming Ending) {
        // Released before the observer receives the end.
        ending.kept = KeptParts()
        if ending.next == nil { noteEnd() }
        var wasUnsent = false
        switch ending.stage {
        case .idle, .waiting, .ended: break
        case .seeking: if ending.next == nil { backend.forget(self) }
        case .attached(let carrier, let stream):
            // Only the carrier knows whether the stream was opened.
            wasUnsent = carrier.reset(stream)
            // An earlier attempt may have been executed, even if this one was not sent.
            if wasUnsent, retries?.mayHaveBeenExecuted != true {
                state.withLock { $0.lifetime.noteUnsent() }
            }
        }
        ending.tracked?.report(isUnsent: wasUnsent)
        if let next = ending.next { prepare(next) }
        deliver()
    }
}

// MARK: - The next attempt

extension CallCore: RegisteredCall {
    /// What follows an attempt that has failed. An object, because every end of a call has room for it.
    final class NextAttempt: Sendable {
        let delay: Duration
        /// That of the failed attempt.
        let error: RPCError
        /// That of the failed attempt; nil if the call is not measured.
        let tally: CallTally?

        init(after delay: Duration, _ error: RPCError, _ tally: CallTally?) {
            self.delay = delay
            self.error = error
            self.tally = tally
        }
    }

    /// Begins the next attempt when it is due.
    func prepare(_ next: NextAttempt) {
        guard let retries else { return }
        if let meter, let tally = next.tally { meter.attemptFailed(next.error, tally) }
        guard next.delay > .zero else { return beginNextAttempt() }
        if let error = backend.openCalls.add(self) { return end(with: error) }
        retries.timer.schedule(at: .now + next.delay, on: loop) { [self] in beginNextAttempt() }
        // The call may have ended before it was registered.
        if isEnded { retries.callHasEnded(self) }
    }

    func beginNextAttempt() {
        guard let retries else { return }
        meter?.beginNext(at: .now)
        var own = head.metadata
        meter?.addHeaders(to: &own)
        retries.beginNext(own)
        guard state.withLock({ $0.lifetime.endWait() }) else { return }
        if let problem = metadata.problem {
            end(with: .refused(.invalidArgument, problem))
        } else {
            backend.begin(self)
        }
    }

    /// Ends a call that waits for its next attempt, which would find no connection.
    package func channelWasClosed(_ error: RPCError) {
        if state.withLock({ $0.lifetime.isWaiting }) { end(with: error) }
    }
}

// MARK: - What the state decides

extension CallCore {
    /// What an end asks for outside of the lock.
    struct Ending: ~Copyable {
        /// The stage before.
        var stage: Lifetime.Stage
        var tracked: TrackedEnd?
        /// Released before the observer receives anything.
        var kept = KeptParts()
        /// Nil if the call is over.
        var next: CallCore.NextAttempt?
    }
}

extension CallCore.State {
    /// The attempt has ended. Ends the call, unless its retry policy lets another attempt follow.
    ///
    /// - Parameter isAnswered: Whether the server has answered, even if the call has no stream yet.
    mutating func finishAttempt(
        _ end: consuming ResponseEnd, of call: CallCore, at now: MonotonicInstant,
        isAnswered: Bool = false
    ) -> CallCore.Ending {
        guard let next = nextAttempt(after: end, of: call) else {
            return finish(end, of: call, at: now, isAnswered: isAnswered)
        }
        let tracked = trackedEnd(of: end, isAnswered)
        return CallCore.Ending(stage: lifetime.wait(), tracked: tracked, next: next)
    }

    /// Nil if no attempt follows one with this end.
    private mutating func nextAttempt(
        after end: borrowing ResponseEnd, of call: CallCore
    ) -> CallCore.NextAttempt? {
        // An attempt of another policy counts for the throttle there.
        guard let rules = call.head.rules, rules.makeOther == nil else { return nil }
        guard let error = end.error else {
            rules.throttle?.recordSuccess()
            return nil
        }
        guard let policy = call.head.retry else {
            if let throttle = rules.throttle, RetryPushback(end.trailers) == .never {
                _ = throttle.recordFailure()
            }
            return nil
        }
        let retries = call.retries(of: policy, rules.throttle)
        let delay = retries.delay(
            after: error, end.trailers, peer: times.connection?.peer,
            isCommitted: outbound.isCommitted)
        guard let delay else { return nil }
        outbound.prepareRetry()
        return CallCore.NextAttempt(after: delay, error, call.meter == nil ? nil : tally)
    }

    /// Ends the call.
    mutating func finish(
        _ end: consuming ResponseEnd, of call: CallCore, at now: MonotonicInstant,
        isAnswered: Bool = false
    ) -> CallCore.Ending {
        if let error = end.error, let retries = call.retries {
            end.error = retries.withFailures(error)
        }
        if end.isImmediate { inbound.dropMessages() }
        // What was not sent, and what has not arrived as a whole, is dropped now: the call may wait long for its
        // end to be delivered, and the program may keep the call afterwards.
        outbound.close()
        inbound.close()
        let tracked = trackedEnd(of: end, isAnswered)
        return CallCore.Ending(
            stage: lifetime.end(end, at: now), tracked: tracked, kept: lifetime.takeKept())
    }

    private mutating func trackedEnd(
        of end: borrowing ResponseEnd, _ isAnswered: Bool
    ) -> TrackedEnd? {
        let trackers = lifetime.takeTrackers()
        if trackers.isEmpty { return nil }
        return TrackedEnd(
            trackers: trackers, code: end.error?.code ?? .ok, trailers: end.trailers,
            wasSent: isAnswered || lifetime.hasStream)
    }
}
