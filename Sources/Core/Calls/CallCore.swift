import SwiftletTransport
import Synchronization

/// One call from its start to its end, below its API (async, blocking, handlers or futures) and its
/// interceptors.
///
/// Requests come from the API or an interceptor, arrivals from the connection that carries the
/// call, both on any thread. The observer receives events from one thread at a time, in the order
/// of the protocol, and never under the lock.
package final class CallCore: Sendable {
    /// Everything that the lock guards. Each part keeps its own rules; the extensions of this type
    /// hold the rules that concern several parts. Not copyable, like its parts: otherwise the
    /// compiler would make copies of these large values that the source does not show.
    struct State: ~Copyable {
        var outbound: Outbound
        var inbound: Inbound
        var lifetime: Lifetime
    }

    package let head: CallHead
    package let deadline: Deadline
    /// Whether the observer calls handlers of the user.
    let runsHandlers: Bool
    /// Whether a task awaits the end of the call.
    private let isAwaited: Bool
    package let backend: any CallBackend
    /// Measures the attempts; nil in a channel without metrics.
    let meter: (any AttemptMeter)?
    /// Nil in a call without a retry policy, and mostly until an attempt fails.
    private let failedAttempts: Mutex<CallRetries?>
    /// Not used by a call without a deadline.
    private let deadlineTimer = TimerSlot()
    let state: Mutex<State>

    /// - Parameters:
    ///   - retries: For a call with a retry policy whose first attempt has other metadata than the call.
    ///   - kept: Released when the call is committed or over.
    init(
        _ head: consuming CallHead, deadline: Deadline, backend: any CallBackend,
        observer: consuming any CallObserver, meter: (any AttemptMeter)? = nil,
        retries: CallRetries? = nil, kept: consuming KeptParts = KeptParts()
    ) {
        self.deadline = deadline
        self.meter = meter
        failedAttempts = Mutex(retries)
        self.backend = backend
        runsHandlers = observer.runsHandlers
        isAwaited = observer.isAwaited
        state = Mutex(
            State(
                outbound: Outbound(
                    head.framing, maxReplayByteCount: head.limits.arguments.maxReplayByteCount),
                inbound: Inbound(
                    head.framing, maxByteCount: head.maxReceiveByteCount,
                    heldBackByteCount: head.limits.heldBackByteCount,
                    takesOne: observer.acceptsWholeResponse),
                lifetime: Lifetime(observer, kept)))
        self.head = head
    }
}

/// Finds a stream for a call: a channel, or a fake of one.
package protocol CallBackend: AnyObject, Sendable {
    var loop: EventLoop { get }
    /// The calls that are not always on a connection.
    var openCalls: CallRegistry { get }

    /// Attaches the call to a stream, now or later, or fails it.
    func begin(_ call: CallCore)

    /// The call ended before it had a stream.
    func forget(_ call: CallCore)

    /// The error of a call whose deadline has passed.
    func deadlineError(of call: CallCore) -> RPCError
}

// MARK: - The start

extension CallCore {
    var loop: EventLoop { backend.loop }

    package func start() {
        let now = MonotonicInstant.now
        let mayStart = state.withLock { $0.lifetime.start(now: now) }
        if mayStart { begin(now: now) }
    }

    /// Starts a call with one message in each direction. Takes the lock once where the separate
    /// requests would take it several times.
    package func start(only message: consuming EncodedMessage) {
        let now = MonotonicInstant.now
        var framed: EncodedMessage?
        do throws(RPCError) {
            framed = try frame(message)
        } catch {
            return end(with: error)
        }
        let mayStart = state.withLock { state in
            guard state.lifetime.start(now: now), let framed = framed.take() else { return false }
            state.outbound.writeOnly(framed)
            // One for the response, and one for a second message, which is an error.
            state.inbound.request(2)
            return true
        }
        if mayStart { begin(now: now) }
    }

    private func begin(now: MonotonicInstant) {
        if let problem = metadata.problem {
            return end(with: .refused(.invalidArgument, problem))
        }
        if let failure = head.rules?.failure { return end(with: failure) }
        if let instant = deadline.moment {
            guard instant > now else { return end(with: .lateStart) }
            deadlineTimer.schedule(self, at: instant, on: loop.timerLoop(isAwaited: isAwaited))
        }
        meter?.started(at: now)
        backend.begin(self)
    }

    /// Called when the call has ended, before its observer receives the end. Closes its timers, and records the end of
    /// the attempt.
    func noteEnd() {
        if deadline.moment != nil { deadlineTimer.close() }
        retries?.callHasEnded(self)
        guard let meter else { return }
        meter.forgetMessages()
        let (error, tally) = state.withLock { ($0.lifetime.failure, $0.tally) }
        meter.ended(error, tally)
    }
}

// MARK: - The progress of the call

extension CallCore {
    /// Whether the call has a stream.
    var hasStream: Bool { state.withLock { $0.lifetime.hasStream } }

    /// Whether the server has begun to answer.
    var isAnswered: Bool { state.withLock { $0.lifetime.isAnswered } }

    /// What keeps the request from being sent on the stream; nil if it was sent, or if there is no stream.
    var obstacle: StreamObstacle? {
        let stage = state.withLock { $0.lifetime.stage }
        guard case .attached(let carrier, let stream) = stage else { return nil }
        return carrier.obstacle(of: stream)
    }

    var isEnded: Bool { state.withLock { $0.lifetime.isOver } }

    package var mayHaveSent: Bool {
        state.withLock { $0.lifetime.isOver || $0.mayHaveSent }
            || retries?.mayHaveBeenExecuted ?? false
    }

    /// The metadata of the request: the call's own, and what its attempt adds.
    package var metadata: Metadata { retries?.metadata ?? head.metadata }

    /// The attempts that have failed; nil for most calls. Looks for them only in a call with a retry policy.
    var retries: CallRetries? {
        head.retry == nil ? nil : failedAttempts.withLock { $0 }
    }

    /// The same. Made if no attempt has failed before.
    func retries(of policy: RetryPolicy, _ throttle: RetryThrottle?) -> CallRetries {
        failedAttempts.withLock { retries in
            let own = retries ?? CallRetries(head.limits.retryState(of: policy, throttle))
            retries = own
            return own
        }
    }

    /// The deadline that the server receives; nil when there is none.
    var deadlineToSend: Deadline? {
        head.framing.sendsTimeout && deadline != .never ? deadline : nil
    }

    /// The error of a write to a call that has ended, whether or not the end was delivered; nil
    /// before the end.
    var errorOfWriting: RPCError? {
        let (isOver, failure) = state.withLock { ($0.lifetime.isOver, $0.lifetime.failure) }
        guard isOver else { return nil }
        return failure.map { withContext($0) } ?? .callHasEndedWell
    }
}

extension CallCore.State {
    /// Whether a server may have received a part of a call that has not ended.
    var mayHaveSent: Bool { lifetime.hasStream || outbound.mayHaveSent }

    var times: CallTimes {
        // See `complete(_:with:)`.
        mutating get {
            lifetime.times(sent: outbound.sentByteCount, received: inbound.receivedByteCount)
        }
    }

}

extension RPCError {
    /// The error of a call whose deadline is not later than its start: the timeout is zero, or the caller has
    /// used up its own.
    static var lateStart: RPCError {
        var error = RPCError(
            .deadlineExceeded,
            "the deadline had passed when the call started, so nothing was sent; a timeout must be above zero"
        ).notExecuted
        error.phase = .preparing
        return error
    }
}
