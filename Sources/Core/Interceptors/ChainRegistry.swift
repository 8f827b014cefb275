import Synchronization

/// The calls with interceptors that run over a channel. One that an interceptor holds, which waits
/// for a token, say, is known to no connection and to nobody else who could end it.
package final class ChainRegistry: Sendable {
    private struct State {
        var chains: [ObjectIdentifier: InterceptorChain] = [:]
        /// Why no more are taken.
        var refusal: RPCError?
        var whenEmpty: [@Sendable () -> Void] = []

        /// Whom to tell that no call is left, if none is.
        mutating func takeWaiters() -> [@Sendable () -> Void] {
            guard chains.isEmpty else { return [] }
            defer { whenEmpty = [] }
            return whenEmpty
        }
    }

    private let state = Mutex(State())

    package init() {}
}

extension ChainRegistry {
    var isEmpty: Bool { state.withLock { $0.chains.isEmpty } }

    /// Keeps a call that begins, until it ends. Returns why it may not.
    func add(_ chain: InterceptorChain) -> RPCError? {
        state.withLock { state in
            if state.refusal == nil { state.chains[ObjectIdentifier(chain)] = chain }
            return state.refusal
        }
    }

    func remove(_ chain: InterceptorChain) {
        let (removed, whenEmpty) = state.withLock { state in
            let removed = state.chains.removeValue(forKey: ObjectIdentifier(chain))
            return (removed, state.takeWaiters())
        }
        // Let go of outside the lock.
        _ = removed
        for body in whenEmpty { body() }
    }

    /// Has `body` called once, when no call is left.
    package func whenEmpty(_ body: @escaping @Sendable () -> Void) {
        let waiters = state.withLock { state in
            state.whenEmpty.append(body)
            return state.takeWaiters()
        }
        for body in waiters { body() }
    }

    /// Takes no more calls, and ends those that an interceptor holds, because there will be no
    /// connection for them. The others run on.
    package func close(with error: RPCError) {
        let chains = state.withLock { state in
            state.refusal = error
            return Array(state.chains.values)
        }
        for chain in chains where chain.isHeld { chain.fail(error) }
    }

    /// Ends those that are left.
    package func endAll(with error: RPCError) {
        for chain in state.withLock({ Array($0.chains.values) }) { chain.fail(error) }
    }
}
