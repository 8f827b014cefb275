import SwiftletTransport
import Synchronization

/// A call with interceptors, as its face sees it. Hands the face's requests to the first of them,
/// and what comes back to the face's observer, which hears of exactly one end.
final class InterceptorChain: CallRequests {
    private struct State {
        var observer: (any CallObserver)?
        var below: ChainLink?
        var isStarting = false
        /// What was asked for before the start has been passed on.
        var isStarted = false
        /// What was asked for before that.
        var early: [ChainRequest] = []
        var hasEnd = false
    }

    private let options: CallOptions
    private let deadline: ChainDeadline
    private let state: Mutex<State>
    private let responses = SerialMailbox<ChainResponse>()

    init(_ plan: ChainPlan, _ options: CallOptions, observer: any CallObserver) {
        self.options = options
        deadline = plan.deadline
        state = Mutex(State(observer: observer))
        state.withLock { $0.below = plan.link(from: 0, under: self) }
    }
}

// MARK: - Requests

extension InterceptorChain {
    func start() {
        let link: ChainLink? = state.withLock { state in
            guard !state.isStarting, !state.hasEnd else { return nil }
            state.isStarting = true
            return state.below
        }
        guard let link else { return }
        deadline.watch(self, options.absoluteDeadline)
        link.terminal.gather {
            pass(.start(options), to: link)
            // What another thread asks for meanwhile comes behind it.
            while let early = takeEarly() {
                for request in early { pass(request, to: link) }
            }
        }
    }

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

    private func pass(_ request: ChainRequest, to link: ChainLink) {
        guard link.seam.pass(request) != nil, case .write = request else { return }
        // A message behind the end of the request goes nowhere; nobody is to wait for it.
        take(.writeDone)
    }

    func write(_ message: consuming [UInt8], andFinish: Bool, mayCompress: Bool) {
        let message = RawMessage(behindPrefix: message, mayCompress: mayCompress)
        guard andFinish else { return ask(.write(message)) }
        let link = state.withLock { $0.below }
        link?.terminal.gather {
            ask(.write(message))
            ask(.finish)
        }
    }

    var hasUnreadEnd: Bool {
        let link = state.withLock { $0.below }
        return link?.terminal.hasUnreadEnd ?? false
    }

    func finish() { ask(.finish) }

    func receiveNext() { ask(.receiveNext) }

    func cancel() { fail(RPCError(.cancelled, "the call was cancelled")) }

    func fail(_ error: RPCError) {
        let link = state.withLock { $0.below }
        take(.close(CallEnd(error: error)))
        _ = link?.seam.pass(.cancel)
    }

    private func ask(_ request: ChainRequest) {
        let link: ChainLink? = state.withLock { state in
            guard state.isStarted else {
                if !state.hasEnd { state.early.append(request) }
                return nil
            }
            return state.below
        }
        if let link { pass(request, to: link) }
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
        if case .close = response { deadline.end() }
        switch response {
        case .initialMetadata(let metadata): observer?.receive(initialMetadata: metadata)
        case .message(let message): observer?.receive(message: message.bytes)
        case .writeDone: observer?.messageWasWritten(wasTaken: !hasUnreadEnd)
        case .close(let end): observer?.receive(end: end)
        }
    }
}
