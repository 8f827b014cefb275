import Synchronization

/// A call that is not always on a connection: one with interceptors, call credentials, or a retry policy.
package protocol RegisteredCall: CallRequests {
    /// The channel accepts no more calls, and makes no more connections. Ends a call that cannot
    /// continue without them.
    func channelWasClosed(_ error: RPCError)
}

/// A channel's running calls that are not always on a connection. A call that an interceptor holds, that waits for its
/// credentials or for the service config, or whose next attempt is not sent yet, is on none, so only this registry can
/// end it.
package final class CallRegistry: Sendable {
    private struct State: ~Copyable {
        var calls: [ObjectIdentifier: any RegisteredCall] = [:]
        /// Why no more calls are accepted.
        var refusal: RPCError?
        var whenEmpty: [@Sendable () -> Void] = []

        /// The closures to call, if no call is left.
        mutating func takeWaiters() -> [@Sendable () -> Void] {
            guard calls.isEmpty else { return [] }
            defer { whenEmpty = [] }
            return whenEmpty
        }
    }

    private let state = Mutex(State())

    package init() {}
}

extension CallRegistry {
    var isEmpty: Bool { state.withLock { $0.calls.isEmpty } }

    /// Registers a call until `remove(_:)`. When calls are no longer accepted, returns the error
    /// that the call must fail with, and does not register it.
    package func add(_ call: any RegisteredCall) -> RPCError? {
        state.withLock { state in
            if state.refusal == nil { state.calls[ObjectIdentifier(call)] = call }
            return state.refusal
        }
    }

    package func remove(_ call: any RegisteredCall) {
        let (removed, whenEmpty) = state.withLock { state in
            let removed = state.calls.removeValue(forKey: ObjectIdentifier(call))
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

    /// Accepts no more calls, and ends those that need another connection, because there will be
    /// none for them. The other calls continue.
    package func close(with error: RPCError) {
        let calls = state.withLock { state in
            state.refusal = error
            return Array(state.calls.values)
        }
        for call in calls { call.channelWasClosed(error) }
    }

    /// Ends all calls.
    package func endAll(with error: RPCError) {
        for call in state.withLock({ Array($0.calls.values) }) { call.fail(error) }
    }
}
