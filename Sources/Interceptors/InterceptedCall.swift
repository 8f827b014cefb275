public import SwiftletCore
import SwiftletTransport
import Synchronization

/// The context of an interceptor: the call, with the next neighbor on the side of the network and
/// on the side of the caller, and the serial context of the interceptor.
///
/// An event that the state of the call does not allow, such as a message after the end of the
/// request or before the initial metadata, is not passed on: the call ends with INTERNAL, and the
/// message names the interceptor and the rule. After the end nothing has an effect.
public final class InterceptedCall: Sendable {
    private let chain: InterceptorChain
    private let name: String
    private let context: SerialContext
    private let nextIndex: Int
    /// Nil after the end of the call: an interceptor may store its call, and each would keep the other alive.
    // Safe, although the compiler cannot check it: the `handler` of the state lets one thread at a
    // time use the interceptor, and the lock of `state` orders one thread before the next.
    nonisolated(unsafe) private var interceptor: (any Interceptor)?
    private let state: Mutex<State>

    init(
        _ chain: InterceptorChain, _ factory: InterceptorFactory,
        _ interceptor: sending any Interceptor, under upper: ChainUpper, _ source: ChainSource,
        nextIndex: Int
    ) {
        self.chain = chain
        name = factory.name
        context = factory.context
        unsafe self.interceptor = interceptor
        self.nextIndex = nextIndex
        state = Mutex(State(seam: ChainSeam(under: upper), source: source))
    }

    func place(above below: ChainLower) { state.withLock { $0.below = below } }

    /// The error that the caller receives for a call that was cancelled on this side: by the
    /// caller, by the deadline, or because the response could not be decoded.
    public var cancellation: RPCError {
        chain.failure ?? RPCError(.cancelled, "the call was cancelled")
    }

    /// The call that the interceptor was made for.
    public var description: CallDescription { chain.description }

    /// Whether a server may have received a part of the call.
    package var mayHaveSent: Bool { chain.mayHaveSent }

    /// Notes that another call with the same request answers this one, so a server may have received the request.
    package func noteOtherCall() { chain.noteOtherCall() }

    /// Whether interceptors of the call's options follow this one on the way to the network.
    package var precedesCallInterceptors: Bool { chain.hasCallInterceptors(from: nextIndex) }
}

// MARK: - Toward the network

extension InterceptedCall {
    /// Starts the rest of the call with these options.
    public func start(_ options: CallOptions) {
        let (below, hasEnded) = state.withLock { ($0.below, $0.hasEnded) }
        // A part that was replaced must not move the deadline of its successor.
        if !hasEnded { chain.deadline.shorten(chain, to: options.deadline) }
        if let refusal = below?.send(start: options) { refuse(refusal) }
    }

    /// Starts the rest of the call with these options and on another path. The method of that path
    /// must have the same message types and the same shape. Closes the call with INVALID_ARGUMENT
    /// when `path` is not of the form `/package.Service/Method`; for a plain HTTP request, when it
    /// is not a path of HTTP.
    public func start(_ options: CallOptions, path: String) {
        let isLegal =
            description.httpMethod == nil
            ? MethodName.isLegal(path) : MethodName.isPath(path)
        guard isLegal else {
            return close(
                CallEnd(
                    error: .refused(
                        .invalidArgument, "an interceptor changed the path to '\(path)'")))
        }
        var options = options
        options.path = path
        start(options)
    }

    /// Passes a request on.
    public func write(_ message: RawMessage) { request(.write(message)) }

    /// Ends the request: no more messages follow.
    public func finish() { request(.finish) }

    /// Asks for one more response.
    public func receiveNext() { request(.receiveNext) }

    /// Cancels the rest of the call. It delivers no more events. To end the call for the caller
    /// too, call ``close(_:)``.
    public func cancel() {
        let (below, isHandler) = state.withLock { state in
            guard state.isCancelled else { return (state.below, false) }
            // Both sides have cancelled, so no event follows.
            state.isOver = true
            return (state.below.take(), state.handler.begin())
        }
        below?.cancel()
        if isHandler { endTurn() }
    }

    /// Replaces the rest of the call with a new one, which is not started, so that the request can
    /// be sent again. If the old one ended before the caller had made all requests, the later
    /// requests are passed to the interceptor as usual.
    public func restart() {
        guard let source = state.withLock({ $0.hasEnded ? nil : $0.source }) else { return }
        restoreDeadline()
        let fresh = chain.link(from: nextIndex, under: .interceptor(self), source)
        let unneeded: ChainLower? = state.withLock { state in
            // The call may have ended in the meantime.
            guard !state.hasEnded else { return fresh }
            defer { state.below = fresh }
            return state.below
        }
        unneeded?.cancel()
    }

