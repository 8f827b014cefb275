import SwiftletTransport
import Synchronization

/// How the chain of a call is made, and made again from some place on.
struct ChainPlan: Sendable {
    let call: CallDescription
    let factories: [InterceptorFactory]
    let deadline: ChainDeadline
    /// The calls with interceptors that run over the channel.
    let registry: ChainRegistry
    let makeCore: @Sendable (CallOptions, any CallObserver) -> CallCore
    let shared = ChainShared()
}

/// What all of a chain have in common.
final class ChainShared: Sendable {
    private struct State {
        // The chain holds it; a reference from here would be a cycle.
        weak var terminal: ChainTerminal?
        var failure: RPCError?
        var lostWriteCount = 0
        var holdCount = 0
        var startCount = 0
    }

    private let state = Mutex(State())

    /// The end of the chain, from whatever place on it was made last: whoever restarts a part of a
    /// call puts another in its place, for all that stand above.
    var terminal: ChainTerminal? {
        get { state.withLock { $0.terminal } }
        set { state.withLock { $0.terminal = newValue } }
    }

    /// Why the call was ended from this side, if it was.
    var failure: RPCError? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    /// A message goes nowhere; whoever is told next that one was written is told so.
    func noteLostWrite() { state.withLock { $0.lostWriteCount += 1 } }

    func takeLostWrite() -> Bool {
        state.withLock { state in
            guard state.lostWriteCount > 0 else { return false }
            state.lostWriteCount -= 1
            return true
        }
    }

    /// Whether one of the interceptors keeps requests back, to wait for something.
    var isHeld: Bool { state.withLock { $0.holdCount > 0 } }

    /// Whether a server may have seen something of the call.
    var mayHaveSent: Bool {
        let (startCount, terminal) = state.withLock { ($0.startCount, $0.terminal) }
        return startCount > 1 || startCount == 1 && (terminal?.mayHaveSent ?? true)
    }

    /// A call proper begins.
    func noteStart() { state.withLock { $0.startCount += 1 } }

    func hold(_ isHeld: Bool) { state.withLock { $0.holdCount += isHeld ? 1 : -1 } }

    /// Has what `body` asks for leave together: the headers, a message, and the end of the request
    /// on its frame.
    func gather(_ body: () -> Void) {
        if let terminal { terminal.gather(body) } else { body() }
    }
}

extension ChainPlan {
    /// Makes the interceptors from `index` on, and the end of the chain. Returns the seam that leads
    /// to them.
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

/// The end of a chain: makes the call proper when it is started.
final class ChainTerminal: ChainLower, CallObserver {
    fileprivate struct State {
        var seam: ChainSeam?
        var core: CallCore?
        /// Messages asked for before the start.
        var earlyDemand = 0
        /// Requests are gathered, to leave together.
        var gatherCount = 0
        /// What was gathered, which leaves in this order.
        var pending = Backlog<RawMessage>()
        var finishes = false
        var startsLater = false
        var isOver = false
    }

    private let shared: ChainShared
    private let makeCore: @Sendable (CallOptions, any CallObserver) -> CallCore
    private let state = Mutex(State())

    init(
        _ shared: ChainShared,
        _ makeCore: @escaping @Sendable (CallOptions, any CallObserver) -> CallCore
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

    /// Whether the call proper has begun, so that it does not wait for an interceptor to let it.
    var hasCore: Bool { state.withLock { $0.core != nil } }

    var hasUnreadEnd: Bool {
        let core = state.withLock { $0.core }
        return core?.hasUnreadEnd ?? false
    }

    /// Of a call proper that was started.
    var mayHaveSent: Bool {
        let core = state.withLock { $0.core }
        return core?.mayHaveSent ?? true
    }

    fileprivate enum Step { case write(RawMessage, isLast: Bool), finish, start }

    /// Of what was gathered, for the last who gathers: until nothing is left, whatever others ask
    /// for comes behind it.
    private func nextStep() -> (CallCore, Step)? {
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

    func take(_ request: ChainRequest) {
        switch request {
        case .start(let options): start(options)
        case .write(let message): write(message)
        case .finish:
            let core: CallCore? = state.withLock { state in
                guard state.gatherCount > 0 else { return state.core }
                state.finishes = true
                return nil
            }
            core?.finish()
        case .receiveNext:
            let core: CallCore? = state.withLock { state in
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
        let core: CallCore? = state.withLock { state in
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
    // Those of interceptors.
    var runsHandlers: Bool { true }

    func receive(initialMetadata: Metadata) { pass(.initialMetadata(initialMetadata)) }

    func receive(message: [UInt8], from call: any CallRequests) {
        pass(.message(RawMessage(message)))
    }

    func messageWasWritten(wasTaken: Bool) {
        if !wasTaken, shared.terminal === self { shared.noteLostWrite() }
        pass(.writeDone)
    }

    func receive(end: CallEnd) {
        pass(.close(end))
        let core = state.withLock { state in
            state.isOver = true
            state.seam = nil
            return state.core.take()
        }
        // Let go of outside the lock.
        _ = core
    }

    private func pass(_ response: ChainResponse) {
        let seam = state.withLock { $0.seam }
        // What the call proper says is in order; after a cancellation it falls.
        _ = seam?.pass(response)
    }
}

extension CallCore {
    fileprivate func write(_ message: RawMessage, andFinish: Bool) {
        let mayCompress = message.mayCompress
        write(message.encoded(), andFinish: andFinish, mayCompress: mayCompress)
    }
}
