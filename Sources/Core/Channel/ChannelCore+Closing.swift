import SwiftletTransport
import Synchronization

// Idle connections, and the end of a channel.

extension ChannelCore: ChannelBackend {
    var isSecure: Bool { credentials.isSecure }

    var connectivity: ConnectivityState { state.withLock { $0.connectivity } }

    func connectivityChanges() -> AsyncStream<ConnectivityState> {
        state.withLock { state in
            state.followers.follow(
                from: state.connectivity, isLast: state.connectivity == .shutdown)
        }
    }

    func channelWasReleased() {
        state.withLock { $0.isReleased = true }
        shutDownIfReleased()
    }

    /// Nobody can make calls any more; those that wait for a connection get it, or hear why not, and
    /// so does one that its server sends elsewhere.
    func shutDownIfReleased() {
        typealias Left = (links: [Link], ConnectionAttempt?, backoff: TimerHandle?, isOver: Bool)
        let left: Left? = change { state in
            guard state.isReleased, state.connectivity != .shutdown,
                state.waiting.allSatisfy(\.isEnded)
            else { return nil }
            let (attempt, backoff) = (state.attempt.take(), state.backoffTimer.take())
            let links = state.takeLinks()
            // Nobody is there to connect for. A call that its server sends elsewhere begins anew.
            state.move(to: .idle)
            return (links, attempt, backoff, state.leaving.isEmpty)
        }
        guard let (links, attempt, backoff, isOver) = left else { return }
        attempt?.cancel()
        if let backoff { loop.cancel(backoff) }
        for link in links { link.leave() }
        if isOver { shutDown() }
    }

    func close(grace: Duration) async {
        let links = shutDown()
        if grace > .zero, links.contains(where: { $0.callCount > 0 }) || !chains.isEmpty {
            await ClosingWait(for: links, chains, loop: loop).wait(until: .now + grace)
        }
        let error = RPCError(.cancelled, "the channel to \(target) was closed")
        for link in links { link.endCalls(with: error) }
        chains.endAll(with: error)
        await wait(forEndOf: links)
    }

    /// They end on the loop, behind their last words: a program may end as soon as it has waited for
    /// this. Of a queue that is turned by hand nobody knows when it is turned again, unless this is
    /// its turn.
    private func wait(forEndOf links: [Link]) async {
        guard queue.mode == .ownThread || loop.isCurrent else { return }
        let open = links.filter { !$0.hasEnded }
        if !open.isEmpty {
            await ClosingWait(for: open, loop: loop).wait(until: .now + Self.endPatience)
        }
        // What has ended may still be at its last words, on the loop.
        await Resumption<Void>.wait { waiter in loop.run { waiter.resume() } }
    }

    /// An end waits for no peer, only for who is writing just then.
    private static let endPatience = Duration.seconds(5)

    /// Takes no calls any more. Returns the connections whose calls run on.
    @discardableResult
    func shutDown() -> [Link] {
        let (links, calls, attempt, timers) = change { state in
            state.move(to: .shutdown)
            // Those that an earlier end with a longer grace waits for as well.
            let links = state.links + state.leaving + state.closing.compactMap(\.link)
            state.closing = links.map { ClosingLink(link: $0) }
            let timers = [state.backoffTimer.take(), state.idleTimer.take()].compactMap(\.self)
            state.links = []
            state.leaving = []
            return (links, state.takeWaiting(), state.attempt.take(), timers)
        }
        queue.letGo(of: self)
        arguments.connectivityMonitor?.letGo(of: self)
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
        for link in change({ $0.takeLinks() }) { link.leave() }
    }

    /// Looks whether the channel was used since the last time; so a call costs no timer.
    func timerFired(now: MonotonicInstant) {
        let idle: [Link] = change { state in
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