    private func request(_ request: ChainRequest) {
        if let refusal = below?.send(request) { refuse(refusal) }
    }

    private var below: ChainLower? { state.withLock { $0.below } }

    /// The rest of the call has ended: the deadline of this part applies again.
    private func restoreDeadline() {
        chain.deadline.restore(chain, to: state.withLock { $0.deadline })
    }
}

// MARK: - Toward the caller

extension InterceptedCall {
    /// Delivers initial metadata to the caller.
    public func deliver(initialMetadata: Metadata) { pass(.initialMetadata(initialMetadata)) }

    /// Delivers a response to the caller.
    public func deliver(_ message: RawMessage) { pass(.message(message)) }

    /// Reports to the caller that a request was accepted, and that there is room for the next.
    public func deliverWriteDone() { pass(.writeDone) }

    /// Ends the call for the caller. A rest of the call that is still running is cancelled.
    public func close(_ end: CallEnd) {
        let (verdict, upper) = state.withLock { $0.seam.admit(.close) }
        if case .refuse(let reason) = verdict { return refuse(reason) }
        upper?.receive(end: end)
        endForCaller()?.cancel()
    }

    /// The call has ended for the caller, so that nothing is held back. Returns the rest of the call.
    private func endForCaller() -> ChainLower? {
        // What is dropped is released outside the lock.
        let (below, wasHeld, _, _, isHandler) = state.withLock { state in
            defer {
                state.isOver = true
                state.holdsRequests = false
                state.requests = Backlog()
            }
            return (
                state.below.take(), state.holdsRequests, state.requests, state.source.take(),
                state.handler.begin()
            )
        }
        if wasHeld { chain.hold(false) }
        if isHandler { endTurn() }
        return below
    }

    private func pass(_ response: ChainResponse) {
        let (verdict, upper) = state.withLock { $0.seam.admit(response.kind) }
        if case .refuse(let reason) = verdict { return refuse(reason) }
        upper?.receive(response)
    }

    private func refuse(_ reason: String) {
        let below = endForCaller()
        let upper = state.withLock { $0.seam.abandon() }
        upper?.receive(
            end: CallEnd(
                error: RPCError(.internal, "interceptor '\(name)': \(reason)")))
        below?.cancel()
    }
}

// MARK: - The serial context

extension InterceptedCall {
    /// Holds further requests back, except a cancellation, until ``releaseRequests()``: for an
    /// interceptor that waits before it continues the call.
    public func holdRequests() {
        let isNew = state.withLock { state in
            guard !state.holdsRequests, !state.hasEnded else { return false }
            state.holdsRequests = true
            return true
        }
        if isNew { chain.hold(true) }
    }

    /// Delivers the requests that were held back.
    public func releaseRequests() {
        let (isHandler, wasHeld) = state.withLock { state in
            defer { state.holdsRequests = false }
            return (state.handler.begin(), state.holdsRequests)
        }
        if wasHeld { chain.hold(false) }
        if isHandler { handleAll() }
    }

    /// Runs `work` in the interceptor's serial context. For work that a task or a handler does
    /// later. After the end of the call, nothing runs: the interceptor has been released.
    ///
    /// ```swift
    /// Task { [call] in
    ///     let token = await source.token()
    ///     call.perform(as: Self.self) { interceptor, call in interceptor.proceed(token, call) }
    /// }
    /// ```
    public func perform<Kind: Interceptor>(
        as kind: Kind.Type = Kind.self,
        _ work: @escaping @Sendable (Kind, InterceptedCall) -> Void
    ) {
        let event = Event.work { interceptor, call in
            if let interceptor = interceptor as? Kind { work(interceptor, call) }
        }
        post(event) { handle(event) }
    }

    /// Handles an event now or, if a thread handles another event, later on that thread. The event is
    /// created only in the second case, because large ones cost an allocation.
    private func post(_ event: @autoclosure () -> Event, _ handleNow: () -> Void) {
        let isHandler = state.withLock { state in
            if state.handler.isActive { state.others.append(event()) }
            return state.handler.begin()
        }
        if isHandler { run(event(), handleNow) }
    }

