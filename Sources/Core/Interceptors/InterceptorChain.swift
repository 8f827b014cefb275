import SwiftletTransport
import Synchronization

/// A call with interceptors, as its face sees it. Hands the face's requests to the first of them,
/// and what comes back to the face's observer, which hears of exactly one end.
final class InterceptorChain: CallRequests {
    private struct State {
        var observer: (any CallObserver)?
        var below: ChainSeam?
        var isStarting = false
        /// What was asked for before the start has been passed on.
        var isStarted = false
        /// What was asked for before that.
        var early: [ChainRequest] = []
        var hasEnd = false
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
            // What another thread asks for meanwhile comes behind it.
            while let early = takeEarly() {
                for request in early { pass(request, to: seam) }
            }
        }
        // It may have ended before it was known to run.
        if state.withLock({ $0.hasEnd }) { plan.registry.remove(self) }
    }

    /// Whether the call waits for one of the interceptors to let it begin.
    var isHeld: Bool { plan.shared.isHeld && plan.shared.terminal?.hasCore != true }

    /// Nil when nothing is left; from then on requests pass by themselves.
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
        // A message behind the end of the request goes nowhere; nobody is to wait for it.
        plan.shared.noteLostWrite()
        take(.writeDone)
    }

    func write(_ message: consuming EncodedMessage, andFinish: Bool, mayCompress: Bool) {
        let message = RawMessage(message, mayCompress: mayCompress)
        guard andFinish else { return ask(.write(message)) }
        plan.shared.gather {
            ask(.write(message))
            ask(.finish)
        }
    }

    var hasUnreadEnd: Bool { plan.shared.terminal?.hasUnreadEnd ?? false }

    func finish() { ask(.finish) }

    func receiveNext() { ask(.receiveNext) }

    func cancel() { fail(RPCError(.cancelled, "the call was cancelled")) }

    func fail(_ error: RPCError) {
        let seam = state.withLock { $0.below }
        var error = error
        error.mayHaveBeenExecuted = plan.shared.mayHaveSent
        plan.shared.failure = error
        var end = CallEnd(error: error)
        end.dropsUnread = true
        take(.close(end))
        _ = seam?.pass(.cancel)
    }

    private func ask(_ request: ChainRequest) {
        let seam: ChainSeam? = state.withLock { state in
            guard state.isStarted else {
                if !state.hasEnd { state.early.append(request) }
                return nil
            }
            return state.below
        }
        if let seam { pass(request, to: seam) }
    }
}

// MARK: - Responses

extension InterceptorChain: ChainUpper {
    func take(_ response: ChainResponse) {
        responses.handle(response) { tell($0) }
    }

    private func tell(_ response: ChainResponse) {
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
            observer?.messageWasWritten(wasTaken: !plan.shared.takeLostWrite())
        case .close(let end): observer?.receive(end: end)
        }
    }
}
