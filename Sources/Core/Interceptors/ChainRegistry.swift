import Synchronization

/// A channel's running calls that have interceptors. A call that an interceptor holds is on no
/// connection, so only this registry can end it.
package final class ChainRegistry: Sendable {
    private struct State {
        var chains: [ObjectIdentifier: InterceptorChain] = [:]
        /// Why no more calls are accepted.
        var refusal: RPCError?
        var whenEmpty: [@Sendable () -> Void] = []

        /// The closures to call, if no call is left.
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

    /// Registers a call until `remove(_:)`. When calls are no longer accepted, returns the error
    /// that the call must fail with, and does not register it.
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
        // Released outside the lock.
        _ = removed
        for body in whenEmpty { body() }
    }

    /// Calls `body` once, when no call is left.
    package func whenEmpty(_ body: @escaping @Sendable () -> Void) {
        let waiters = state.withLock { state in
            state.whenEmpty.append(body)
            return state.takeWaiters()
        }
        for body in waiters { body() }
    }

    /// Accepts no more calls, and ends those that an interceptor holds, because there will be no
    /// connection for them. The other calls continue.
    package func close(with error: RPCError) {
        let chains = state.withLock { state in
            state.refusal = error
            return Array(state.chains.values)
        }
        for chain in chains where chain.isHeld { chain.fail(error) }
    }

    /// Ends all calls.
    package func endAll(with error: RPCError) {
        for chain in state.withLock({ Array($0.chains.values) }) { chain.fail(error) }
    }
}
