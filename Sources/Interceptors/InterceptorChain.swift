import SwiftletCore
import SwiftletTransport
import Synchronization

/// A call with interceptors, for the call's API (async, blocking, handlers or futures). Passes the
/// requests to the first interceptor, and the responses to the API's observer, which receives
/// exactly one end.
///
/// The chain refers to its parts: one for each interceptor, and the terminal. They refer to their
/// neighbors and to the chain. No reference has to be weak: the chain releases its parts at the end of the
/// call, and each part releases its upper neighbor when the call between the two ends. The state of the
/// first terminal is in the chain itself, so what it refers to is released in these two ways, too.
final class InterceptorChain: CallRequests {
    struct State: ~Copyable {
        /// Nil after the start, and after the end.
        var options: CallOptions?
        var observer: (any CallObserver)?
        var below: ChainLower?
        /// Whether requests that were made before the start have been passed on.
        var isStarted = false
        /// Requests that were made before the start.
        var early: [ChainRequest] = []
        var hasEnd = false
        /// It refers to the chain, so until the end of the call this keeps the chain alive.
        var terminal: ChainTerminal?
        var failure: RPCError?
        var lostWriteCount = 0
        var holdCount = 0
        var startCount = 0
        /// Whether another call with the same request answers this one.
        var joinsAnother = false
        /// Responses that arrive while a thread delivers another one to the observer. Not a `SerialMailbox`: a
        /// generic type of another module is not compiled for these elements, and an event would take half as
        /// long again.
        var responses = Backlog<ChainResponse>()
        var deliverer = SingleDeliverer()

        /// Reserves room for three requests: a call with one message may make a write, a finish and
        /// a receive-next before the start.
        mutating func keepEarly(_ request: ChainRequest) {
            if early.isEmpty { early.reserveCapacity(3) }
            early.append(request)
        }
    }

    /// The call as interceptors receive it.
    let description: CallDescription
    let deadline = ChainDeadline()
    private let backend: any ChannelBackend
    /// Whether a task awaits the end of the call.
    let isAwaited: Bool
    private let method: MethodSignature
    /// The number of the channel's interceptors and those of the call's options; 0 if the options have none.
    private let ownInterceptorEnd: Int
    private let meter: (any CallMeter)?
    /// When the call began.
    private let begun = MonotonicInstant.now
    let state: Mutex<State>
    /// The state of the first terminal. Has no upper neighbor until the chain is complete.
    let firstTerminal = Mutex(ChainTerminal.State(under: nil, nil))

    /// - Parameters:
    ///   - options: The options, with the channel's defaults, and the deadline in place of a timeout.
    ///   - factories: The interceptors, in the order of the requests.
    ///   - meter: Measures the call; nil in a channel without metrics.
    init(
        _ channel: Channel, _ call: consuming NewCall, _ description: CallDescription,
        _ factories: [InterceptorFactory]
    ) {
        backend = channel.backend
        method = call.method
        self.description = description
        meter = call.meter
        isAwaited = call.observer.isAwaited
        let options = call.options
        // The channel's interceptors come first.
        ownInterceptorEnd = options.interceptors.isEmpty ? 0 : factories.count
        state = Mutex(State(options: options, observer: call.observer))
        let source = ChainSource(channel: channel, factories: factories)
        let below = link(from: 0, under: .face(self), source)
        state.withLock { $0.below = below }
    }
}

// MARK: - Parts

/// What the parts of a chain are made from. Each part keeps it until its own end: a call that the program keeps does
/// not keep its channel, or what its interceptors captured, and a part that an interceptor continues after the caller
/// has cancelled is complete.
struct ChainSource {
    // The channel, and not only its backend, so that the channel is not released before the call starts.
    let channel: Channel
    let factories: [InterceptorFactory]
}

extension InterceptorChain {
    /// Creates the interceptors from `index` on, and the end of the chain. Returns the first of them.
    func link(from index: Int, under upper: ChainUpper, _ source: ChainSource) -> ChainLower {
        for index in index..<source.factories.count {
            let factory = source.factories[index]
            guard let interceptor = factory.make(for: description) else { continue }
            let call = InterceptedCall(
                self, factory, interceptor, under: upper, source, nextIndex: index + 1)
            call.place(above: link(from: index + 1, under: .interceptor(call), source))
            return .interceptor(call)
        }
        return .terminal(makeTerminal(under: upper, source))
    }

    /// Creates the call at the end of the chain.
    func makeCore(
        _ channel: Channel, _ options: CallOptions, observer: any CallObserver
    ) -> any CallRequests {
        var options = options
        options.removeInterceptors()
        return channel.makeBare(
            NewCall(
                method: method.at(options.path), options: options, observer: observer, meter: meter,
                begun: begun))
    }

    /// Whether the interceptors from `index` on include those of the call's options.
    func hasCallInterceptors(from index: Int) -> Bool { index < ownInterceptorEnd }

    /// The loop of the deadline's timer.
    var timerLoop: EventLoop { backend.loop.timerLoop(isAwaited: isAwaited) }
}

// MARK: - Requests

extension InterceptorChain {
    func start() { start { _ in } }

    func start(only message: consuming EncodedMessage) {
        let message = RawMessage(message)
        start { below in
            pass(.write(message), to: below)
            pass(.finish, to: below)
            // One for the response, and one for a second message, which is an error.
            pass(.receiveNext, to: below)
            pass(.receiveNext, to: below)
        }
    }

