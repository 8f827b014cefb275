package import SwiftletTransport
import Synchronization

/// One call, from its start to its one end: the machine beneath every face of a call.
///
/// Requests come from a face (or an interceptor), arrivals from the connection that carries the
/// call, and both from any thread. What is to be told goes to the observer by one thread at a
/// time, in the order of the protocol, and never under the lock.
package final class CallCore: Sendable {
    /// Where the call stands with the network.
    enum Stage {
        case idle
        /// The channel looks for a connection; what is written is kept.
        case seeking
        case attached(any StreamCarrier, StreamHandle)
        case ended
    }

    /// How the call ended, while it has yet to be told.
    struct Ending {
        var end: CallEnd
        /// A cancellation or a deadline does not wait for messages to be read; the end that the
        /// server sent comes behind them.
        var isImmediate: Bool
    }

    struct State {
        var stage = Stage.idle
        var observer: (any CallObserver)?
        /// What the observer says of itself.
        let takesWhole: Bool
        var deadlineTimer: TimerHandle?
        var times = CallTimes()

        // Outbound.
        var log = RequestLog()
        /// A stream is being opened with the request so far.
        var isOpening = false
        /// How often the request was sent again because a server had not looked at it.
        var resendCount = 0
        /// How often the request has begun anew, for what reason ever.
        var attemptCount = 0
        /// Messages that were taken and have yet to be reported as written.
        var unreportedWriteCount = 0
        /// Messages that were written and go nowhere, and the observer has not been told.
        var unreportedLossCount = 0
        /// Messages that were written and found no room: their reports wait for some.
        var roomlessWriteCount = 0

        // Inbound.
        var assembler: MessageAssembler
        var decompression = CompressionAlgorithm.identity
        var httpStatus: Int?
        var initialMetadata: Metadata?
        var initialWasTold = false
        var messages = MessageQueue()
        /// Octets of messages that the observer keeps, and that nobody has read yet.
        var keptByteCount = 0
        /// The answer to a plain request, as far as it has come.
        var plainBody: [UInt8] = []
        var receivedMessageCount = 0
        /// As in ``CallEnd``.
        var compressedMessages: UInt64 = 0
        /// Messages that were asked for and not delivered yet.
        var demand = 0
        /// Octets of DATA that the stream's window has not been given back for.
        var unreturnedByteCount = 0
        /// So many of them, read, are not worth giving it back.
        let heldBackByteCount: Int
        var ending: Ending?
        /// Why the call has ended, for as long as somebody holds it. Nil for an end that is OK.
        var failure: RPCError?

        /// Somebody delivers to the observer; he sees to what is added meanwhile.
        var isDelivering = false
    }

    package let head: CallHead
    package let deadline: Deadline
    /// Whether what is told of the call runs handlers of the user's.
    let runsHandlers: Bool
    let backend: any CallBackend
    let state: Mutex<State>

    package init(
        _ head: consuming CallHead, deadline: Deadline, backend: any CallBackend,
        observer: consuming any CallObserver
    ) {
        self.deadline = deadline
        self.backend = backend
        runsHandlers = observer.runsHandlers
        let takesWhole = observer.takesWhole
        state = Mutex(
            State(
                observer: observer, takesWhole: takesWhole,
                assembler: MessageAssembler(maxByteCount: head.maxReceiveByteCount),
                heldBackByteCount: head.heldBackByteCount))
        self.head = head
    }
}

extension CallCore {
    package var loop: EventLoop { backend.loop }
}

/// Finds a stream for a call: a channel, or a fake of one.
package protocol CallBackend: AnyObject, Sendable {
    var loop: EventLoop { get }

    /// Attaches the call to a stream, now or later, or fails it.
    func begin(_ call: CallCore)

    /// The call ended before it had a stream.
    func forget(_ call: CallCore)

    /// What to say of a call whose deadline has passed.
    func deadlineError(of call: CallCore) -> RPCError
}

extension CallCore {
    /// Starts the call. What was written before goes out together with its headers.
    package func start() {
        let now = MonotonicInstant.now
        let mayStart = state.withLock { $0.start(now: now) }
        if mayStart { begin(now: now) }
    }

    /// In one step what a call with one message each way takes several for.
    package func start(only message: consuming EncodedMessage) {
        let now = MonotonicInstant.now
        var framed: EncodedMessage?
        do throws(RPCError) {
            framed = try head.frame(message)
        } catch {
            return end(with: error, isImmediate: true)
        }
        let mayStart = state.withLock { state in
            guard state.start(now: now), let framed = framed.take() else { return false }
            state.times.sentByteCount = framed.byteCount
            state.log.append(framed, andFinish: true)
            state.demand = 2
            return true
        }
        if mayStart { begin(now: now) }
    }

    private func begin(now: MonotonicInstant) {
        if let problem = head.metadataProblem {
            return end(with: .refused(.invalidArgument, problem), isImmediate: true)
        }
        if let instant = deadline.moment {
            guard instant > now else { return deadlineExceeded() }
            let timer = loop.schedule(self, at: instant)
            let isTooLate = state.withLock { state in
                guard case .ended = state.stage else {
                    state.deadlineTimer = timer
                    return false
                }
                return true
            }
            if isTooLate { return loop.cancel(timer) }
        }
        backend.begin(self)
    }

    /// Whether the call has been given a stream.
    package var hasStream: Bool { state.withLock { $0.hasStream } }

