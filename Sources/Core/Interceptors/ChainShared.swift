import Synchronization

/// The state that all parts of a chain share. The chain stores it, and all parts refer to the chain.
struct ChainShared: ~Copyable, Sendable {
    /// Internal and not private: the compiler (6.3) cannot build a private one in another file's type.
    struct State {
        /// Nil after the end of the call. The terminal refers to the chain, so until then the two
        /// keep each other alive.
        var terminal: ChainTerminal?
        var failure: RPCError?
        var lostWriteCount = 0
        var holdCount = 0
        var startCount = 0
        var isOver = false
    }

    private let state = Mutex(State())
}

extension ChainShared {
    /// The terminal that was created last. When an interceptor restarts its part of the call, a new
    /// terminal replaces the old one for all interceptors. Nil after the end of the call.
    var terminal: ChainTerminal? { state.withLock { $0.terminal } }

    /// Has no effect after the end of the call.
    func replaceTerminal(_ terminal: ChainTerminal) {
        let old: ChainTerminal? = state.withLock { state in
            guard !state.isOver else { return nil }
            defer { state.terminal = terminal }
            return state.terminal
        }
        // Released outside the lock.
        _ = old
    }

    /// The call has ended for the caller.
    func end() {
        let terminal = state.withLock { state in
            state.isOver = true
            return state.terminal.take()
        }
        // Released outside the lock.
        _ = terminal
    }

    /// The error that this side ended the call with; nil if it did not.
    var failure: RPCError? { state.withLock { $0.failure } }

    func noteFailure(_ error: RPCError) { state.withLock { $0.failure = error } }

    /// A message was dropped. The next report of a write has `wasAccepted` false.
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

    /// Runs `body`, and then sends the requests that it made, together: the headers, a message, and
    /// END_STREAM in the frame of the message.
    func gather(_ body: () -> Void) {
        if let terminal { terminal.gather(body) } else { body() }
    }
}
