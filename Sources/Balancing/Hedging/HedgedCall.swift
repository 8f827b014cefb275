import SwiftletCore
import SwiftletTransport
import Synchronization

/// A call with a hedging policy (proposal A6). The caller uses it as one call. It consists of one or several attempts,
/// each a call of its own.
///
/// Until an attempt receives response headers, or the request exceeds the replay limit, each attempt may
/// provide the result of the call. Then the call is committed to one attempt: the others are cancelled, and
/// requests and responses are passed through.
final class HedgedCall: CallRequests {
    /// An event for the observer. Events are delivered one at a time.
    enum Event {
        case initialMetadata(Metadata)
        case message([UInt8])
        case written(wasAccepted: Bool)
        /// A complete response, for an observer that accepts it whole.
        case response(RawResponse)
        case end(CallEnd)
    }

    let path: String
    private let loop: EventLoop
    private let openCalls: CallRegistry
    /// The values of the observer's properties of the same names.
    let runsHandlers: Bool
    let isAwaited: Bool
    let acceptsWholeResponse: Bool
    let timer = TimerSlot()
    let deadlineTimer = TimerSlot()
    let events = SerialMailbox<Event>()
    /// When the call began. The times of the plan are counted from it.
    let epoch: MonotonicInstant
    /// Whether an attempt was sent again because no server had seen it. Not in the state: the lock of the
    /// attempt's core is held when it is used.
    private let isResent = Atomic(false)
    let state: Mutex<State>

    init(_ call: consuming NewCall, _ policy: HedgingPolicy, _ maker: AttemptMaker) {
        path = call.method.path
        epoch = call.begun ?? .now
        loop = maker.loop
        openCalls = maker.openCalls
        runsHandlers = call.observer.runsHandlers
        isAwaited = call.observer.isAwaited
        acceptsWholeResponse = call.observer.acceptsWholeResponse
        var options = call.options
        options.beginTimeout()
        let plan = HedgingState(
            policy, limit: maker.maxAttemptCount, throttle: maker.throttle,
            now: epoch.duration(to: .now))
        state = Mutex(State(call.observer, options, plan, maker))
    }
}

// MARK: - Requests

extension HedgedCall {
    func start() {
        let deadline: Deadline? = state.withLock { state in
            defer { state.isStarted = true }
            return state.isStarted || state.isOver ? nil : state.options.absoluteDeadline
        }
        guard let deadline else { return }
        if let error = openCalls.add(self) { return channelWasClosed(error) }
        if let instant = deadline.moment {
            deadlineTimer.schedule(at: instant, on: loop.timerLoop(isAwaited: isAwaited)) {
                [self] in deadlineHasPassed()
            }
        }
        carryOutNextStep()
        // The call may have ended before it was registered.
        if state.withLock({ $0.isOver }) { unregister() }
    }

    /// Removes the call from the channel's list.
    func unregister() { openCalls.remove(self) }

    func start(only message: consuming EncodedMessage) {
        var message: EncodedMessage? = message
        state.withLock { state in
            if let message = message.take() { state.replay.writeOnly(message) }
        }
        start()
    }

    private func carryOutNextStep() {
        if let step = state.withLock({ $0.nextStep(now: time) }) { carryOut(step) }
    }

    func write(_ message: consuming EncodedMessage, andFinish: Bool, allowsCompression: Bool) {
        var message: EncodedMessage? = message
        let isAccepted = state.withLock { state in
            guard !state.isOver, let message = message.take() else { return false }
            return state.replay.write(
                message, allowsCompression: allowsCompression, andFinish: andFinish)
        }
        guard isAccepted else { return deliver(.written(wasAccepted: false)) }
        commit { $0.attemptIfTooLarge }
        pumpAll()
    }

    func finish() {
        state.withLock { if !$0.isOver { $0.replay.finish() } }
        pumpAll()
    }

    func receiveNext() {
        state.withLock { if !$0.isOver { $0.replay.receiveNext() } }
        pumpAll()
    }

    func fail(_ error: RPCError) {
        var error = error
        error.mayHaveBeenExecuted = mayHaveSent
        var end = CallEnd(error: error)
        end.dropsUnread = true
        finish(with: end)
    }

    var mayHaveSent: Bool {
        let (sent, attempts) = state.withLock { ($0.mayHaveSent || $0.isOver, $0.attempts) }
        return sent || attempts.contains { $0.core?.mayHaveSent ?? false }
    }

    var errorOfUnreadEnd: RPCError? { state.withLock { $0.committed }?.core?.errorOfUnreadEnd }

    var time: Duration { epoch.duration(to: .now) }
}

// MARK: - Attempts