    /// Starts the call, and makes these requests together with the start.
    private func start(_ makeRequests: (ChainLower) -> Void) {
        let parts: (below: ChainLower, options: CallOptions)? = state.withLock { state in
            guard let below = state.below, let options = state.options.take() else { return nil }
            return (below, options)
        }
        guard let (below, options) = parts else { return }
        deadline.watch(self, options.absoluteDeadline)
        if let error = backend.openCalls.add(self) { return fail(error) }
        gather {
            _ = below.send(start: options)
            makeRequests(below)
            passEarly(to: below)
        }
        // The call may have ended before it was registered.
        if state.withLock({ $0.hasEnd }) { backend.openCalls.remove(self) }
    }

    /// Requests that another thread has made during the start follow. Not inlined: the start is compiled for each of
    /// its closures.
    @inline(never)
    private func passEarly(to below: ChainLower) {
        while let early = takeEarly() {
            for request in early { pass(request, to: below) }
        }
    }

    /// Whether an interceptor delays the creation of the call.
    private var isHeld: Bool {
        state.withLock { $0.holdCount > 0 } && terminal?.hasCore != true
    }

    /// Takes the requests that were made before the start. Nil if there are none; after that,
    /// requests are passed on at once.
    private func takeEarly() -> [ChainRequest]? {
        state.withLock { state in
            guard !state.early.isEmpty else {
                state.isStarted = true
                return nil
            }
            defer { state.early = [] }
            return state.early
        }
    }

    @inline(never)  // Has many callers.
    private func pass(_ request: ChainRequest, to below: ChainLower) {
        guard below.send(request) != nil, case .write = request else { return }
        // A message after the end of the request is dropped, and its writer must not wait.
        noteLostWrite()
        respond(.writeDone)
    }

    func write(_ message: consuming EncodedMessage, andFinish: Bool, allowsCompression: Bool) {
        let message = RawMessage(message, allowsCompression: allowsCompression)
        guard andFinish else { return send(.write(message)) }
        gather {
            send(.write(message))
            send(.finish)
        }
    }

    /// Without the status: an interceptor may replace it.
    var errorOfUnreadEnd: RPCError? {
        terminal?.hasUnreadEnd ?? false ? .callHasEnded : nil
    }

    func finish() { send(.finish) }

    func receiveNext() { send(.receiveNext) }

    func fail(_ error: RPCError) {
        var error = error
        error.mayHaveBeenExecuted = mayHaveSent
        let (below, first) = state.withLock { state in
            // The caller may cancel the call when it receives the end, and another thread may do so before.
            if !state.hasEnd { state.failure = state.failure ?? error }
            return (state.below, state.failure ?? error)
        }
        var end = CallEnd(error: first)
        end.dropsUnread = true
        respond(end: end)
        below?.cancel()
    }

    private func send(_ request: ChainRequest) {
        let below: ChainLower? = state.withLock { state in
            guard state.isStarted else {
                if !state.hasEnd { state.keepEarly(request) }
                return nil
            }
            return state.below
        }
        if let below { pass(request, to: below) }
    }
}

extension InterceptorChain: RegisteredCall {
    /// A call that an interceptor holds has no connection yet.
    func channelWasClosed(_ error: RPCError) { if isHeld { fail(error) } }
}

extension InterceptorChain: TimerTarget {
    func timerFired(now: MonotonicInstant) {
        guard deadline.hasPassed(now: now) else { return }
        fail(RPCError(.deadlineExceeded, "the deadline passed while an interceptor held the call"))
    }
}

// MARK: - Responses

extension InterceptorChain {
    @inline(never)  // Has many callers.
    func respond(_ response: ChainResponse) {
        guard beginDelivery(orKeep: response) else { return }
        deliver(response)
        deliverRest()
    }

    func respond(end: CallEnd) {
        guard beginDelivery(orKeep: .close(end)) else { return }
        deliver(end)
        deliverRest()
    }

    /// Whether this thread delivers the response. If not, the one that delivers another response delivers this one, too.
    private func beginDelivery(orKeep response: @autoclosure () -> ChainResponse) -> Bool {
        state.withLock { state in
            if state.deliverer.isActive { state.responses.append(response()) }
            return state.deliverer.begin()
        }
    }

    private func deliverRest() {
        while let response = state.withLock({ $0.deliverer.next($0.responses.popFirst()) }) {
            deliver(response)
        }
    }

    private func deliver(_ response: ChainResponse) {
        HeldLocks.assertNone(calling: "observer")
        if case .close(let end) = response { return deliver(end) }
        let (observer, isLost) = state.withLock { state in
            var isLost = false
            if case .writeDone = response, state.lostWriteCount > 0 {
                state.lostWriteCount -= 1
                isLost = true
            }
            return (state.observer, isLost)
        }
        switch response {
        case .initialMetadata(let metadata): observer?.receive(initialMetadata: metadata)
        case .message(let message): observer?.receive(message: message.bytes, from: self)
        case .writeDone: observer?.messageWasWritten(wasAccepted: !isLost)
        // Handled above.
        case .close: break
        }
    }

    private func deliver(_ end: CallEnd) {
        // The objects that the state refers to are released outside the lock.
        let (observer, hadEnd, _, _, _) = state.withLock { state in
            defer {
                state.early = []
                state.hasEnd = true
            }
            return (
                state.observer.take(), state.hasEnd, state.options.take(), state.below.take(),
                state.early
            )
        }
        guard !hadEnd else { return }
        deadline.end()
        backend.openCalls.remove(self)
        var end = end
        end.error?.note(waited: begun.duration(to: .now), method: description.path)
        // An interceptor may end a call before any part of it was sent.
        if !mayHaveSent { end.error?.mayHaveBeenExecuted = false }
        observer?.receive(end: end)
        _ = state.withLock { $0.terminal.take() }
    }
}
