import SwiftletTransport
import Synchronization

// From addresses to a connection, and from one connection to the next.

extension SubchannelCore {
    /// Connects, because the balancer requested it.
    func connect() {
        let isIdle = state.withLock { $0.connectivity == .idle && !$0.isDropped }
        if isIdle { startConnecting() }
    }

    package func requestConnection() { plan.firstLoop.run { [self] in connect() } }

    func startConnecting() {
        let attempt: ConnectionAttempt? = change { state in
            guard state.attempt == nil, !state.isDropped, !state.addresses.isEmpty,
                state.links.count < state.maxConnectionCount
            else { return nil }
            // The delay counts from the beginning of the attempt.
            let (delay, timeLimit) = state.backoff.nextAttempt(
                connectTimeout: plan.arguments.connectTimeout)
            let attempt = ConnectionAttempt(
                state.addresses, serverName: state.serverName, plan: plan,
                timeLimit: timeLimit, owner: self)
            state.attempt = attempt
            state.nextAttempt = attempt.begun + delay
            // A subchannel that has failed stays in TRANSIENT_FAILURE until it is connected (proposal
            // A62): otherwise calls would wait for each new attempt instead of failing at once.
            if state.connectivity == .idle { state.move(to: .connecting) }
            return attempt
        }
        attempt?.start()
    }

    /// Makes a change under the lock, and reports a new state outside of it. The owner reads the
    /// current state when it handles the report, so the reports of two threads may be handled in
    /// either order. The channel's log gets each state, in the order of the changes.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, hasChanged, mustDeliverLog, streams) = state.withLock { state in
            let before = state.changeCount
            let result = body(&state)
            let hasChanged = state.changeCount != before
            return (
                result, hasChanged, hasChanged && appendToLog(&state), fitStreams(&state)
            )
        }
        streams.carryOut()
        if mustDeliverLog { owner.log.deliver() }
        if hasChanged { owner.subchannelChanged(self) }
        return result
    }

    /// Records the state, unless the log has it already. If it returns true, the caller delivers the
    /// log outside of the lock.
    private func appendToLog(_ state: inout State) -> Bool {
        let report = state.report(target: plan.target)
        guard !state.isDropped,
            state.loggedConnectivity != report.connectivity
                || report.connectivity == .transientFailure
        else { return false }
        state.loggedConnectivity = report.connectivity
        return owner.log.append(.subchannel(id: diagnosticID, report.connectivity, report.failure))
    }

    /// The current state, as the balancer sees it.
    var report: SubchannelState { state.withLock { $0.report(target: plan.target) } }

    func attemptSucceeded(_ attempt: ConnectionAttempt, _ link: Link) {
        let isExpected = state.withLock { $0.attempt === attempt && !$0.isDropped }
        // Noted before the state changes, so that the cause comes first in the log.
        if isExpected {
            owner.log.note(.connectionOpened(subchannel: diagnosticID, peer: link.peer))
        }
        let calls: [CallCore]? = change { state in
            guard state.attempt === attempt else { return nil }
            state.attempt = nil
            guard !state.isDropped else { return nil }
            state.links.append(link)
            state.move(to: .ready)
            return state.waiting.takeAll()
        }
        guard let calls else { return link.leave() }
        plan.metrics?.connectionOpened()
        owner.subchannelLinksChanged(self)
        for call in calls where !call.isEnded { owner.begin(call) }
    }

    func attemptFailed(_ attempt: ConnectionAttempt, _ failure: ConnectionFailure) {
        enum Next { case useOthers([CallCore]), backOff(MonotonicInstant) }
        let next: Next? = change { state in
            guard state.attempt === attempt else { return nil }
            state.attempt = nil
            guard state.links.isEmpty else {
                // The attempt was for one more connection beside the open ones.
                state.nextExtraAttempt = state.nextAttempt
                return .useOthers(state.waiting.takeAll())
            }
            return .backOff(state.backOff(after: failure, now: .now))
        }
        if next != nil { plan.metrics?.connectionFailed() }
        switch next {
        case nil: return
        case .useOthers(let calls): for call in calls where !call.isEnded { owner.begin(call) }
        case .backOff(let time): scheduleRetry(at: time)
        }
    }

    private func scheduleRetry(at time: MonotonicInstant) {
        backoffTimer.schedule(BackoffTimer(self), at: time, on: plan.firstLoop)
    }

    /// Starts the next attempt, because the delay has passed.
    fileprivate func retryAfterBackoff(now: MonotonicInstant) {
        backoffTimer.hasFired(now: now)
        guard state.withLock({ $0.connectivity == .transientFailure }) else { return }
        startConnecting()
    }

    /// Connects at once instead of at the end of the delay, because the network is back.
    func resetBackoff() {
        let (old, waits) = state.withLock { state in
            state.backoff.reset()
            state.nextExtraAttempt = nil
            // The packets that the attempt sent are lost, and the system would send them again only
            // much later.
            let old = state.attempt.take()
            return (old, old != nil || state.connectivity == .transientFailure)
        }
        backoffTimer.cancel()
        old?.cancel()
        if waits { startConnecting() }
    }

    /// The balancer has other addresses for the endpoint. Connections to addresses that are gone are
    /// drained. A new address is tried at once: the delay after failures of other addresses does
    /// not apply to it.
    func update(_ endpoint: Endpoint) {
        let addresses = endpoint.addresses.map(\.socketAddress)
        let names = Set(addresses.map { "\($0)" })
        let (drained, attempt, mustConnect): ([Link], ConnectionAttempt?, Bool) = change {
            state in
            guard
                state.addresses != addresses
                    || state.serverName != endpoint.attributes.serverName
            else { return ([], nil, false) }
            let keepsName = state.serverName == endpoint.attributes.serverName
            let hasNew = !keepsName || !names.isSubset(of: state.addresses.map { "\($0)" })
            state.addresses = addresses
            state.serverName = endpoint.attributes.serverName
            let gone = state.links.filter { !keepsName || !names.contains($0.peer) }
            state.drain(gone)
            let mustConnect =
                state.attempt != nil || (hasNew && state.connectivity == .transientFailure)
            if hasNew, mustConnect { state.backoff.reset() }
            return (gone, state.attempt.take(), mustConnect)
        }
        attempt?.cancel()
        leave(drained)
        if !drained.isEmpty { owner.subchannelLinksChanged(self) }
        guard mustConnect else { return }
        backoffTimer.cancel()
        startConnecting()
    }

    /// What the subchannel waits for now, and why it has no connection. A call that reaches its
    /// deadline reports both as causes.
    var waitState: (attempt: ConnectionAttempt?, failure: ConnectionFailure?) {
        state.withLock { ($0.attempt, $0.lastFailure) }
    }
}

