import SwiftletTransport
import Synchronization

// How a subchannel connects, and connects again after a failure.

extension SubchannelCore {
    /// Connects, because the balancer requested it.
    func connect() { startConnecting { $0.connectivity == .idle } }

    package func requestConnection() { plan.firstLoop.run { [self] in connect() } }

    /// Starts an attempt, if the state allows one and meets `condition`, which is checked under the lock.
    func startConnecting(if condition: (State) -> Bool = { _ in true }) {
        let attempt: ConnectionRace<Link>? = change { state in
            guard state.attempt == nil, !state.isDropped, !state.addresses.isEmpty,
                state.links.count < state.maxConnectionCount, condition(state)
            else { return nil }
            // The delay counts from the beginning of the attempt.
            let (delay, timeLimit) = state.beginAttempt(
                connectTimeout: plan.arguments.connectTimeout, at: .now)
            let attempt = plan.race(
                state.order.ordered(state.addresses), serverNames: state.serverNames,
                timeLimit: timeLimit)
            state.attempt = attempt
            state.nextAttempt = attempt.begun + delay
            // A subchannel that has failed stays in TRANSIENT_FAILURE until it is connected (proposal
            // A62): otherwise calls would wait for each new attempt instead of failing at once.
            if state.connectivity == .idle { state.move(to: .connecting) }
            return attempt
        }
        guard let attempt else { return }
        Task(executorPreference: attempt.loop) { [self] in
            do throws(ConnectionFailure) {
                let win = try await attempt.run()
                attemptSucceeded(attempt, win.connection, named: win.candidate.serverName)
            } catch {
                attemptFailed(attempt, error)
            }
        }
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

    /// The current state, as it is reported to the balancer.
    var report: SubchannelState { state.withLock { $0.report(target: plan.target) } }

    /// The part of a failed ``report`` that changes with time. Nil if the subchannel has not failed.
    var reconnection: RPCError.Reconnection? {
        state.withLock { state in
            guard state.connectivity == .transientFailure else { return nil }
            return state.lastFailure?.reconnection(nextAttempt: state.nextAttempt)
        }
    }

    private func attemptSucceeded(
        _ attempt: ConnectionRace<Link>, _ link: Link, named peerName: String?
    ) {
        let isExpected = state.withLock { $0.attempt === attempt && !$0.isDropped }
        // Noted before the state changes, so that the cause comes first in the log.
        if isExpected {
            owner.log.note(.connectionOpened(subchannel: diagnosticID, peer: link.peer))
        }
        var isGone = false
        let calls: [CallCore]? = change { state in
            guard state.attempt === attempt else { return nil }
            state.attempt = nil
            guard !state.isDropped else { return nil }
            guard state.lists(link.peer, named: peerName) else {
                isGone = true
                return nil
            }
            state.order.learn(attempt.lesson)
            state.links.append(link)
            state.lastFailure = nil
            state.move(to: .ready)
            return state.handOutAll()
        }
        // The address was removed while the connection became ready.
        if isGone { startConnecting() }
        guard let calls else { return link.giveUp() }
        plan.metrics?.connectionOpened()
        link.changeOwner(to: self)
        // The server may have ended the connection before this subchannel could receive the report.
        if !link.acceptsCalls { drainRefusing(link) }
        linksChanged(pickingFor: calls)
    }

    private func attemptFailed(_ attempt: ConnectionRace<Link>, _ failure: ConnectionFailure) {
        enum Next { case useOthers([CallCore]), backOff(MonotonicInstant) }
        let next: Next? = change { state in
            guard state.attempt === attempt else { return nil }
            state.attempt = nil
            state.order.learn(attempt.lesson)
            guard state.links.isEmpty else {
                // The attempt was for one more connection besides the open ones.
                state.nextExtraAttempt = state.nextAttempt
                return .useOthers(state.handOutAll())
            }
            return .backOff(state.backOff(after: failure, now: .now))
        }
        if next != nil { plan.metrics?.connectionFailed() }
        switch next {
        case nil: return
        case .useOthers(let calls): beginHandedOut(calls)
        case .backOff(let time): scheduleRetry(at: time)
        }
    }

    func scheduleRetry(at time: MonotonicInstant) {
        backoffTimer.schedule(BackoffTimer(self), at: time, on: plan.firstLoop)
    }

    /// Starts the next attempt, because the delay has passed.
    fileprivate func retryAfterBackoff(now: MonotonicInstant) {
        backoffTimer.hasFired(now: now)
        startConnecting { $0.connectivity == .transientFailure }
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
        old?.cancel()
        // Without an attempt to start, the timer is none of this function's: another thread may have
        // scheduled it for a failure since then.
        guard waits else { return }
        backoffTimer.cancel()
        startConnecting()
    }

    /// The running attempt to connect, and the last failure; nil if there is none. A call that
    /// reaches its deadline reports both as causes.
    var waitState: (attempt: ConnectionRace<Link>?, failure: ConnectionFailure?) {
        state.withLock { ($0.attempt, $0.lastFailure) }
    }
}

extension SubchannelCore.State {
    /// The state as it is reported to the balancer. The error names the target.
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
        // A connection may have succeeded during the attempt.
        lastFailure?.attemptNumber = max(1, backoff.attemptCount)
        let next = max(nextAttempt ?? now, now)
        nextAttempt = next
        move(to: .transientFailure)
        // The failure is a new one, even when the state was the same before.
        noteChange()
        return next
    }

    /// Begins an attempt, as ``Backoff/nextAttempt(connectTimeout:chance:)`` does. The delay does not grow
    /// while an open connection shows that the server can be reached.
    mutating func beginAttempt(
        connectTimeout: Duration, at now: MonotonicInstant
    ) -> (delay: Duration, timeLimit: Duration) {
        if links.contains(where: { hasSucceeded($0, at: now) }) { noteSuccess() }
        return backoff.nextAttempt(connectTimeout: connectTimeout)
    }

    /// Whether a connection was more than a handshake. A short-lived connection that carried no call of the
    /// program counts as a failed attempt: otherwise the client would connect without a pause to a server
    /// that completes the handshake and closes.
    func hasSucceeded(_ link: Link, at now: MonotonicInstant) -> Bool {
        link.hasCarriedCall || link.age(at: now) >= backoff.initialDelay
    }

    /// Records that a connection has succeeded, or that its loss is no fault of the server.
    mutating func noteSuccess() {
        backoff.reset()
        lastFailure = nil
    }

    /// Stops the use of connections for new calls. Their calls continue. If no open connection is left,
    /// returns the calls that waited for a stream: the caller passes them to
    /// ``SubchannelCore/beginHandedOut(_:)``.
    ///
    /// A connection that has succeeded ends the delays of earlier failures, whichever side ends it.
    mutating func drain(_ links: [Link], at now: MonotonicInstant) -> [CallCore] {
        guard !links.isEmpty else { return [] }
        if links.contains(where: { hasSucceeded($0, at: now) }) { noteSuccess() }
        let drained = Set(links.map { ObjectIdentifier($0) })
        self.links.removeAll { drained.contains(ObjectIdentifier($0)) }
        leaving += links
        if self.links.isEmpty, connectivity == .ready {
            move(to: attempt == nil ? .idle : .connecting)
        }
        return self.links.isEmpty ? handOutAll() : []
    }
}

/// Keeps the subchannel alive until the timer fires or is cancelled.
private final class BackoffTimer: TimerTarget {
    private let subchannel: SubchannelCore

    init(_ subchannel: SubchannelCore) { self.subchannel = subchannel }

    func timerFired(now: MonotonicInstant) { subchannel.retryAfterBackoff(now: now) }
}
