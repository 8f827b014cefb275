import SwiftletTransport
import Synchronization

// How the subchannel's connections open, close and end.

extension SubchannelCore: LinkOwner {
    func linkIsReady(_ link: Link) {}

    /// Begins as many waiting calls as there is room for. Beginning every waiting call whenever one
    /// stream becomes free would take quadratic time.
    func linkHasRoom(_ link: Link) {
        while true {
            let count = link.roomCount
            let (calls, hasMore): ([CallCore], Bool) = state.withLock { state in
                // A connection that is drained gets no calls.
                guard state.links.contains(where: { $0 === link }) else { return ([], false) }
                let calls = state.handOut(upTo: count)
                return (calls, !state.waiting.isEmpty)
            }
            beginHandedOut(calls)
            guard hasMore, !link.hasEnded, !link.reportRoom() else { return }
        }
    }

    func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame) {
        if goAway.isTooManyPings, link.notePingComplaint() { plan.doubleKeepAliveInterval() }
        retire(
            link, because: "the server sent GOAWAY (\(goAway.code)) before it carried a call",
            .goAway(goAway.code))
    }

    /// A connection has refused a call: it has ended, or its server has sent a GOAWAY that was not
    /// reported yet, or it has no stream identifiers left. Its other calls continue.
    func drainRefusing(_ link: Link) {
        retire(
            link, because: link.endCause ?? "the connection refused a call", link.disconnectCause)
        link.leave()
        // The connection may have ended before it was added to the draining ones.
        if link.hasEnded { forget(link) }
    }

    func linkEnded(_ link: Link, _ error: LinkError) {
        owner.log.note(
            .connectionClosed(subchannel: diagnosticID, peer: link.peer, cause: error.cause))
        retire(
            link, because: error.cause, .failed(error.kind), isNetworkLoss: error.isNetworkLoss)
        forget(link)
    }

    /// Stops the use of a connection for new calls. Its calls continue. If the connection has not
    /// succeeded, this counts as a failed attempt, except for a graceful drain: a server may end any
    /// connection that it does not need. Two such drains in a row count: otherwise the client would connect
    /// without a pause to a server that drains each connection at once.
    private func retire(
        _ link: Link, because cause: String, _ kind: DisconnectCause, isNetworkLoss: Bool = false
    ) {
        let now = MonotonicInstant.now
        typealias Next = (retry: MonotonicInstant?, calls: [CallCore])
        let next: Next? = change { state in
            guard state.links.contains(where: { $0 === link }) else { return nil }
            let calls = state.drain([link], at: now)
            let wasDrainedBefore = state.wasDrainedEarly
            state.wasDrainedEarly = false
            guard !state.hasSucceeded(link, at: now) else { return (nil, calls) }
            guard !isNetworkLoss else {
                state.noteSuccess()
                return (nil, calls)
            }
            if kind == .goAway(.noError), !wasDrainedBefore {
                state.wasDrainedEarly = true
                return (nil, calls)
            }
            guard state.links.isEmpty, state.attempt == nil, !state.isDropped
            else { return (nil, calls) }
            let failure = ConnectionFailure(
                phase: .http2, attempts: [(link.peer, "connect \(link.peer): \(cause)")])
            return (state.backOff(after: failure, now: now), calls)
        }
        guard let next else { return }
        plan.metrics?.disconnected(kind)
        if let time = next.retry { scheduleRetry(at: time) }
        linksChanged(pickingFor: next.calls)
    }

    /// Reports that connections were opened or drained. Then the owner picks again for calls that
    /// waited for a stream.
    func linksChanged(pickingFor calls: [CallCore]) {
        owner.subchannelLinksChanged(self)
        beginHandedOut(calls)
    }

    /// Sets the most connections (proposal A105). Connections above a lower limit stay open until they are
    /// spare.
    func setMaxConnectionCount(_ count: Int) {
        let isChange = state.withLock { state in
            defer { state.maxConnectionCount = max(1, count) }
            return state.maxConnectionCount != max(1, count)
        }
        // A subchannel with one connection has a direct route.
        if isChange { owner.subchannelLinksChanged(self) }
    }

    /// Picks again for calls that were taken from the waiting ones.
    func beginHandedOut(_ calls: [CallCore]) {
        guard !calls.isEmpty else { return }
        for call in calls where !call.isEnded { owner.begin(call) }
        let hasOthers = state.withLock { state in
            state.handedOutCount -= calls.count
            return state.hasWaitingCalls
        }
        if !hasOthers { owner.subchannelUseEnded(self) }
    }

    /// A connection has ended.
    private func forget(_ link: Link) {
        let (wasOpen, isEmpty) = state.withLock { state in
            let count = state.leaving.count
            state.leaving.removeAll { $0 === link }
            let wasOpen = state.leaving.count < count
            if wasOpen { state.pastCounts += link.counts }
            return (wasOpen, state.leaving.isEmpty && state.links.isEmpty)
        }
        if wasOpen { plan.metrics?.connectionClosed() }
        if isEmpty { owner.subchannelUseEnded(self) }
    }
}

