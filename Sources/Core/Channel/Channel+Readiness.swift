import SwiftletTransport

extension Channel {
    /// Connects, and waits until the channel is READY.
    ///
    /// ```swift
    /// try await channel.ready(within: .seconds(5))
    /// ```
    ///
    /// Failed attempts to connect are repeated meanwhile, as for calls. Throws DEADLINE_EXCEEDED with the last failure
    /// when the time has passed, UNAVAILABLE if the channel is closed, and CANCELLED if the task is cancelled.
    ///
    /// - Parameter limit: The longest time to wait.
    public func ready(within limit: Duration) async throws(RPCError) {
        guard connectivity != .ready else { return }
        let end = await withTaskGroup(of: WaitEnd.self) { group in
            group.addTask { await self.waitUntilReady() }
            group.addTask {
                let hasSlept: Void? = try? await Task.sleep(
                    for: min(limit, .seconds(Int64(1) << 31)))
                return hasSlept == nil ? .cancelled : .late
            }
            defer { group.cancelAll() }
            return await group.next() ?? .cancelled
        }
        switch end {
        case .ready: return
        case .closed:
            throw RPCError(.unavailable, "the channel to \(backend.authority) is closed")
                .notExecuted
        case .cancelled: throw RPCError(.cancelled, "the task was cancelled").notExecuted
        case .late: throw lateError(after: limit)
        }
    }

    /// Leaves all connections and connects again, for example because the network or a certificate has changed. The
    /// names of servers are looked up again, and delays after failures end.
    ///
    /// Running calls continue on their connections, which are closed after them. New calls wait for the new
    /// connections. An idle channel has no connections and stays idle. A channel that is closed stays closed.
    public func reconnect() { core?.reconnect() }

    private enum WaitEnd {
        case ready, closed, cancelled, late
    }

    private func waitUntilReady() async -> WaitEnd {
        for await state in connectivityChanges {
            switch state {
            case .ready: return .ready
            case .shutdown: return .closed
            case .idle: connect()
            case .connecting, .transientFailure: continue
            }
        }
        return .cancelled
    }

    private func lateError(after limit: Duration) -> RPCError {
        let seconds = limit.text(in: .seconds(1), digitCount: 3)
        let message = { [authority = backend.authority] (state: ConnectivityState) in
            "the channel to \(authority) was not ready within \(seconds) s: it is \(state.protocolName)"
        }
        return (core?.lateError(message) ?? RPCError(.deadlineExceeded, message(connectivity)))
            .notExecuted
    }
}
