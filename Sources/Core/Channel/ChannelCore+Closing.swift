import SwiftletTransport
import Synchronization

// Idle channels, and the end of a channel.

extension ChannelCore: ChannelBackend, QueueChannel {
    func queueWasShutDown() { shutDown() }

    var encryption: Encryption { credentials.encryption }

    var metrics: (any ChannelMeter)? { plan.metrics }

    var connectivity: ConnectivityState { state.withLock { $0.connectivity } }

    func connectivityChanges() -> AsyncStream<ConnectivityState> {
        state.withLock { state in
            state.followers.follow(
                from: state.connectivity, isLast: state.connectivity == .shutdown)
        }
    }

    var counts: ChannelCounts {
        let (members, past) = state.withLock { (Array($0.members.values), $0.pastCounts) }
        return members.reduce(into: past) { $0 += $1.counts }
    }

    private var members: [SubchannelCore] { state.withLock { Array($0.members.values) } }

    func leaveConnections() {
        for member in members { member.handle(.drainAll) }
    }

    /// Begins again with another resolver, balancer and subchannels. The connections that are left close after their
    /// last calls. A call that begins from now on waits for the new ones.
    func reconnect() {
        let isUsed = change { state in
            guard state.connectivity != .idle, state.connectivity != .shutdown else { return false }
            state.isReconnecting = true
            state.removePicker()
            state.move(to: .connecting)
            return true
        }
        guard isUsed else { return }
        // The next balancer may not know the clusters of this one.
        methodConfigs?.removeResult()
        post(.stop)
        post(.exitIdle)
    }

    /// Connects at once instead of at the end of a delay, because the network is back.
    func resetBackoff() {
        post(.resetBackoff)
        for member in members { member.handle(.networkIsBack) }
    }

    func channelWasReleased() {
        state.withLock { $0.isReleased = true }
        shutDownIfReleased()
    }

    /// Drains the connections of a channel that the program has released, and shuts the channel
    /// down when no connection is left. Does nothing while a call waits for a connection: such a
    /// call, also one that a server did not process, first gets a connection or fails.
    func shutDownIfReleased() {
        let isOver: Bool? = state.withLock { state in
            guard state.isReleased, state.connectivity != .shutdown, !state.waiting.isPending,
                !state.members.values.contains(where: \.hasWaitingCalls)
            else { return nil }
            return state.members.values.allSatisfy(\.isEmpty)
        }
        switch isOver {
        case nil: return
        case true?: shutDown()
        case false?: post(.stop)
        }
    }

    func close(grace: Duration) async {
        let links = shutDown()
        if grace > .zero, links.contains(where: { $0.callCount > 0 }) || !openCalls.isEmpty {
            let wakeUp = WakeUp()
            openCalls.whenEmpty { wakeUp.signal() }
            await withTaskCancellationHandler {
                await wait(until: .now + grace, wakeUp) { [openCalls] in
                    openCalls.isEmpty && links.allSatisfy(\.hasEnded)
                }
            } onCancel: {
                wakeUp.cancel()
            }
        }
        let error = RPCError(.cancelled, "the channel to \(target) was closed")
        for link in links { link.endCalls(with: error) }
        openCalls.endAll(with: error)
        await wait(forEndOf: links)
    }

    /// Waits until the condition is true, but only until the deadline. Checks it after each signal, one of which follows
    /// the end of a subchannel's connections.
    private func wait(
        until deadline: MonotonicInstant, _ wakeUp: WakeUp, for isOver: () -> Bool
    ) async {
        let timer = TimerSlot()
        // Before the first check, so that no signal is lost.
        state.withLock { $0.closers.append(wakeUp) }
        timer.schedule(wakeUp, at: deadline, on: loop.timerLoop(isAwaited: true))
        // The timer of a queue that has been shut down never fires.
        if loop.isClosed { wakeUp.cancel() }
        while !isOver(), .now < deadline, await wakeUp.wait() {}
        timer.close()
        state.withLock { state in state.closers.removeAll { $0 === wakeUp } }
    }

    /// Waits until the connections have ended. They end on their loops after their last output, so
    /// the program may exit when this function returns. A queue that is turned by hand may never be
    /// turned again, so the function does not wait for such a queue, unless it runs in a turn of
    /// that queue.
    private func wait(forEndOf links: [any SubchannelLink]) async {
        guard queue.mode == .ownThread || loop.isCurrent else { return }
        await wait(until: .now + Self.endTimeout, WakeUp()) { links.allSatisfy(\.hasEnded) }
        // A connection that has ended may still be writing its last output, on its loop.
        for queue in queues {
            await Resumption<Void>.wait { waiter in queue.loop.run { waiter.resume() } }
        }
    }

    /// The time limit for the end of connections. The end does not depend on a peer, only on a
    /// thread that may be writing at the moment.
    private static let endTimeout = Duration.seconds(5)

    /// Rejects new calls. Returns the connections, whose calls continue.
    @discardableResult
    func shutDown() -> [any SubchannelLink] {
        let (members, waiting): ([SubchannelCore], [CallCore]) = change { state in
            state.move(to: .shutdown)
            state.removePicker()
            return (Array(state.members.values), state.waiting.takeAll())
        }
        for queue in queues { queue.remove(self) }
        ChannelList.remove(self)
        arguments.connectivityMonitor?.remove(self)
        idleTimer.close()
        balancing.timer.close()
        let error = closedError
        // The calls that wait there find the channel shut down.
        for member in members { member.handle(.dropped) }
        // After that, no connection is added.
        let links = members.flatMap(\.allLinks)
        for call in waiting { call.end(with: error) }
        openCalls.close(with: error)
        methodConfigs?.release()
        // At once: a queue that is turned by hand may never be turned again.
        handleNow(.stop)
        return links
    }
}

// MARK: - Idle

extension ChannelCore: TimerTarget {
    /// Schedules the next check for idleness after one timeout, unless one is scheduled. The checks
    /// follow one another from the start of the resolver to its stop, whatever the balancer reports:
    /// while it reports IDLE, the resolver still runs.
    func scheduleIdleCheck() {
        guard let timeout = arguments.idleTimeout.map({ max($0, .seconds(1)) }) else { return }
        idleTimer.schedule(self, at: .now + timeout, on: loop, unlessEarlier: true)
    }

    /// Checks whether the channel was used since the last check. This way, a call needs no timer.
    func timerFired(now: MonotonicInstant) {
        idleTimer.hasFired(now: now)
        let members = members
        // A running call counts as use until now, also a call that is on no connection.
        let hasCalls = members.contains(where: \.hasCalls) || !openCalls.isEmpty
        let isUsed = state.withLock { state in
            defer { state.wasUsed = hasCalls }
            return state.wasUsed || hasCalls || !state.waiting.isEmpty
        }
        if isUsed {
            for member in members { member.handle(.drainSpares) }
            scheduleIdleCheck()
        } else {
            post(.stop)
        }
    }
}
