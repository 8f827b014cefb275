import SwiftletTransport
import Synchronization

// Idle connections, and the end of a channel.

extension ChannelCore: ChannelBackend {
    var isSecure: Bool { credentials.isSecure }

    var connectivity: ConnectivityState { state.withLock { $0.connectivity } }

    func connectivityChanges() -> AsyncStream<ConnectivityState> {
        let (stream, continuation) = AsyncStream.makeStream(of: ConnectivityState.self)
        let watcher: UInt64? = state.withLock { state in
            continuation.yield(state.connectivity)
            guard state.connectivity != .shutdown else { return nil }
            state.nextWatcher += 1
            state.watchers[state.nextWatcher] = continuation
            return state.nextWatcher
        }
        guard let watcher else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.watchers.removeValue(forKey: watcher) }
        }
        return stream
    }

    func channelWasReleased() {
        state.withLock { $0.isReleased = true }
        shutDownIfReleased()
    }

    /// Nobody can make calls any more; those that wait for a connection get it, or hear why not, and
    /// so does one that its server sends elsewhere.
    func shutDownIfReleased() {
        let (links, isOver): ([Link], Bool) = state.withLock { state in
            guard state.isReleased, state.connectivity != .shutdown,
                state.waiting.allSatisfy(\.isEnded)
            else { return ([], false) }
            return (state.takeLinks(), state.leaving.isEmpty)
        }
        for link in links { link.leave() }
        if isOver { shutDown() }
    }

    func close(grace: Duration) async {
        let links = shutDown()
        if grace > .zero, links.contains(where: { $0.callCount > 0 }) || !chains.isEmpty {
            await ClosingWait(links, chains, loop: loop).wait(until: .now + grace)
        }
        for link in links { link.cancelCalls() }
        chains.cancelAll()
    }

    /// Takes no calls any more. Returns the connections whose calls run on.
    @discardableResult
    func shutDown() -> [Link] {
        let (links, calls, attempt, timers, watchers) = state.withLock { state in
            state.move(to: .shutdown)
            // Those that an earlier end with a longer grace waits for as well.
            let links = state.links + state.leaving + state.closing.compactMap(\.link)
            state.closing = links.map { ClosingLink(link: $0) }
            let timers = [state.backoffTimer.take(), state.idleTimer.take()].compactMap(\.self)
            let watchers = Array(state.watchers.values)
            state.watchers = [:]
            state.links = []
            state.leaving = []
            return (links, state.takeWaiting(), state.attempt.take(), timers, watchers)
        }
        for watcher in watchers { watcher.finish() }
        for timer in timers { loop.cancel(timer) }
        attempt?.cancel()
        let error = closedError
        for call in calls { call.end(with: error, isImmediate: true) }
        chains.close(with: error)
        for link in links { link.leave() }
        return links
    }
}

/// A connection of a channel that was closed, for as long as its calls keep it.
struct ClosingLink: Sendable {
    weak var link: Link?
}

// MARK: - Idle

extension ChannelCore: TimerTarget {
    func scheduleIdleCheck() {
        guard let timeout = arguments.effectiveIdleTimeout else { return }
        let isScheduled = state.withLock { $0.idleTimer != nil || $0.links.isEmpty }
        guard !isScheduled else { return }
        let timer = loop.schedule(self, at: .now + timeout)
        let isNeeded = state.withLock { state in
            guard state.connectivity != .shutdown, state.idleTimer == nil else { return false }
            state.idleTimer = timer
            return true
        }
        if !isNeeded { loop.cancel(timer) }
    }

    func leaveConnections() {
        for link in state.withLock({ $0.takeLinks() }) { link.leave() }
    }

    /// Looks whether the channel was used since the last time; so a call costs no timer.
    func timerFired(now: MonotonicInstant) {
        let idle: [Link] = state.withLock { state in
            state.idleTimer = nil
            // Its calls have used it until now.
            defer { state.wasUsed = state.links.contains { $0.callCount > 0 } }
            var idle = state.links.filter { $0.callCount == 0 }
            // In use; of several connections those that are not needed go all the same.
            if state.wasUsed, idle.count == state.links.count { idle = Array(idle.dropFirst()) }
            guard !idle.isEmpty else { return [] }
            state.leaving += idle
            state.links.removeAll { link in idle.contains { $0 === link } }
            if state.links.isEmpty { state.move(to: state.stateWithoutLinks) }
            return idle
        }
        for link in idle { link.leave() }
        scheduleIdleCheck()
    }
}
