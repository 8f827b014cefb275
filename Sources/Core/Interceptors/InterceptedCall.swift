import SwiftletTransport
import Synchronization

/// A call as one of its interceptors has it: the next neighbour towards the network, the previous
/// one towards the caller, and the serial context that the interceptor runs in.
///
/// What is not allowed in the state of the call (a message after the end of the request, a
/// message before the initial metadata) never reaches the neighbour: the call ends with INTERNAL
/// and a message that names the interceptor and the rule. After the end nothing has an effect.
public final class InterceptedCall: Sendable {
    private enum Event: Sendable {
        case request(ChainRequest)
        case response(ChainResponse)
        case work(@Sendable (any Interceptor, InterceptedCall) -> Void)
    }

    private struct State {
        var upper: ChainSeam?
        var below: ChainSeam?
        /// What the part of the call from here on was started with.
        var deadline = Deadline.never
        var requests = Backlog<Event>()
        var others = Backlog<Event>()
        var isHandled = false
        var holdsRequests = false
        /// From then on nothing is held back.
        var isCancelled = false
        /// It has ended for the caller.
        var isOver = false
    }

    private let plan: ChainPlan
    private let factory: InterceptorFactory
    private let nextIndex: Int
    // Reached only by whoever has set `isHandled`, who is one at a time; handing over from one to
    // the next goes through the lock of `state`.
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

    /// What the caller is told of a call that was cancelled from this side: by the caller, or because
    /// its time was up, or its answer could not be read.
    public var cancellation: RPCError {
        plan.shared.failure ?? RPCError(.cancelled, "the call was cancelled")
    }

    /// Which call it is.
    public var description: CallDescription { plan.call }
}

// MARK: - Towards the network

extension InterceptedCall {
    /// Starts the rest of the call, with these options.
    public func start(_ options: CallOptions) {
        plan.deadline.shorten(to: options.deadline)
        ask(.start(options))
    }

    /// Sends a request on.
    public func write(_ message: RawMessage) { ask(.write(message)) }

    /// Says that no more requests follow.
    public func finish() { ask(.finish) }

    /// Asks for one more response.
    public func receiveNext() { ask(.receiveNext) }

    /// Ends the rest of the call; nothing comes back from it. The caller hears of it by
    /// ``close(_:)`` alone.
    public func cancel() { ask(.cancel) }

    /// Gives up the rest of the call and puts a fresh one in its place, which is not started: to
    /// send the request once more.
    public func restart() {
        restoreDeadline()
        let fresh = plan.link(from: nextIndex, under: self)
        let unneeded = state.withLock { state in
            // Behind the end of the call nothing more is sent.
            guard !state.isCancelled, !state.isOver else { return fresh as ChainSeam? }
            defer { state.below = fresh }
            return state.below
        }
        unneeded?.cancel()
    }

    private func ask(_ request: ChainRequest) {
        let seam = state.withLock { $0.below }
        if let refusal = seam?.pass(request) { refuse(refusal) }
    }

    /// The rest of the call has ended, and what is left is the time that this part of it has.
    private func restoreDeadline() {
        plan.deadline.restore(to: state.withLock { $0.deadline })
    }
}

// MARK: - Towards the caller

extension InterceptedCall {
    /// Gives the caller what the server sent before its first message.
    public func deliver(initialMetadata: Metadata) { tell(.initialMetadata(initialMetadata)) }

    /// Gives the caller a response.
    public func deliver(_ message: RawMessage) { tell(.message(message)) }

    /// Tells the caller that his request was taken, and that there is room for the next.
    public func deliverWriteDone() { tell(.writeDone) }

    /// Ends the call for the caller. What of it is still under way is cancelled.
    public func close(_ end: CallEnd) {
        tell(.close(end))
        letGo().below?.cancel()
    }

    /// The call has ended for the caller: nothing is held back any more.
    private func letGo() -> (upper: ChainSeam?, below: ChainSeam?) {
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

    private func tell(_ response: ChainResponse) {
        let upper = state.withLock { $0.upper }
        if let refusal = upper?.pass(response) { refuse(refusal) }
    }

    private func refuse(_ reason: String) {
        let (upper, below) = letGo()
        upper?.close(with: RPCError(.internal, "interceptor '\(factory.name)': \(reason)"))
        below?.cancel()
    }
}

// MARK: - The serial context

extension InterceptedCall {
    /// Keeps further requests back, a cancellation excepted, until ``releaseRequests()``: while
    /// the interceptor waits for something before it lets the call go on.
    public func holdRequests() {
        let isNew = state.withLock { state in
            guard !state.holdsRequests, !state.isCancelled, !state.isOver else { return false }
            state.holdsRequests = true
            return true
        }
        if isNew { plan.shared.hold(true) }
    }

    /// Lets the requests come that were kept back.
    public func releaseRequests() {
        let (isMine, wasHeld) = state.withLock { state in
            defer {
                state.holdsRequests = false
                state.isHandled = true
            }
            return (!state.isHandled, state.holdsRequests)
        }
        if wasHeld { plan.shared.hold(false) }
        if isMine { handleAll() }
    }

    /// Runs `work` in the interceptor's serial context: for what happens later, in a task or a
    /// handler.
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
        let isMine = state.withLock { state in
            let mustWait: Bool
            switch event {
            // It was on its way when the call was cancelled on another thread.
            case .request where state.isCancelled: return false
            case .request(.cancel):
                state.requests = Backlog()
                wasHeld = state.holdsRequests
                state.holdsRequests = false
                state.isCancelled = true
                mustWait = state.isHandled
            case .request:
                mustWait = state.isHandled || state.holdsRequests || !state.requests.isEmpty
            case .response, .work: mustWait = state.isHandled
            }
            guard mustWait else {
                state.isHandled = true
                return true
            }
            if case .request = event {
                state.requests.append(event)
            } else {
                state.others.append(event)
            }
            return false
        }
        if wasHeld { plan.shared.hold(false) }
        guard isMine else { return }
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

    /// Handles what has been kept back.
    private func handleAll() {
        factory.context { [self] in
            gathering { while let event = next() { handle(event) } }
        }
    }

    /// What one turn asks for leaves together: the request's headers with its message.
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
            if let event = state.others.popFirst() { return event }
            if !state.holdsRequests, let event = state.requests.popFirst() { return event }
            state.isHandled = false
            return nil
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
    func take(_ request: ChainRequest) { post(.request(request)) }

    func take(_ response: ChainResponse) { post(.response(response)) }
}