    /// The deadline that the server is told of, if there is one.
    var deadlineToSend: Deadline? {
        head.isPlain || deadline == .never ? nil : deadline
    }

    /// When what happened so far; nil before the start.
    package var timeline: CallTimeline? { state.withLock { $0.times.timeline } }

    /// What a writer is told of a call that has ended, whether its observer has heard of it or not;
    /// nil of one that has not.
    var errorOfWriting: RPCError? {
        let (isOver, failure) = state.withLock { ($0.isOver, $0.failure) }
        guard isOver else { return nil }
        return failure.map { withStory($0) } ?? .callHasEndedWell
    }

    /// Whether a server may have seen something of the call.
    var mayHaveSent: Bool { state.withLock { $0.isOver || $0.mayHaveSent } }

    package var isEnded: Bool { state.withLock { $0.isOver } }
}

// MARK: - The stream

extension CallCore {
    /// The request so far, for a stream that is about to be opened; nil when the call has ended
    /// meanwhile.
    package func takeRequest() -> RequestLog.Portion? {
        state.withLock { state in
            guard case .seeking = state.stage else { return nil }
            state.isOpening = true
            guard var portion = state.log.takePortion() else {
                return RequestLog.Portion(attempt: state.attemptCount)
            }
            portion.attempt = state.attemptCount
            return portion
        }
    }

    /// The call has a stream. What was written meanwhile follows.
    ///
    /// - Parameter attempt: Of the request that ``takeRequest()`` gave. The server may have let the
    ///   stream go unseen already, and the call be on its way to another.
    ///
    /// - Returns: Whether there is something to tell, by ``tellNews()``.
    package func attach(
        to carrier: any StreamCarrier, _ stream: StreamHandle, _ record: ConnectionRecord,
        attempt: Int
    ) -> Bool {
        while true {
            enum Next { case send(RequestLog.Portion), done(hasNews: Bool), isOver }
            let next: Next = state.withLock { state in
                guard case .seeking = state.stage, state.attemptCount == attempt
                else { return .isOver }
                if let portion = state.log.takePortion() { return .send(portion) }
                state.stage = .attached(carrier, stream)
                state.isOpening = false
                state.times.attached(to: record)
                state.log.trim()
                state.reportRoom()
                return .done(hasNews: state.hasNews)
            }
            switch next {
            case .send(var portion):
                portion.takeEach { message, _ in
                    _ = carrier.send(message, on: stream, andFinish: false)
                }
                if portion.isFinish { carrier.finish(stream) }
            case .isOver:
                carrier.reset(stream)
                return false
            case .done(let hasNews): return hasNews
            }
        }
    }

    /// Tells what has come up meanwhile.
    package func tellNews() {
        deliver()
        returnWindow()
    }

    /// The stream that ``takeRequest()`` was for could not be opened after all.
    package func requestWasNotSent() {
        state.withLock { state in
            state.isOpening = false
            _ = state.log.rewind()
        }
    }

    /// The server never saw the stream. The call is sent again on another if it can be, and if it
    /// was not already: a server that refuses for ever must not keep a call going for ever. One that
    /// did not even leave has not been sent (proposal A6), but there is an end to that, too.
    package func streamWasNotProcessed(
        wasSent: Bool = true, _ cause: @autoclosure () -> RPCError
    ) {
        let isSentAgain = state.withLock { state in
            guard !state.isOver else { return true }
            guard !wasSent || state.resendCount < Self.maxResendCount,
                state.attemptCount < Self.maxAttemptCount, state.log.rewind()
            else { return false }
            state.attemptCount += 1
            if wasSent { state.resendCount += 1 }
            state.stage = .seeking
            state.isOpening = false
            return true
        }
        guard isSentAgain else {
            var error = cause()
            // A server that has answered has seen the request, whatever it says later.
            if state.withLock({ $0.times.firstByte != nil }) { error.mayHaveBeenExecuted = true }
            return end(with: error, isImmediate: false)
        }
        guard !isEnded else { return }
        backend.begin(self)
    }

    /// "Once, immediately" (proposal A6, transparent retries).
    private static let maxResendCount = 1
    private static let maxAttemptCount = 32

    package func streamHasRoom() {
        state.withLock { $0.reportRoom() }
        deliver()
    }
}

extension CallCore.State {
    fileprivate mutating func start(now: MonotonicInstant) -> Bool {
        guard case .idle = stage else { return false }
        stage = .seeking
        times.started = now
        return true
    }

    /// Several tasks may write at the same time, and wait together.
    mutating func reportRoom() {
        unreportedWriteCount += roomlessWriteCount
        roomlessWriteCount = 0
    }

    /// There will be no room any more for those who wait for it.
    mutating func reportLoss() {
        unreportedLossCount += roomlessWriteCount
        roomlessWriteCount = 0
    }

    /// Whether there may be something to tell, or a window to give back.
    var hasNews: Bool {
        unreportedWriteCount > 0 || unreportedLossCount > 0 || !messages.isEmpty
            || returnableByteCount > 0 || ending != nil
            || (initialMetadata != nil && !initialWasTold)
    }

    var hasStream: Bool {
        if case .attached = stage { true } else { false }
    }

    /// Whether the server may have seen something of the call that goes on.
    var mayHaveSent: Bool { hasStream || isOpening }

    var isOver: Bool {
        if case .ended = stage { true } else { false }
    }
}
