import SwiftletTransport
import Synchronization

/// Creates the chain of a call, and creates a part of it again for a restart.
struct ChainPlan: Sendable {
    let call: CallDescription
    let factories: [InterceptorFactory]
    /// The index in ``factories`` behind the last interceptor of the call's options. Zero when they have
    /// none.
    let callInterceptorsEnd: Int
    let deadline: ChainDeadline
    /// The running calls with interceptors of the channel.
    let registry: ChainRegistry
    let makeCore: @Sendable (CallOptions, any CallObserver) -> any CallRequests
    let shared = ChainShared()
}

/// The state that all parts of a chain share.
final class ChainShared: Sendable {
    private struct State {
        // Weak, because the chain holds the terminal.
        weak var terminal: ChainTerminal?
        var failure: RPCError?
        var lostWriteCount = 0
        var holdCount = 0
        var startCount = 0
    }

    private let state = Mutex(State())

    /// The end of the chain that was created last: an interceptor that restarts its part of the
    /// call replaces the end for all interceptors before it.
    var terminal: ChainTerminal? {
        get { state.withLock { $0.terminal } }
        set { state.withLock { $0.terminal = newValue } }
    }

    /// The error that this side ended the call with; nil if it did not.
    var failure: RPCError? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    /// A message was dropped: the next report of a write says so.
    func noteLostWrite() { state.withLock { $0.lostWriteCount += 1 } }

    func takeLostWrite() -> Bool {
        state.withLock { state in
            guard state.lostWriteCount > 0 else { return false }
            state.lostWriteCount -= 1
            return true
        }
    }

    /// Whether an interceptor holds requests back.
    var isHeld: Bool { state.withLock { $0.holdCount > 0 } }

    /// Whether a server may have received a part of the call.
    var mayHaveSent: Bool {
        let (startCount, terminal) = state.withLock { ($0.startCount, $0.terminal) }
        return startCount > 1 || startCount == 1 && (terminal?.mayHaveSent ?? true)
    }

    /// A call at the end of the chain starts.
    func noteStart() { state.withLock { $0.startCount += 1 } }

    func hold(_ isHeld: Bool) { state.withLock { $0.holdCount += isHeld ? 1 : -1 } }

    /// Sends the requests that `body` makes together: the headers, a message, and the end of the
    /// request in its frame.
    func gather(_ body: () -> Void) {
        if let terminal { terminal.gather(body) } else { body() }
    }
}

extension ChainPlan {
    /// Creates the interceptors from `index` on, and the end of the chain. Returns the seam to the
    /// first of them.
    func link(from index: Int, under upper: any ChainUpper) -> ChainSeam {
        var index = index
        while index < factories.count {
            let factory = factories[index]
            index += 1
            guard let interceptor = factory.make(call) else { continue }
            let node = InterceptedCall(self, factory, interceptor, nextIndex: index)
            let seam = ChainSeam(upper, node)
            let below = link(from: index, under: node)
            node.place(under: seam, above: below)
            return seam
        }
        let end = ChainTerminal(shared, makeCore)
        shared.terminal = end
        let seam = ChainSeam(upper, end)
        end.place(under: seam)
        return seam
    }
}

/// The end of a chain. Creates the call when it is started.
final class ChainTerminal: ChainLower, CallObserver {
    fileprivate struct State {
        var seam: ChainSeam?
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

    private let shared: ChainShared
    private let makeCore: @Sendable (CallOptions, any CallObserver) -> any CallRequests
    private let state = Mutex(State())

    init(
        _ shared: ChainShared,
        _ makeCore: @escaping @Sendable (CallOptions, any CallObserver) -> any CallRequests
    ) {
        self.shared = shared
        self.makeCore = makeCore
    }

    func place(under seam: ChainSeam) { state.withLock { $0.seam = seam } }
}

// MARK: - Requests

extension ChainTerminal {
    /// See ``ChainShared/gather(_:)``.
    func gather(_ body: () -> Void) {
        state.withLock { $0.gatherCount += 1 }
        body()
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

    /// True before the call was created: see ``ChainShared/mayHaveSent``.
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

    func send(_ request: ChainRequest) {
        switch request {
        case .start(let options): start(options)
        case .write(let message): write(message)
        case .finish:
            let core: (any CallRequests)? = state.withLock { state in
                guard state.gatherCount > 0 else { return state.core }
                state.finishes = true
                return nil
            }
            core?.finish()
        case .receiveNext:
            let core: (any CallRequests)? = state.withLock { state in
                if state.core == nil { state.earlyDemand += 1 }
                return state.core
            }
            core?.receiveNext()
        case .cancel:
            let core = state.withLock { state in
                state.isOver = true
                return state.core.take()
            }
            core?.cancel()
        }
    }

    private func start(_ options: CallOptions) {
        shared.noteStart()
        let core = makeCore(options, self)
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
        let core: (any CallRequests)? = state.withLock { state in
            guard state.gatherCount > 0 else { return state.core }
            state.pending.append(message)
            return nil
        }
        core?.write(message, andFinish: false)
    }
}

extension ChainTerminal.State {
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
    // The handlers are those of interceptors.
    var runsHandlers: Bool { true }

    func receive(initialMetadata: Metadata) { pass(.initialMetadata(initialMetadata)) }

    func receive(message: [UInt8], from call: any CallRequests) {
        pass(.message(RawMessage(message)))
    }

    func messageWasWritten(wasAccepted: Bool) {
        if !wasAccepted, shared.terminal === self { shared.noteLostWrite() }
        pass(.writeDone)
    }

    func receive(end: CallEnd) {
        pass(.close(end))
        let core = state.withLock { state in
            state.isOver = true
            state.seam = nil
            return state.core.take()
        }
        // Released outside the lock.
        _ = core
    }

    private func pass(_ response: ChainResponse) {
        let seam = state.withLock { $0.seam }
        // The call delivers events in order; after a cancellation the seam drops them.
        _ = seam?.pass(response)
    }
}

extension CallRequests {
    fileprivate func write(_ message: RawMessage, andFinish: Bool) {
        let allowsCompression = message.allowsCompression
        write(message.encoded(), andFinish: andFinish, allowsCompression: allowsCompression)
    }
}
