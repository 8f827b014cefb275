import Synchronization

/// The calls with interceptors that run over a channel. One that an interceptor holds, which waits
/// for a token, say, is known to no connection and to nobody else who could end it.
package final class ChainRegistry: Sendable {
    private struct State {
        var chains: [ObjectIdentifier: InterceptorChain] = [:]
        /// Why no more are taken.
        var refusal: RPCError?
    }

    private let state = Mutex(State())

    package init() {}
}

extension ChainRegistry {
    /// Keeps a call that begins, until it ends. Returns why it may not.
    func add(_ chain: InterceptorChain) -> RPCError? {
        state.withLock { state in
            if state.refusal == nil { state.chains[ObjectIdentifier(chain)] = chain }
            return state.refusal
        }
    }

    func remove(_ chain: InterceptorChain) {
        let removed = state.withLock { $0.chains.removeValue(forKey: ObjectIdentifier(chain)) }
        _ = removed
    }

    /// Takes no more calls, and ends those that an interceptor holds. The others run on.
    package func close(with error: RPCError) {
        let chains = state.withLock { state in
            state.refusal = error
            return Array(state.chains.values)
        }
        for chain in chains where chain.isHeld { chain.fail(error) }
    }
}
