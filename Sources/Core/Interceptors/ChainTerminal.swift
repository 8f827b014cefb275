import SwiftletTransport
import Synchronization

/// The end of a chain. Creates the call when it is started.
final class ChainTerminal: CallObserver {
    fileprivate struct State: ~Copyable {
        var seam: ChainSeam
        var core: (any CallRequests)?
        /// Messages that were asked for before the start.
        var earlyDemand = 0
        /// The number of running ``gather(_:)`` calls.
        var gatherCount = 0
        /// Gathered messages, which are sent in this order.
        var pending = Backlog<RawMessage>()
        var finishes = false
        var startsLater = false
        var isOver = false
    }

    private let chain: InterceptorChain
    private let state: Mutex<State>

    init(_ chain: InterceptorChain, under upper: ChainUpper) {
        self.chain = chain
        state = Mutex(State(seam: ChainSeam(under: upper)))
    }
}

// MARK: - Requests

extension ChainTerminal {
    /// See ``InterceptorChain/gather(_:)``.
    func gather(_ body: () -> Void) {
        state.withLock { $0.gatherCount += 1 }
        body()
        sendGathered()
    }

    /// Not inlined: ``gather(_:)`` is compiled for each of its closures.
    @inline(never)
    private func sendGathered() {
        while let (core, step) = nextStep() {
            switch step {
            case .write(let message, let isLast): core.write(message, andFinish: isLast)
            case .finish: core.finish()
            case .start: core.start()
            }
        }
    }

    /// Whether the call was created, so that no interceptor delays it.
    var hasCore: Bool { state.withLock { $0.core != nil } }

    var hasUnreadEnd: Bool {
        let core = state.withLock { $0.core }
        return core?.hasUnreadEnd ?? false
    }

    /// True before the call was created: see ``InterceptorChain/mayHaveSent``.
    var mayHaveSent: Bool {
        let core = state.withLock { $0.core }
        return core?.mayHaveSent ?? true
    }

    fileprivate enum Step { case write(RawMessage, isLast: Bool), finish, start }

    /// The next gathered request. Nil if none is left or another ``gather(_:)`` is running. A nil
    /// ends the caller's ``gather(_:)``.
    private func nextStep() -> (any CallRequests, Step)? {
        state.withLock { state in
            guard state.gatherCount == 1, let core = state.core,
                let step = state.takeStep()
            else {
                state.gatherCount -= 1
                return nil
            }
            return (core, step)
        }
    }

    /// Starts the call. Returns why that is not allowed, if it is not.
    func send(start options: CallOptions) -> String? {
        let (verdict, early) = state.withLock { state in
            (state.seam.admit(.start), state.seam.takeEarly())
        }
        switch verdict {
        case .pass: start(options)
        case .ignore, .keep: return nil
        case .refuse(let reason): return reason
        }
        for message in early { write(message) }
        return nil
    }

    private func start(_ options: CallOptions) {
        chain.noteStart()
        guard let core = chain.makeCore(options, observer: self) else { return }
        let (startsNow, demand): (Bool, Int) = state.withLock { state in
            guard !state.isOver else { return (false, 0) }
            state.core = core
            state.startsLater = state.gatherCount > 0
            return (!state.startsLater, state.earlyDemand)
        }
        for _ in 0..<demand { core.receiveNext() }
        if startsNow { core.start() }
    }

    private func write(_ message: RawMessage) {
        let core = state.withLock { $0.receiver(of: message) }
        core?.write(message, andFinish: false)
    }

    /// Passes a request on. Returns why it is not allowed, if it is not.
    func send(_ request: ChainRequest) -> String? {
        if case .start(let options) = request { return send(start: options) }
        let (verdict, core) = state.withLock { $0.admit(request) }
        if case .refuse(let reason) = verdict { return reason }
        switch request {
        // Handled above.
        case .start: break
        case .write(let message): core?.write(message, andFinish: false)
        case .finish: core?.finish()
        case .receiveNext: core?.receiveNext()
        case .cancel: core?.cancel()
        }
        return nil
    }
}

extension ChainTerminal.State {
    /// Applies a request other than the start. Returns the call to pass it on to, if it passes now.
    fileprivate mutating func admit(
        _ request: ChainRequest
    ) -> (verdict: CallProgress.Verdict, core: (any CallRequests)?) {
        let verdict = seam.admit(request.kind)
        switch (verdict, request) {
        case (.keep, .write(let message)): seam.keep(message)
        case (.pass, .write(let message)): return (verdict, receiver(of: message))
        case (.pass, .finish):
            guard gatherCount > 0 else { return (verdict, core) }
            finishes = true
        case (.pass, .receiveNext):
            if core == nil { earlyDemand += 1 }
            return (verdict, core)
        case (.pass, .cancel):
            isOver = true
            return (verdict, core.take())
        default: break
        }
        return (verdict, nil)
    }

    /// The call to write a message to; nil if the message is gathered.
    fileprivate mutating func receiver(of message: RawMessage) -> (any CallRequests)? {
        guard gatherCount > 0 else { return core }
        pending.append(message)
        return nil
    }

    fileprivate mutating func takeStep() -> ChainTerminal.Step? {
        if let message = pending.popFirst() {
            let isLast = finishes && pending.isEmpty
            if isLast { finishes = false }
            return .write(message, isLast: isLast)
        }
        if finishes {
            finishes = false
            return .finish
        }
        guard startsLater else { return nil }
        startsLater = false
        return .start
    }
}

// MARK: - Responses

extension ChainTerminal {
    // The methods call interceptors, which are code of the user.
    var runsHandlers: Bool { true }

    var isAwaited: Bool { chain.isAwaited }

    func receive(initialMetadata: Metadata) { pass(.initialMetadata(initialMetadata)) }

    func receive(message: [UInt8], from call: any CallRequests) {
        pass(.message(RawMessage(message)))
    }

    func messageWasWritten(wasAccepted: Bool) {
        if !wasAccepted, chain.terminal === self { chain.noteLostWrite() }
        pass(.writeDone)
    }

    func receive(end: consuming CallEnd) {
        let upper = state.withLock { $0.seam.admit(.close).upper }
        upper?.receive(end: end)
        let core = state.withLock { state in
            state.isOver = true
            return state.core.take()
        }
        // Released outside the lock.
        _ = core
    }

    private func pass(_ response: ChainResponse) {
        // The call delivers events in order; after a cancellation the seam drops them.
        let upper = state.withLock { $0.seam.admit(response.kind).upper }
        upper?.receive(response)
    }
}

extension CallRequests {
    fileprivate func write(_ message: RawMessage, andFinish: Bool) {
        let allowsCompression = message.allowsCompression
        write(message.encoded(), andFinish: andFinish, allowsCompression: allowsCompression)
    }
}
