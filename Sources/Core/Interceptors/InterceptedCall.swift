import SwiftletTransport
import Synchronization

/// The context of an interceptor: the call, with the next neighbour on the side of the network and
/// on the side of the caller, and the serial context of the interceptor.
///
/// An event that the state of the call does not allow, such as a message after the end of the
/// request or before the initial metadata, is not passed on: the call ends with INTERNAL, and the
/// message names the interceptor and the rule. After the end nothing has an effect.
public final class InterceptedCall: Sendable {
    private enum Event: Sendable {
        case request(ChainRequest)
        case response(ChainResponse)
        case work(@Sendable (any Interceptor, InterceptedCall) -> Void)
    }

    private struct State {
        var upper: ChainSeam?
        var below: ChainSeam?
        /// The deadline that this part of the call was started with.
        var deadline = Deadline.never
        var requests = Backlog<Event>()
        var others = Backlog<Event>()
        /// The thread that handles events.
        var handler = SingleDeliverer()
        var holdsRequests = false
        /// Whether the call was cancelled, so that nothing is held back.
        var isCancelled = false
        /// Whether the call has ended for the caller.
        var isOver = false
    }

    private let plan: ChainPlan
    private let factory: InterceptorFactory
    private let nextIndex: Int
    // Safe, although the compiler cannot check it: only the thread that `handler` has made the
    // handler uses it, and the lock of `state` orders one handler before the next.
    nonisolated(unsafe) private let interceptor: any Interceptor
    private let state = Mutex(State())

    init(
        _ plan: ChainPlan, _ factory: InterceptorFactory, _ interceptor: sending any Interceptor,
        nextIndex: Int
    ) {
        self.plan = plan
        self.factory = factory
        unsafe self.interceptor = interceptor
        self.nextIndex = nextIndex
    }

    func place(under upper: ChainSeam, above below: ChainSeam) {
        state.withLock { state in
            state.upper = upper
            state.below = below
        }
    }

    /// The error that the caller receives for a call that was cancelled on this side: by the
    /// caller, by the deadline, or because the response could not be decoded.
    public var cancellation: RPCError {
        plan.shared.failure ?? RPCError(.cancelled, "the call was cancelled")
    }

    /// The call that the interceptor was made for.
    public var description: CallDescription { plan.call }

    /// Whether interceptors of the call's options follow this one on the way to the network.
    var precedesCallInterceptors: Bool { nextIndex < plan.callInterceptorsEnd }
}

// MARK: - Towards the network

extension InterceptedCall {
    /// Starts the rest of the call with these options.
    public func start(_ options: CallOptions) {
        plan.deadline.shorten(to: options.deadline)
        request(.start(options))
    }

    /// Starts the rest of the call with these options and on another path, which needs messages of the
    /// same kind and as many. Closes the call with INVALID_ARGUMENT when `path` is not of the form
    /// `/package.Service/Method`, or not a path of HTTP for a plain request.
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
    public func cancel() { request(.cancel) }

    /// Replaces the rest of the call with a new one, which is not started, so that the request can
    /// be sent again.
    public func restart() {
        restoreDeadline()
        let fresh = plan.link(from: nextIndex, under: self)
        let unneeded = state.withLock { state in
            // After the end of the call nothing is sent.
            guard !state.isCancelled, !state.isOver else { return fresh as ChainSeam? }
            defer { state.below = fresh }
            return state.below
        }
        unneeded?.cancel()
    }

    private func request(_ request: ChainRequest) {
        let seam = state.withLock { $0.below }
        if let refusal = seam?.pass(request) { refuse(refusal) }
    }

    /// The rest of the call has ended: the deadline of this part applies again.
    private func restoreDeadline() {
        plan.deadline.restore(to: state.withLock { $0.deadline })
    }
}

// MARK: - Towards the caller

extension InterceptedCall {
    /// Delivers initial metadata to the caller.
    public func deliver(initialMetadata: Metadata) { pass(.initialMetadata(initialMetadata)) }

    /// Delivers a response to the caller.
    public func deliver(_ message: RawMessage) { pass(.message(message)) }

    /// Tells the caller that a request was accepted, and that there is room for the next.
    public func deliverWriteDone() { pass(.writeDone) }

    /// Ends the call for the caller. A rest of the call that is still running is cancelled.
    public func close(_ end: CallEnd) {
        pass(.close(end))
        endForCaller().below?.cancel()
    }

