import SwiftletTransport
import Synchronization

/// A call with a retry or hedging policy (proposal A6), as its face sees it: one call, carried by one or
/// several attempts.
///
/// Until an attempt receives response headers, or more was written than can be kept, every attempt may be
/// the one whose result counts. Then the call is committed to it: the others are cancelled, and requests
/// and responses pass.
final class RetryingCall: CallRequests {
    /// What passes to the observer, one at a time.
    enum Event {
        case initialMetadata(Metadata)
        case message([UInt8])
        case written(wasAccepted: Bool)
        case end(CallEnd)
    }

    struct State {
        var observer: (any CallObserver)?
        var replay: RequestReplay
        /// Nil until the service config is known.
        var plan: AttemptPlan?
        var config: MethodConfig?
        /// Attempts that have not ended.
        var attempts: [Attempt] = []
        var committed: Attempt?
        /// Failures of attempts that are over, for the error of the call.
        var failures: [RPCError.Attempt] = []
        /// The number of request messages that were reported to the observer as written.
        var reportedCount = 0
        var writtenCount = 0
        var isStarted = false
        /// Messages are not reported as written: the request has only one.
        var isUnary = false
        var isOver = false
        var mayHaveSent = false
    }

    private let options: CallOptions
    private let path: String
    private let limits: MessageLimits
    private let deadline: Deadline
    private let backend: any ChannelBackend
    private let configs: MethodConfigs
    private let makeCore: MethodConfigs.MakeCore
    /// As the observer says.
    let runsHandlers: Bool
    let isAwaited: Bool
    let timer = TimerSlot()
    let deadlineTimer = TimerSlot()
    let events = SerialMailbox<Event>()
    let epoch = MonotonicInstant.now
    let state: Mutex<State>

    init(
        _ options: CallOptions, path: String, _ limits: MessageLimits, configs: MethodConfigs,
        backend: any ChannelBackend, observer: any CallObserver,
        makeCore: @escaping MethodConfigs.MakeCore
    ) {
        var options = options
        deadline = options.deadline
        options.absoluteDeadline = deadline
        options.timeout = nil
        self.options = options
        self.path = path
        self.limits = limits
        self.configs = configs
        self.backend = backend
        self.makeCore = makeCore
        runsHandlers = observer.runsHandlers
        isAwaited = observer.isAwaited
        state = Mutex(
            State(
                observer: observer,
                replay: RequestReplay(maxByteCount: limits.maxReplayByteCount)))
    }
}

// MARK: - Requests

extension RetryingCall {
    func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted && !state.isOver
        }
        guard isFirst else { return }
        if let instant = deadline.moment {
            deadlineTimer.schedule(RetryDeadline(self), at: instant, on: loop)
        }
        // The resolver of an idle channel starts with the first call.
        if !configs.whenKnown({ [self] in begin(configs.policy(for: path)) }) { backend.connect() }
    }

    func start(only message: consuming EncodedMessage) {
        var message: EncodedMessage? = message
        state.withLock { state in
            state.isUnary = true
            guard let message = message.take() else { return }
            _ = state.replay.write(message, allowsCompression: true, andFinish: true)
            state.replay.receiveNext()
            state.replay.receiveNext()
        }
        start()
    }

    private func begin(_ policy: MethodPolicy) {
        let now = time
        let next: AttemptPlan.Next? = state.withLock { state in
            guard !state.isOver else { return nil }
            var plan = AttemptPlan(
                policy.config?.attempts, throttle: policy.throttle, now: now)
            defer { state.plan = plan }
            state.config = policy.config
            return plan.next(now: now)
        }
        if let next { carryOut(next) }
    }

    func write(_ message: consuming EncodedMessage, andFinish: Bool, allowsCompression: Bool) {
        var message: EncodedMessage? = message
        let isAccepted = state.withLock { state in
            guard !state.isOver, let message = message.take(),
                state.replay.write(
                    message, allowsCompression: allowsCompression, andFinish: andFinish)
            else { return false }
            state.writtenCount += 1
            return true
        }
        guard isAccepted else { return deliver(.written(wasAccepted: false)) }
        commitIfTooLarge()
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

    func cancel() { fail(RPCError(.cancelled, "the call was cancelled")) }

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

    var hasUnreadEnd: Bool { state.withLock { $0.committed }?.core?.hasUnreadEnd ?? false }

    private var loop: EventLoop { backend.loop }

    var time: Duration { epoch.duration(to: .now) }
}