    /// The same for a request of the upper neighbor. Returns why it is not allowed, if it is not.
    private func post(
        _ kind: CallProgress.Request, _ request: @autoclosure () -> ChainRequest,
        _ handleNow: () -> Void
    ) -> String? {
        let arrival = state.withLock { $0.accept(kind, request) }
        switch arrival {
        case .handle: run(.request(request()), handleNow)
        case .wait: break
        case .refuse(let reason): return reason
        }
        return nil
    }

    /// Handles an event on the thread of the context, and those that arrive in the meantime.
    private func run(_ event: @autoclosure () -> Event, _ handleNow: () -> Void) {
        HeldLocks.assertNone(calling: "interceptor")
        // A closure would cost an allocation for each event.
        if context.isInline {
            handleNow()
            handleRest()
        } else {
            let event = event()
            context { [self] in
                handle(event)
                handleRest()
            }
        }
    }

    @inline(never)  // Has many callers.
    private func handleRest() {
        HeldLocks.assertNone(calling: "interceptor")
        while let event = next() { handle(event) }
    }

    /// Ends the turn of a thread that has nothing to handle.
    @inline(never)
    private func endTurn() {
        if context.isInline { handleRest() } else { context { [self] in handleRest() } }
    }

    /// Handles the events that were held back.
    private func handleAll() {
        context { [self] in
            gathering { handleRest() }
        }
    }

    /// Sends the requests of one turn together, such as the headers with a message.
    private func gathering(_ body: () -> Void) { chain.gather(body) }

    @inline(never)  // Has many callers.
    private func handle(_ event: Event) {
        switch event {
        case .request(let request): handle(request)
        case .response(let response): handle(response)
        case .work(let work):
            if let interceptor = unsafe interceptor { gathering { work(interceptor, self) } }
        }
    }

    /// The next event of the turn. At the end of the last turn, the interceptor is released.
    private func next() -> Event? {
        // Released outside the lock.
        var unneeded: (any Interceptor)?
        return state.withLock { state in
            let event = state.next()
            if event == nil, state.isOver { unsafe swap(&unneeded, &interceptor) }
            return event
        }
    }

    private func handle(_ request: ChainRequest) {
        switch request {
        case .start(let options): handle(start: options)
        case .write(let message): unsafe interceptor?.write(message, self)
        case .finish: unsafe interceptor?.finish(self)
        case .receiveNext: unsafe interceptor?.receiveNext(self)
        case .cancel: handleCancel()
        }
    }

    /// An interceptor need not pass a cancellation on, so that the rest of the call continues. A rest that it has
    /// not started is cancelled: no event would follow, and the interceptor and the channel would be kept.
    private func handleCancel() {
        unsafe interceptor?.cancel(self)
        if let below, !below.isStarted { cancel() }
    }

    private func handle(start options: CallOptions) {
        state.withLock { $0.deadline = options.deadline }
        unsafe interceptor?.start(options, self)
    }

    private func handle(_ response: ChainResponse) {
        switch response {
        case .initialMetadata(let metadata):
            unsafe interceptor?.receive(initialMetadata: metadata, self)
        case .message(let message): unsafe interceptor?.receive(message, self)
        case .writeDone: unsafe interceptor?.writeDone(self)
        case .close(let end): handle(end: end)
        }
    }

    private func handle(end: CallEnd) {
        let deadline: Deadline? = state.withLock { state in
            guard state.hasEnded else { return state.deadline }
            // This is the last event. If the part was replaced, the deadline is that of its successor.
            state.isOver = true
            return nil
        }
        if let deadline { chain.deadline.restore(chain, to: deadline) }
        unsafe interceptor?.close(end, self)
    }
}

// MARK: - Neighbors

extension InterceptedCall {
    /// The upper neighbor starts this part of the call. Returns why that is not allowed, if it is
    /// not.
    func send(start options: CallOptions) -> String? {
        post(.start, .start(options)) { handle(start: options) }
    }

    /// A request of the upper neighbor. Returns why it is not allowed, if it is not.
    func send(_ request: ChainRequest) -> String? {
        if case .cancel = request {
            receiveCancel()
            return nil
        }
        return post(request.kind, request) { handle(request) }
    }

    private func receiveCancel() {
        // Requests that are dropped are released outside the lock.
        let (arrival, _, wereHeld) = state.withLock { $0.cancel() }
        if wereHeld { chain.hold(false) }
        if case .handle = arrival { run(.request(.cancel)) { handleCancel() } }
    }

    var isStarted: Bool { state.withLock { $0.seam.isStarted } }

    func receive(_ response: ChainResponse) { post(.response(response)) { handle(response) } }

    func receive(end: CallEnd) { post(.response(.close(end))) { handle(end: end) } }
}
