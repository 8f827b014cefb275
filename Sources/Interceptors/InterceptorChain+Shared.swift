import SwiftletCore
import Synchronization

// The state that all parts of a chain share.

extension InterceptorChain {
    /// The terminal that was created last. When an interceptor restarts its part of the call, a new
    /// terminal replaces the old one for all interceptors. Nil after the end of the call.
    var terminal: ChainTerminal? { state.withLock { $0.terminal } }

    /// A terminal below an interceptor, or below the face. After the end of the call, the chain does not keep it.
    func makeTerminal(under upper: ChainUpper, _ source: ChainSource) -> ChainTerminal {
        // True once, while the chain is made.
        let isFirst = state.withLock { $0.terminal == nil && !$0.hasEnd }
        if isFirst {
            firstTerminal.withLock { state in
                state.seam = ChainSeam(under: upper)
                state.source = source
            }
        }
        let terminal =
            isFirst
            ? ChainTerminal.first(self)
            : .restarted(RestartedTerminal(self, under: upper, source))
        // The old one is released outside the lock.
        _ = state.withLock { state in
            guard !state.hasEnd else { return nil as ChainTerminal? }
            defer { state.terminal = terminal }
            return state.terminal
        }
        return terminal
    }

    /// The error that this side ended the call with; nil if it did not.
    var failure: RPCError? { state.withLock { $0.failure } }

    /// A message was dropped. The next report of a write has `wasAccepted` false.
    func noteLostWrite() { state.withLock { $0.lostWriteCount += 1 } }

    /// Whether a server may have received a part of the call.
    var mayHaveSent: Bool {
        let (startCount, joins, terminal) = state.withLock {
            ($0.startCount, $0.joinsAnother, $0.terminal)
        }
        return joins || startCount > 1 || startCount == 1 && (terminal?.mayHaveSent ?? true)
    }

    /// Another call with the same request answers this one.
    func noteOtherCall() { state.withLock { $0.joinsAnother = true } }

    /// A call at the end of the chain starts.
    func noteStart() { state.withLock { $0.startCount += 1 } }

    /// An interceptor holds requests back, or no longer.
    func hold(_ isHeld: Bool) { state.withLock { $0.holdCount += isHeld ? 1 : -1 } }

    /// Runs `body`, and then sends the requests that it made, together: the headers, a message, and
    /// END_STREAM in the frame of the message.
    func gather(_ body: () -> Void) {
        if let terminal { terminal.gather(body) } else { body() }
    }
}