extension SubchannelCore.State {
    /// The state as the balancer sees it. The target is named in the error.
    func report(target: Target) -> SubchannelState {
        if connectivity == .ready, let health { return health.subchannelState }
        guard connectivity == .transientFailure else { return SubchannelState(connectivity) }
        return SubchannelState(
            connectivity,
            failure: lastFailure?.error(target: target, nextAttempt: nextAttempt))
    }

    /// Records that an attempt to connect failed and left the subchannel without a connection.
    /// Returns the time of the next attempt.
    mutating func backOff(after failure: ConnectionFailure, now: MonotonicInstant)
        -> MonotonicInstant
    {
        lastFailure = failure
        lastFailure?.attemptNumber = backoff.attemptCount
        let next = max(nextAttempt ?? now, now)
        nextAttempt = next
        move(to: .transientFailure)
        // The failure is a new one, even when the state was the same before.
        noteChange()
        return next
    }

    /// Takes connections out of use. Their calls continue.
    mutating func drain(_ links: [Link]) {
        guard !links.isEmpty else { return }
        let drained = Set(links.map { ObjectIdentifier($0) })
        self.links.removeAll { drained.contains(ObjectIdentifier($0)) }
        leaving += links
        if self.links.isEmpty, connectivity == .ready {
            move(to: attempt == nil ? .idle : .connecting)
        }
    }
}

/// Holds the subchannel until it fires or is cancelled.
private final class BackoffTimer: TimerTarget {
    private let subchannel: SubchannelCore

    init(_ subchannel: SubchannelCore) { self.subchannel = subchannel }

    func timerFired(now: MonotonicInstant) { subchannel.retryAfterBackoff(now: now) }
}

// MARK: - Connections open and close

extension SubchannelCore: LinkOwner {
    func linkIsReady(_ link: Link) {}

