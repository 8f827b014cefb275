import SwiftletCore
import SwiftletTransport
import Synchronization

/// The end of a chain. Creates the call when it is started.
///
/// The first one is a part of the chain, so that most calls need no object for it. One that an interceptor begins by a
/// restart is an object, so that late events of a former call do not reach it.
enum ChainTerminal: Sendable {
    case first(InterceptorChain)
    case restarted(RestartedTerminal)

    struct State: ~Copyable {
        var seam: ChainSeam
        /// Nil after the end.
        var source: ChainSource?
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

        init(under upper: ChainUpper?, _ source: ChainSource?) {
            seam = ChainSeam(under: upper)
            self.source = source
        }
    }

    private var chain: InterceptorChain {
        switch self {
        case .first(let chain): chain
        case .restarted(let terminal): terminal.chain
        }
    }

    private var observer: any CallObserver {
        switch self {
        case .first(let chain): chain
        case .restarted(let terminal): terminal
        }
    }

    private func withState<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        switch self {
        case .first(let chain): chain.firstTerminal.withLock(body)
        case .restarted(let terminal): terminal.state.withLock(body)
        }
    }
}

/// A terminal that an interceptor has begun by a restart.
final class RestartedTerminal: Sendable {
    fileprivate let chain: InterceptorChain
    fileprivate let state: Mutex<ChainTerminal.State>

    init(_ chain: InterceptorChain, under upper: ChainUpper, _ source: ChainSource) {
        self.chain = chain
        state = Mutex(ChainTerminal.State(under: upper, source))
    }
}

// MARK: - Requests