extension HedgedCall {
    /// One attempt. It observes its call.
    final class Attempt: CallObserver {
        struct State: ~Copyable {
            var core: (any CallRequests)?
            var position = RequestReplay.Position()
            var pump = SingleDeliverer()
            var writtenCount = 0
            /// The number of messages that were dropped, because the attempt had ended.
            var lostCount = 0
        }

        let call: HedgedCall
        let state = Mutex(State())

        var runsHandlers: Bool { call.runsHandlers }
        var isAwaited: Bool { call.isAwaited }
        var acceptsWholeResponse: Bool { call.acceptsWholeResponse }

        func mayBeSentAgain() -> Bool {
            !call.isResent.exchange(true, ordering: .relaxed)
        }

        init(_ call: HedgedCall) { self.call = call }

        var core: (any CallRequests)? { state.withLock { $0.core } }
        /// The number of messages that the attempt's connection accepted.
        var writtenCount: Int { state.withLock { $0.writtenCount } }

        func receive(initialMetadata: Metadata) {
            call.attempt(self, received: initialMetadata)
        }

        func receive(message: [UInt8], from _: any CallRequests) {
            call.attempt(self, received: message)
        }

        func messageWasWritten(wasAccepted: Bool) {
            call.attempt(self, wrote: wasAccepted)
        }

        func receive(_ response: inout RawResponse, from core: any CallRequests) {
            call.attempt(self, received: &response, from: core)
        }

        func receive(end: consuming CallEnd) { call.attempt(self, ended: end) }
    }

    func carryOut(_ step: Step) {
        switch step {
        case .send(let previousCount): sendAttempt(previousCount: previousCount)
        case .wait(let time?): timer.schedule(self, at: epoch + time, on: loop)
        case .wait(nil): break
        case .succeed(let end, let remainder): complete(remainder, with: end)
        case .giveUp(let remainder): complete(remainder, with: remainder.lastFailure)
        case .fail(let remainder, let error): complete(remainder, with: error)
        }
    }

    private func sendAttempt(previousCount: Int) {
        let attempt = Attempt(self)
        guard let (options, maker) = state.withLock({ $0.add(attempt) }) else { return }
        var own = options
        if previousCount > 0 {
            own.metadata.append(
                received: .text("\(previousCount)"), for: "grpc-previous-rpc-attempts")
        }
        start(attempt, maker.make(own, attempt, previousCount > 0 ? .hedge : .first))
        // A hedging policy without delay sends the next attempt at once.
        carryOutNextStep()
    }

    private func start(_ attempt: Attempt, _ core: any CallRequests) {
        let (isWanted, message): (Bool, EncodedMessage?) = state.withLock { state in
            // In the meantime, the call may have ended or been committed to another attempt. This attempt
            // could not be cancelled at that time, because it had no core yet.
            guard !state.isOver, state.committed == nil || state.committed === attempt else {
                return (false, nil)
            }
            attempt.state.withLock { $0.core = core }
            return (true, state.replay.only)
        }
        // Ends what its meter has begun.
        guard isWanted else { return core.cancel() }
        commit { $0.attemptIfTooLarge }
        if let message {
            core.start(only: message)
        } else {
            pump(attempt)
            core.start()
        }
    }

    private func pumpAll() {
        for attempt in state.withLock({ $0.attempts }) { pump(attempt) }
    }

    /// Passes an attempt the part of the request that it has not received. For each attempt, only one thread
    /// at a time does this.
    private func pump(_ attempt: Attempt) {
        let isMine = attempt.state.withLock { $0.core != nil && $0.pump.begin() }
        guard isMine else { return }
        while let (core, request) = nextRequest(of: attempt) { request.make(of: core) }
    }

    private func nextRequest(
        of attempt: Attempt
    ) -> (any CallRequests, CallRequest)? {
        state.withLock { state in
            let drops = state.committed === attempt
            // Messages that the committed attempt has received are dropped, so another attempt could not
            // continue.
            let isServed = !state.isOver && (drops || state.committed == nil)
            return attempt.state.withLock { own in
                guard isServed, let core = own.core else {
                    return own.pump.next(nil as (any CallRequests, CallRequest)?)
                }
                let request = state.replay.next(for: &own.position, drops: drops)
                return own.pump.next(request.map { (core, $0) })
            }
        }
    }

    func commit(to attempt: Attempt) { commit { _ in attempt } }

    /// Commits the call to the attempt that `choose` returns under the lock, unless the call is committed
    /// already or that attempt is not open.
    private func commit(_ choose: (borrowing State) -> Attempt?) {
        let commitment = state.withLock { state in
            choose(state).flatMap { state.commit(to: $0) }
        }
        guard let commitment else { return }
        timer.cancel()
        for other in commitment.others { other.core?.cancel() }
        pump(commitment.attempt)
    }
}