// MARK: - Attempts

extension RetryingCall {
    /// One attempt: the observer of its call.
    final class Attempt: CallObserver {
        struct State {
            var core: CallCore?
            var position = RequestReplay.Position()
            var pump = SingleDeliverer()
            var writtenCount = 0
        }

        let call: RetryingCall
        let state = Mutex(State())

        var runsHandlers: Bool { call.runsHandlers }
        var isAwaited: Bool { call.isAwaited }

        init(_ call: RetryingCall) { self.call = call }

        var core: CallCore? { state.withLock { $0.core } }
        /// The messages that its connection has room for.
        var writtenCount: Int { state.withLock { $0.writtenCount } }

        func receive(initialMetadata: Metadata) {
            call.attempt(self, received: initialMetadata)
        }

        func receive(message: [UInt8], from _: any CallRequests) {
            call.attempt(self, received: message)
        }

        func messageWasWritten(wasAccepted: Bool) {
            if wasAccepted { call.attemptWrote(self) }
        }

        func receive(end: consuming CallEnd) { call.attempt(self, ended: end) }
    }

    func carryOut(_ next: AttemptPlan.Next) {
        if let wake = next.wakeTime { timer.schedule(self, at: epoch + wake, on: loop) }
        if next.sendsAttempt { sendAttempt(next.kind) }
    }

    private func sendAttempt(_ kind: AttemptKind) {
        let attempt = Attempt(self)
        let start: (previousCount: Int, config: MethodConfig?)? = state.withLock { state in
            guard !state.isOver, state.committed == nil else { return nil }
            state.attempts.append(attempt)
            return (state.plan?.previousAttemptCount ?? 0, state.config)
        }
        guard let (previousCount, config) = start else { return }
        var options = options
        config?.apply(to: &options, limits)
        if previousCount > 0 {
            options.metadata.append(
                received: .text("\(previousCount)"), for: "grpc-previous-rpc-attempts")
        }
        let core = makeCore(options, attempt, kind)
        attempt.state.withLock { $0.core = core }
        pump(attempt)
        core.start()
        // A hedging policy without delay sends the next one at once.
        let now = time
        let next = state.withLock { $0.isOver ? nil : $0.plan?.next(now: now) }
        if let next { carryOut(next) }
    }

    private func pumpAll() {
        for attempt in state.withLock({ $0.attempts }) { pump(attempt) }
    }

    /// Gives an attempt what it does not have of the request. One thread at a time does this for each
    /// attempt.
    private func pump(_ attempt: Attempt) {
        let isMine = attempt.state.withLock { $0.core != nil && $0.pump.begin() }
        guard isMine else { return }
        while let (core, step) = nextStep(of: attempt) {
            switch step {
            case .write(let message, let allowsCompression, let andFinish):
                core.write(message, andFinish: andFinish, allowsCompression: allowsCompression)
            case .finish: core.finish()
            case .receiveNext: core.receiveNext()
            }
        }
    }

    private func nextStep(of attempt: Attempt) -> (CallCore, RequestReplay.Step)? {
        state.withLock { state in
            attempt.state.withLock { own in
                let drops = state.committed === attempt
                let step = own.core.flatMap { core in
                    state.replay.next(for: &own.position, drops: drops).map { (core, $0) }
                }
                return own.pump.next(step)
            }
        }
    }

    /// If the request exceeds the replay limit, commits to the attempt that has sent the most
    /// messages.
    private func commitIfTooLarge() {
        let attempt: Attempt? = state.withLock { state in
            guard state.committed == nil, state.replay.isOverLimit else { return nil }
            return state.attempts.max { $0.writtenCount < $1.writtenCount }
        }
        if let attempt { commit(to: attempt) }
    }

    func commit(to attempt: Attempt) {
        let others: [Attempt] = state.withLock { state in
            guard state.committed == nil, !state.isOver else { return [] }
            state.committed = attempt
            state.plan?.commit()
            let others = state.attempts.filter { $0 !== attempt }
            state.attempts = [attempt]
            return others
        }
        timer.cancel()
        for other in others { other.core?.cancel() }
        pump(attempt)
    }
}