extension ChainTerminal {
    /// See ``InterceptorChain/gather(_:)``.
    func gather(_ body: () -> Void) {
        withState { $0.gatherCount += 1 }
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

    /// Whether this part was started, or has ended.
    var isStarted: Bool { withState { $0.seam.isStarted } }

    /// Whether the call was created, so that no interceptor delays it.
    var hasCore: Bool { withState { $0.core != nil } }

    var hasUnreadEnd: Bool {
        let core = withState { $0.core }
        return core?.errorOfUnreadEnd != nil
    }

    /// True before the call was created: see ``InterceptorChain/mayHaveSent``.
    var mayHaveSent: Bool {
        let core = withState { $0.core }
        return core?.mayHaveSent ?? true
    }

    fileprivate enum Step { case write(RawMessage, isLast: Bool), finish, start }

    /// The next gathered request. Nil if none is left or another ``gather(_:)`` is running. A nil
    /// ends the caller's ``gather(_:)``.
    private func nextStep() -> (any CallRequests, Step)? {
        withState { state in
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
        let (verdict, early, source) = withState { state in
            (state.seam.admit(.start), state.seam.takeEarly(), state.source)
        }
        switch verdict {
        // There is a source until the end, after which no start passes.
        case .pass: if let source { start(options, source) }
        case .ignore, .keep: return nil
        case .refuse(let reason): return reason
        }
        for message in early { write(message) }
        return nil
    }

    private func start(_ options: CallOptions, _ source: ChainSource) {
        chain.noteStart()
        let core = chain.makeCore(source.channel, options, observer: observer)
        let (isOver, startsNow, demand): (Bool, Bool, Int) = withState { state in
            guard !state.isOver else { return (true, false, 0) }
            state.core = core
            state.startsLater = state.gatherCount > 0
            return (false, !state.startsLater, state.earlyDemand)
        }
        // Ends what its meter has begun.
        if isOver { return core.cancel() }
        for _ in 0..<demand { core.receiveNext() }
        if startsNow { core.start() }
    }

    private func write(_ message: RawMessage) {
        let core = withState { $0.receiver(of: message) }
        core?.write(message, andFinish: false)
    }

    /// Passes a request on. Returns why it is not allowed, if it is not.
    func send(_ request: ChainRequest) -> String? {
        if case .start(let options) = request { return send(start: options) }
        let (verdict, core, _) = withState { $0.admit(request) }
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
    /// Applies a request other than the start. Returns the call to pass it on to, if it passes now, and what is
    /// to be released.
    fileprivate mutating func admit(
        _ request: ChainRequest
    ) -> (verdict: CallProgress.Verdict, core: (any CallRequests)?, unneeded: ChainSource?) {
        let verdict = seam.admit(request.kind)
        switch (verdict, request) {
        case (.keep, .write(let message)): seam.keep(message)
        case (.pass, .write(let message)): return (verdict, receiver(of: message), nil)
        case (.pass, .finish):
            guard gatherCount > 0 else { return (verdict, core, nil) }
            finishes = true
        case (.pass, .receiveNext):
            if core == nil { earlyDemand += 1 }
            return (verdict, core, nil)
        case (.pass, .cancel):
            let ended = end()
            return (verdict, ended.core, ended.source)
        default: break
        }
        return (verdict, nil, nil)
    }

    /// Nothing follows. Returns the call and the source.
    fileprivate mutating func end() -> (core: (any CallRequests)?, source: ChainSource?) {
        isOver = true
        pending = Backlog()
        return (core.take(), source.take())
    }

    /// The call to write a message to; nil if the message is gathered.
    fileprivate mutating func receiver(of message: RawMessage) -> (any CallRequests)? {
        guard gatherCount > 0, !isOver else { return core }
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
    fileprivate func messageWasWritten(wasAccepted: Bool) {
        if !wasAccepted, isLast { chain.noteLostWrite() }
        receive(.writeDone)
    }

    /// Whether this is the terminal that was made last.
    private var isLast: Bool {
        switch (self, chain.terminal) {
        case (.first, .first): true
        case (.restarted(let terminal), .restarted(let last)): terminal === last
        default: false
        }
    }

    fileprivate func receive(end: CallEnd) {
        let upper = withState { $0.seam.admit(.close).upper }
        upper?.receive(end: end)
        // Released outside the lock.
        _ = withState { $0.end() }
    }

    fileprivate func receive(_ response: ChainResponse) {
        // The call delivers events in order; after a cancellation the seam drops them.
        let upper = withState { $0.seam.admit(response.kind).upper }
        upper?.receive(response)
    }
}

extension InterceptorChain: CallObserver {
    // The methods call interceptors, which are code of the user.
    var runsHandlers: Bool { true }

    func receive(initialMetadata: Metadata) {
        ChainTerminal.first(self).receive(.initialMetadata(initialMetadata))
    }

    func receive(message: [UInt8], from call: any CallRequests) {
        ChainTerminal.first(self).receive(.message(RawMessage(message)))
    }

    func messageWasWritten(wasAccepted: Bool) {
        ChainTerminal.first(self).messageWasWritten(wasAccepted: wasAccepted)
    }

    func receive(end: consuming CallEnd) { ChainTerminal.first(self).receive(end: end) }
}

extension RestartedTerminal: CallObserver {
    var runsHandlers: Bool { true }

    var isAwaited: Bool { chain.isAwaited }

    func receive(initialMetadata: Metadata) {
        ChainTerminal.restarted(self).receive(.initialMetadata(initialMetadata))
    }

    func receive(message: [UInt8], from call: any CallRequests) {
        ChainTerminal.restarted(self).receive(.message(RawMessage(message)))
    }

    func messageWasWritten(wasAccepted: Bool) {
        ChainTerminal.restarted(self).messageWasWritten(wasAccepted: wasAccepted)
    }

    func receive(end: consuming CallEnd) { ChainTerminal.restarted(self).receive(end: end) }
}

extension CallRequests {
    fileprivate func write(_ message: RawMessage, andFinish: Bool) {
        let allowsCompression = message.allowsCompression
        write(message.encoded(), andFinish: andFinish, allowsCompression: allowsCompression)
    }
}