    /// The call has ended for the caller, so that nothing is held back.
    private func endForCaller() -> (upper: ChainSeam?, below: ChainSeam?) {
        let (upper, below, wasHeld) = state.withLock { state in
            defer {
                state.isOver = true
                state.holdsRequests = false
            }
            return (state.upper, state.below.take(), state.holdsRequests)
        }
        if wasHeld { plan.shared.hold(false) }
        return (upper, below)
    }

    private func pass(_ response: ChainResponse) {
        let upper = state.withLock { $0.upper }
        if let refusal = upper?.pass(response) { refuse(refusal) }
    }

    private func refuse(_ reason: String) {
        let (upper, below) = endForCaller()
        upper?.close(with: RPCError(.internal, "interceptor '\(factory.name)': \(reason)"))
        below?.cancel()
    }
}

// MARK: - The serial context

extension InterceptedCall {
    /// Holds further requests back, except a cancellation, until ``releaseRequests()``: for an
    /// interceptor that waits before it continues the call.
    public func holdRequests() {
        let isNew = state.withLock { state in
            guard !state.holdsRequests, !state.isCancelled, !state.isOver else { return false }
            state.holdsRequests = true
            return true
        }
        if isNew { plan.shared.hold(true) }
    }

    /// Delivers the requests that were held back.
    public func releaseRequests() {
        let (isHandler, wasHeld) = state.withLock { state in
            defer { state.holdsRequests = false }
            return (state.handler.begin(), state.holdsRequests)
        }
        if wasHeld { plan.shared.hold(false) }
        if isHandler { handleAll() }
    }

    /// Runs `work` in the interceptor's serial context. For work that a task or a handler does
    /// later.
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
        post(
            .work { interceptor, call in
                if let interceptor = interceptor as? Kind { work(interceptor, call) }
            })
    }

    private func post(_ event: Event) {
        var wasHeld = false
        let isHandler = state.withLock { state in
            let mustWait: Bool
            switch event {
            // The request was on its way when another thread cancelled the call.
            case .request where state.isCancelled: return false
            case .request(.cancel):
                state.requests = Backlog()
                wasHeld = state.holdsRequests
                state.holdsRequests = false
                state.isCancelled = true
                mustWait = state.handler.isActive
            case .request:
                mustWait =
                    state.handler.isActive || state.holdsRequests || !state.requests.isEmpty
            case .response, .work: mustWait = state.handler.isActive
            }
            if !mustWait { return state.handler.begin() }
            if case .request = event {
                state.requests.append(event)
            } else {
                state.others.append(event)
            }
            return false
        }
        if wasHeld { plan.shared.hold(false) }
        guard isHandler else { return }
        // A closure would cost an allocation for each event.
        if factory.context.isInline {
            handleAll(from: event)
        } else {
            factory.context { [self] in handleAll(from: event) }
        }
    }

    private func handleAll(from event: Event) {
        handle(event)
        while let event = next() { handle(event) }
    }

    /// Handles the events that were held back.
    private func handleAll() {
        factory.context { [self] in
            gathering { while let event = next() { handle(event) } }
        }
    }

    /// Sends the requests of one turn together, such as the headers with a message.
    private func gathering(_ body: () -> Void) { plan.shared.gather(body) }

    private func handle(_ event: Event) {
        switch event {
        case .request(let request): handle(request)
        case .response(let response): handle(response)
        case .work(let work): gathering { unsafe work(interceptor, self) }
        }
    }

    private func next() -> Event? {
        state.withLock { state in
            var event = state.others.popFirst()
            if event == nil, !state.holdsRequests { event = state.requests.popFirst() }
            return state.handler.next(event)
        }
    }

    private func handle(_ request: ChainRequest) {
        switch request {
        case .start(let options):
            state.withLock { $0.deadline = options.deadline }
            unsafe interceptor.start(options, self)
        case .write(let message): unsafe interceptor.write(message, self)
        case .finish: unsafe interceptor.finish(self)
        case .receiveNext: unsafe interceptor.receiveNext(self)
        case .cancel: unsafe interceptor.cancel(self)
        }
    }

    private func handle(_ response: ChainResponse) {
        switch response {
        case .initialMetadata(let metadata):
            unsafe interceptor.receive(initialMetadata: metadata, self)
        case .message(let message): unsafe interceptor.receive(message, self)
        case .writeDone: unsafe interceptor.writeDone(self)
        case .close(let end):
            restoreDeadline()
            unsafe interceptor.close(end, self)
        }
    }
}

extension InterceptedCall: ChainUpper, ChainLower {
    func send(_ request: ChainRequest) { post(.request(request)) }

    func receive(_ response: ChainResponse) { post(.response(response)) }
}