    /// Begins as many waiting calls as there is room for. To look for a stream for every waiting
    /// call whenever one stream becomes free would take quadratic time.
    func linkHasRoom(_ link: Link) {
        while true {
            let count = link.roomCount
            let (calls, hasMore): ([CallCore], Bool) = state.withLock { state in
                // A connection that is drained gets no calls.
                guard state.links.contains(where: { $0 === link }) else { return ([], false) }
                let calls = state.waiting.take(upTo: count)
                return (calls, !state.waiting.isEmpty)
            }
            for call in calls where !call.isEnded { owner.begin(call) }
            guard hasMore, !link.hasEnded, !link.reportRoom() else { return }
        }
    }

    func linkIsLeaving(_ link: Link, _ goAway: GoAwayFrame) {
        if goAway.isTooManyPings { plan.doubleKeepAliveInterval() }
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

    /// Takes a connection out of use. Its calls continue.
    ///
    /// A short-lived connection that carried no call of the program counts as a failed attempt:
    /// otherwise the client would connect without a pause to a server that completes the handshake
    /// and closes.
    private func retire(
        _ link: Link, because cause: String, _ kind: DisconnectCause, isNetworkLoss: Bool = false
    ) {
        let now = MonotonicInstant.now
        typealias Next = (retry: MonotonicInstant?, calls: [CallCore])
        let next: Next? = change { state in
            guard state.links.contains(where: { $0 === link }) else { return nil }
            state.drain([link])
            let calls = state.links.isEmpty ? state.waiting.takeAll() : []
            let hasSucceeded =
                link.hasCarriedCall
                || link.age(at: now) >= plan.arguments.backoff.initial
            guard !hasSucceeded, !isNetworkLoss else {
                state.backoff.reset()
                state.lastFailure = nil
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
        owner.subchannelLinksChanged(self)
        for call in next.calls where !call.isEnded { owner.begin(call) }
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
        if isEmpty { owner.subchannelIsEmpty(self) }
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
    /// Takes no more calls and connects no more. Returns the calls that waited here.
    @discardableResult
    func drop() -> [CallCore] {
        let (links, attempt, calls, isEmpty, streams) = state.withLock { state in
            state.isDropped = true
            let links = state.links
            state.drain(links)
            return (
                links, state.attempt.take(), state.waiting.takeAll(), state.leaving.isEmpty,
                fitStreams(&state)
            )
        }
        streams.carryOut()
        backoffTimer.close()
        attempt?.cancel()
        leave(links)
        if isEmpty { owner.subchannelIsEmpty(self) }
        return calls
    }

    /// Makes the next call open a new connection. Calls on the current ones continue.
    func drainAll() {
        let links = change { state in
            let links = state.links
            state.drain(links)
            return links
        }
        leave(links)
        if !links.isEmpty { owner.subchannelLinksChanged(self) }
    }

    /// Drains the connections without calls. If no connection has calls, one is kept.
    func drainSpares() {
        let links = change { state in
            var idle = state.links.filter { $0.callCount == 0 }
            if idle.count == state.links.count { idle = Array(idle.dropFirst()) }
            state.drain(idle)
            return idle
        }
        leave(links)
    }

    /// Closes connections that are out of use, after their last calls.
    private func leave(_ links: [Link]) {
        plan.metrics?.disconnected(.subchannelShutdown, count: links.count)
        for link in links { link.leave() }
    }

    /// The open connections, including those that are drained.
    var allLinks: [Link] { state.withLock { $0.links + $0.leaving } }

    var hasCalls: Bool {
        state.withLock { state in
            !state.waiting.isEmpty
                || (state.links + state.leaving).contains {
                    $0.callCount > state.streams.callCount(on: $0)
                }
        }
    }

    var hasWaitingCalls: Bool { state.withLock { !$0.waiting.isEmpty } }

    func takeWaiting(where isTaken: (CallCore) -> Bool) -> [CallCore] {
        state.withLock { $0.waiting.take(where: isTaken) }
    }

    /// Whether the subchannel was dropped and its last connection has ended.
    var isOver: Bool {
        state.withLock { $0.isDropped && $0.links.isEmpty && $0.leaving.isEmpty }
    }

    var isEmpty: Bool { state.withLock { $0.links.isEmpty && $0.leaving.isEmpty } }

    var counts: ChannelCounts {
        state.withLock { state in
            (state.links + state.leaving).reduce(into: state.pastCounts) { $0 += $1.counts }
        }
    }
}
