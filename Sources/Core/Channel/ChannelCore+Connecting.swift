import SwiftletTransport
import Synchronization

// From an address to a connection, and what happens when it goes away.

extension ChannelCore {
    func connect() {
        let isIdle = state.withLock { $0.connectivity == .idle }
        if isIdle { startConnecting() }
    }

    func startConnecting() {
        let attempt: ConnectionAttempt? = change { state in
            guard state.attempt == nil, state.connectivity != .shutdown,
                state.links.count < max(1, arguments.maxConnectionCount)
            else { return nil }
            let attempt = ConnectionAttempt(
                target, credentials: credentials, arguments: arguments,
                configuration: connectionConfiguration(keepAliveFactor: state.keepAliveFactor),
                loop: loop, owner: self)
            state.attempt = attempt
            // A channel that has failed is not "connecting" again until it has succeeded:
            // otherwise calls would wait for each new attempt instead of failing at once.
            if state.connectivity == .idle { state.move(to: .connecting) }
            return attempt
        }
        attempt?.start()
    }

    /// The loop's time for the next attempt has come.
    fileprivate func retryAfterBackoff() {
        state.withLock { $0.backoffTimer = nil }
        startConnecting()
    }

    func attemptSucceeded(_ attempt: ConnectionAttempt, _ link: Link) {
        let calls: [CallCore]? = change { state in
            guard state.attempt === attempt else { return nil }
            state.attempt = nil
            guard state.connectivity != .shutdown else { return nil }
            state.links.append(link)
            state.backoff.reset()
            state.lastFailure = nil
            state.move(to: .ready)
            return state.takeWaiting()
        }
        guard let calls else { return link.leave() }
        for call in calls where !call.isEnded { begin(call) }
        scheduleIdleCheck()
        shutDownIfReleased()
    }

    func attemptFailed(_ attempt: ConnectionAttempt, _ failure: ConnectionFailure) {
        let now = MonotonicInstant.now
        /// Nil as the delay: there are other connections, and the calls go to those.
        let result: ([CallCore], MonotonicInstant, Duration?)? = change { state in
            guard state.attempt === attempt else { return nil }
            state.attempt = nil
            let delay = state.backoff.next()
            let next = max(now, attempt.begun + delay)
            guard state.links.isEmpty else {
                // The others go on; this one would only have been one more.
                state.nextExtraAttempt = next
                return (state.takeWaiting(), next, nil)
            }
            var failure = failure
            failure.attemptNumber = state.backoff.failureCount
            state.lastFailure = failure
            state.nextAttempt = next
            state.move(to: .transientFailure)
            return (state.takeWaiting { !$0.head.waitForReady }, next, next - now)
        }
        guard let (calls, next, delay) = result else { return }
        guard let delay else {
            for call in calls where !call.isEnded { begin(call) }
            return shutDownIfReleased()
        }
        var full = failure
        full.attemptNumber = state.withLock { $0.backoff.failureCount }
        for call in calls {
            call.end(with: full.error(target: target, nextIn: delay), isImmediate: true)
        }
        let timer = loop.schedule(BackoffTimer(self), at: next)
        let isOver = state.withLock { state in
            // Meanwhile the channel may have been closed, or the network have come back.
            guard state.connectivity == .transientFailure, state.attempt == nil,
                state.nextAttempt == next
            else { return true }
            state.backoffTimer = timer
            return false
        }
        if isOver { loop.cancel(timer) }
        shutDownIfReleased()
    }

    private func connectionConfiguration(keepAliveFactor: Int) -> ConnectionConfiguration {
        var configuration = arguments.connectionConfiguration
        configuration.keepAlive?.interval *= keepAliveFactor
        return configuration
    }

    /// The network is back: no need to wait any longer.
    func resetBackoff() {
        let (timer, old, waits) = state.withLock { state in
            state.backoff.reset()
            state.nextExtraAttempt = nil
            // What it has sent is lost, and would be sent again at the system's leisure.
            let old = state.attempt.take()
            return (
                state.backoffTimer.take(), old,
                old != nil || state.connectivity == .transientFailure
            )
        }
        if let timer { loop.cancel(timer) }
        old?.cancel()
        if waits { startConnecting() }
    }
}

/// Lets go of its channel when that is closed before the time has come.
private final class BackoffTimer: TimerTarget {
    private let channel: ChannelCore

    init(_ channel: ChannelCore) { self.channel = channel }

    func timerFired(now: MonotonicInstant) { channel.retryAfterBackoff() }
}

// MARK: - Connections come and go

extension ChannelCore: LinkOwner {
    func linkIsReady(_ link: Link) {}

    /// As many calls as there is room for: to look for a place for all of them whenever there is
    /// one would take the square of their number.
    func linkHasRoom(_ link: Link) {
        while true {
            let count = link.roomCount
            let (calls, hasMore): ([CallCore], Bool) = state.withLock { state in
                // One that is left takes none of them.
                guard state.links.contains(where: { $0 === link }) else { return ([], false) }
                return (state.takeWaiting(upTo: count), !state.waiting.isEmpty)
            }
            for call in calls where !call.isEnded { begin(call) }
            guard hasMore, !link.hasEnded, !link.reportRoom() else { return }
        }
    }

    func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame) {
        change { state in
            if goAway.isTooManyPings { state.keepAliveFactor = min(state.keepAliveFactor * 2, 64) }
            if state.remove(link) { state.leaving.append(link) }
        }
        reconnectIfNeeded()
    }

    /// A connection has refused a call: it is over, or the server has said GOAWAY and that was not
    /// told yet, or it has no identifiers left. Its calls run on.
    func leaveRefusing(_ link: Link) {
        change { state in
            if state.remove(link) { state.leaving.append(link) }
        }
        link.leave()
        // It may have ended before it stood among those that are leaving.
        if link.hasEnded { drop(link) }
        reconnectIfNeeded()
    }

    func linkEnded(_ link: Link, _ error: LinkError) {
        drop(link)
        shutDownIfReleased()
    }

    private func drop(_ link: Link) {
        change { state in
            let wasLeaving = state.leaving.contains { $0 === link }
            state.leaving.removeAll { $0 === link }
            if state.remove(link) || wasLeaving { state.pastCounts += link.counts }
        }
        reconnectIfNeeded()
    }

    var counts: ChannelCounts {
        state.withLock { state in
            (state.links + state.leaving).reduce(into: state.pastCounts) { $0 += $1.counts }
        }
    }

    private func reconnectIfNeeded() {
        let isNeeded = state.withLock { state in
            state.connectivity == .idle && state.waiting.contains { !$0.isEnded }
        }
        if isNeeded { startConnecting() }
    }
}

extension GoAwayFrame {
    /// A server's way to say that our keep-alive is a nuisance (proposal A8).
    var isTooManyPings: Bool {
        code == .enhanceYourCalm && debugData == Array("too_many_pings".utf8)
    }
}