extension SubchannelCore.State {
    fileprivate var hasWaitingCalls: Bool { !waiting.isEmpty || handedOutCount > 0 }

    /// Takes the first waiting calls, as ``WaitingCalls/take(upTo:)`` does.
    mutating func handOut(upTo count: Int) -> [CallCore] {
        let calls = waiting.take(upTo: count)
        handedOutCount += calls.count
        return calls
    }

    /// Takes all waiting calls.
    mutating func handOutAll() -> [CallCore] {
        let calls = waiting.takeAll()
        handedOutCount += calls.count
        return calls
    }
}

extension GoAwayFrame {
    /// Whether the server reports that it gets too many PINGs (proposal A8).
    var isTooManyPings: Bool {
        code == .enhanceYourCalm && debugData == Array("too_many_pings".utf8)
    }
}

// MARK: - The end

extension SubchannelCore {
    /// Ends the subchannel: it accepts no more calls and does not connect again. Picks again for the
    /// calls that waited here.
    func drop() {
        let (links, attempt, calls, isEmpty, streams) = state.withLock { state in
            state.isDropped = true
            let links = state.links
            let calls = state.drain(links, at: .now)
            return (
                links, state.attempt.take(), calls, state.leaving.isEmpty, fitStreams(&state)
            )
        }
        streams.carryOut()
        backoffTimer.close()
        attempt?.cancel()
        leave(links)
        if isEmpty { owner.subchannelUseEnded(self) }
        beginHandedOut(calls)
    }

    /// Makes the next call open a new connection. Calls on the current ones continue.
    func drainAll() {
        let (links, calls) = change { state in
            let links = state.links
            return (links, state.drain(links, at: .now))
        }
        leave(links)
        if !links.isEmpty { linksChanged(pickingFor: calls) }
    }

    /// Drains the connections without calls. If no connection has calls, one is kept.
    func drainSpares() {
        let links = change { state in
            var idle = state.links.filter { $0.callCount == 0 }
            if idle.count == state.links.count { idle = Array(idle.dropFirst()) }
            // One connection is left, so the waiting calls stay.
            _ = state.drain(idle, at: .now)
            return idle
        }
        leave(links)
    }

    /// Closes drained connections after their last calls.
    func leave(_ links: [Link]) {
        plan.metrics?.disconnected(.subchannelShutdown, count: links.count)
        for link in links { link.leave() }
    }

    /// The open connections, including those that are drained.
    var allLinks: [Link] { state.withLock { $0.links + $0.leaving } }

    var hasCalls: Bool {
        state.withLock { state in
            state.hasWaitingCalls
                || (state.links + state.leaving).contains {
                    $0.callCount > state.streams.callCount(on: $0)
                }
        }
    }

    /// Whether calls wait for a stream, or were taken from the waiting ones and have not begun again.
    var hasWaitingCalls: Bool { state.withLock { $0.hasWaitingCalls } }

    func takeWaiting(where isTaken: (CallCore) -> Bool) -> [CallCore] {
        state.withLock { $0.waiting.take(where: isTaken) }
    }

    /// Whether the subchannel was dropped, its last connection has ended, and no call waits here.
    var isOver: Bool {
        state.withLock {
            $0.isDropped && $0.links.isEmpty && $0.leaving.isEmpty && !$0.hasWaitingCalls
        }
    }

    var isEmpty: Bool { state.withLock { $0.links.isEmpty && $0.leaving.isEmpty } }

    var counts: ChannelCounts {
        state.withLock { state in
            (state.links + state.leaving).reduce(into: state.pastCounts) { $0 += $1.counts }
        }
    }
}
