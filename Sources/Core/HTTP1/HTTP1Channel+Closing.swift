import SwiftletTransport
import Synchronization

// How an HTTP/1.1 channel ends.

extension HTTP1Channel: ChannelBackend, QueueChannel, NetworkFollower {
    var isSecure: Bool { credentials.isSecure }

    var connectivity: ConnectivityState { state.withLock { $0.connectivity } }

    func connectivityChanges() -> AsyncStream<ConnectivityState> {
        state.withLock { state in
            state.followers.follow(
                from: state.connectivity, isLast: state.connectivity == .shutdown)
        }
    }

    func connect() {
        loop.run { [self] in
            if change({ $0.pool.beginAttempt(now: .now) && !$0.isShutDown }) { connectOnce() }
        }
    }

    func leaveConnections() {
        loop.run { [self] in
            let idle = change { state in
                state.leaving = state.pool.busy
                return state.pool.takeFree()
            }
            for link in idle { link.end("the connection was left") }
        }
    }

    func channelWasReleased() {
        state.withLock { $0.isReleased = true }
        loop.run { [self] in endIfReleased() }
    }

    func endIfReleased() {
        let isOver = state.withLock { state in
            state.isReleased && !state.isShutDown && state.pool.isUnused
        }
        if isOver { shutDown() }
    }

    func queueWasShutDown() { shutDown() }

    /// Rejects new calls. Calls that have a connection continue.
    func shutDown() {
        let error = closedError
        typealias Left = ([HTTP1Link], [CallCore], [HTTP1Attempt])
        let left: Left? = change { state in
            guard !state.isShutDown else { return nil }
            state.isShutDown = true
            let attempts = Array(state.attempts.values)
            state.attempts = [:]
            return (state.pool.takeFree(), state.pool.takeWaiting(), attempts)
        }
        guard let (idle, calls, attempts) = left else { return }
        queue.remove(self)
        arguments.connectivityMonitor?.remove(self)
        timer.close()
        idleTimer.close()
        for attempt in attempts { attempt.cancel() }
        for call in calls { call.end(with: error, isImmediate: true) }
        openCalls.close(with: error)
        loop.run { for link in idle { link.end("the channel was closed") } }
        whenOver?()
    }

    func close(grace: Duration) async {
        shutDown()
        if grace > .zero { await waitForCalls(until: .now + grace) }
        let error = RPCError(.cancelled, "the channel to \(target) was closed")
        failBusyCalls(error)
        // The loop may be giving a call to a connection, which has no call yet.
        loop.run { [self] in failBusyCalls(error) }
        openCalls.endAll(with: error)
        guard queue.mode == .ownThread || loop.isCurrent else { return }
        // Waits for the loop, on which the connections end.
        await Resumption<Void>.wait { waiter in loop.run { waiter.resume() } }
    }

    private func failBusyCalls(_ error: RPCError) {
        for link in state.withLock({ $0.pool.busy }) { link.call?.fail(error) }
    }

    /// Returns at the deadline at the latest, and at once when the calling task is cancelled.
    private func waitForCalls(until deadline: MonotonicInstant) async {
        let wait = HTTP1ClosingWait()
        let isBusy = state.withLock { state in
            if !state.pool.busy.isEmpty { state.closers.append(wait) }
            return !state.pool.busy.isEmpty
        }
        if !isBusy { wait.connectionsEnded() }
        openCalls.whenEmpty { wait.heldCallsEnded() }
        await wait.wait(until: deadline, on: loop)
    }

    func networkChanged(isConnected: Bool, _ monitor: ConnectivityMonitor) {
        guard !isConnected else {
            change { $0.pool.resetBackoff() }
            return loop.run { [self] in advance() }
        }
        loop.run { [self] in
            let links = state.withLock { $0.pool.links }
            for link in links where monitor.includesLocal || !link.isLocal {
                link.end("the machine has lost its network", StatusMapping.networkLoss)
            }
            var error = StatusMapping.networkLoss.notExecuted
            error.phase = .connect
            for call in change({ $0.pool.takeWaiting { !$0.waitsForReady } }) {
                call.end(with: error, isImmediate: true)
            }
        }
    }
}
