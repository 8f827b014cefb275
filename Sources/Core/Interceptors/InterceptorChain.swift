import SwiftletTransport
import Synchronization

/// A call with interceptors, for its face. Passes the face's requests to the first interceptor, and
/// its responses to the face's observer, which receives exactly one end.
final class InterceptorChain: CallRequests {
    private struct State {
        var observer: (any CallObserver)?
        var below: ChainSeam?
        var isStarting = false
        /// Whether requests that were made before the start have been passed on.
        var isStarted = false
        /// Requests that were made before the start.
        var early: [ChainRequest] = []
        var hasEnd = false

        /// A unary call makes four requests before its start: one allocation for all of them.
        mutating func keepEarly(_ request: ChainRequest) {
            if early.isEmpty { early.reserveCapacity(4) }
            early.append(request)
        }
    }

    private let options: CallOptions
    private let plan: ChainPlan
    private let state: Mutex<State>
    private let responses = SerialMailbox<ChainResponse>()

    init(_ plan: ChainPlan, _ options: CallOptions, observer: any CallObserver) {
        self.options = options
        self.plan = plan
        state = Mutex(State(observer: observer))
        state.withLock { $0.below = plan.link(from: 0, under: self) }
    }
}

// MARK: - Requests

extension InterceptorChain {
    func start() {
        let seam: ChainSeam? = state.withLock { state in
            guard !state.isStarting, !state.hasEnd else { return nil }
            state.isStarting = true
            return state.below
        }
        guard let seam else { return }
        plan.deadline.watch(self, options.absoluteDeadline)
        if let error = plan.registry.add(self) { return fail(error) }
        plan.shared.gather {
            pass(.start(options), to: seam)
            // Requests that another thread makes in the meantime follow.
            while let early = takeEarly() {
                for request in early { pass(request, to: seam) }
            }
        }
        // The call may have ended before it was registered.
        if state.withLock({ $0.hasEnd }) { plan.registry.remove(self) }
    }

    /// Whether an interceptor delays the creation of the call.
    var isHeld: Bool { plan.shared.isHeld && plan.shared.terminal?.hasCore != true }

    /// Nil when there are none; from then on requests are passed on at once.
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

    private func pass(_ request: ChainRequest, to seam: ChainSeam) {
        guard seam.pass(request) != nil, case .write = request else { return }
        // A message after the end of the request is dropped, and its writer must not wait.
        plan.shared.noteLostWrite()
        receive(.writeDone)
    }

    func write(_ message: consuming EncodedMessage, andFinish: Bool, allowsCompression: Bool) {
        let message = RawMessage(message, allowsCompression: allowsCompression)
        guard andFinish else { return send(.write(message)) }
        plan.shared.gather {
            send(.write(message))
            send(.finish)
        }
    }

    var mayHaveSent: Bool { plan.shared.mayHaveSent }

    var hasUnreadEnd: Bool { plan.shared.terminal?.hasUnreadEnd ?? false }

    func finish() { send(.finish) }

    func receiveNext() { send(.receiveNext) }

    func cancel() { fail(RPCError(.cancelled, "the call was cancelled")) }

    func fail(_ error: RPCError) {
        let seam = state.withLock { $0.below }
        var error = error
        error.mayHaveBeenExecuted = plan.shared.mayHaveSent
        plan.shared.failure = error
        var end = CallEnd(error: error)
        end.dropsUnread = true
        receive(.close(end))
        _ = seam?.pass(.cancel)
    }

    private func send(_ request: ChainRequest) {
        let seam: ChainSeam? = state.withLock { state in
            guard state.isStarted else {
                if !state.hasEnd { state.keepEarly(request) }
                return nil
            }
            return state.below
        }
        if let seam { pass(request, to: seam) }
    }
}

// MARK: - Responses

extension InterceptorChain: ChainUpper {
    func receive(_ response: ChainResponse) {
        responses.handle(response) { deliver($0) }
    }

    private func deliver(_ response: ChainResponse) {
        let observer: (any CallObserver)? = state.withLock { state in
            guard !state.hasEnd else { return nil }
            guard case .close = response else { return state.observer }
            state.hasEnd = true
            state.below = nil
            state.early = []
            return state.observer.take()
        }
        if case .close = response {
            plan.deadline.end()
            plan.registry.remove(self)
        }
        switch response {
        case .initialMetadata(let metadata): observer?.receive(initialMetadata: metadata)
        case .message(let message): observer?.receive(message: message.bytes, from: self)
        case .writeDone:
            observer?.messageWasWritten(wasAccepted: !plan.shared.takeLostWrite())
        case .close(var end):
            // An interceptor may end a call of which nothing was sent.
            if !plan.shared.mayHaveSent { end.error?.mayHaveBeenExecuted = false }
            observer?.receive(end: end)
        }
    }
}
