import SwiftletTransport
import Synchronization

/// The implementation of a channel: a resolver finds endpoints, a balancer chooses among them, and
/// calls are sent on the subchannels that its picker returns.
final class ChannelCore: Sendable {
    struct State: ~Copyable {
        private(set) var connectivity = ConnectivityState.idle
        /// The picker that the balancer reported last; nil while the channel is idle, or before the
        /// first report.
        var picker: (any Picker)?
        /// How calls find a connection. It is derived from the picker.
        var route = Route.none
        /// Whether the balancer is about to be stopped, for another. Its reports have no effect any more.
        var isReconnecting = false
        /// Counts changes of the route. A call that found no connection waits only if the route has
        /// not changed since it tried.
        var routeVersion: UInt64 = 0
        /// Calls that wait until the route changes.
        var waiting = WaitingCalls()
        /// All subchannels, including those that the balancer dropped but whose calls continue.
        var members: [UInt64: SubchannelCore] = [:]
        var lastSubchannelID: UInt64 = 0
        /// Whether a call was begun since the last check for idleness.
        var wasUsed = false
        /// The program has released the channel.
        var isReleased = false
        let followers = Followers<ConnectivityState>()
        let log: ChannelLog
        /// The policy in use; nil before the first.
        var policyName: String?
        /// Calls that failed before they had a stream.
        var unsentFailureCount = 0
        var heads: RequestHeadCache
        /// The counts of subchannels that have been removed.
        var pastCounts = ChannelCounts()
        /// Those that wait for the end of the connections.
        var closers: [WakeUp] = []
    }

    /// How calls find a connection.
    enum Route: Sendable {
        /// Calls wait.
        case none
        /// All calls use one connection.
        case link(DirectRoute)
        /// Each call asks the picker.
        case picker(any Picker)
    }

    /// The only connection of the only subchannel. One object, because each call retains it.
    final class DirectRoute: Sendable {
        let link: Link
        let subchannel: SubchannelCore

        init(_ link: Link, _ subchannel: SubchannelCore) {
            self.link = link
            self.subchannel = subchannel
        }
    }

    let target: Target
    let credentials: ChannelCredentials
    /// Those of the channel's default options; nil for none.
    let callCredentials: (any CallCredentials)?
    var arguments: ChannelArguments { limits.arguments }
    let queue: CompletionQueue
    let queues: [CompletionQueue]
    let loop: EventLoop
    /// The `:authority` of requests.
    let authority: String
    let scheme: String
    let userAgent: String
    let limits: MessageLimits
    let methodConfigs: MethodConfigs?
    let plan: ConnectionPlan
    /// The number of the channel in the process.
    let diagnosticID = DiagnosticID.next()
    let log = ChannelLog()
    let state: Mutex<State>
    let openCalls = CallRegistry()
    let idleTimer = TimerSlot()
    let balancing = Balancing()

    /// - Parameters:
    ///   - queues: At least one; connections are spread over all of them.
    ///   - otherVersion: The version of HTTP that is spoken beside HTTP/2, or instead of it.
    init(
        _ target: Target, credentials: ChannelCredentials,
        callCredentials: (any CallCredentials)? = nil, arguments: ChannelArguments,
        queues: [CompletionQueue], sockets: SocketSupply? = nil, proxy: ProxyServer? = nil,
        otherVersion: OtherVersion? = nil
    ) {
        self.target = target
        self.credentials = credentials
        self.callCredentials = callCredentials
        self.queues = queues
        queue = queues[0]
        loop = queue.loop
        authority =
            arguments.defaultAuthority ?? arguments.targetNameOverride
            ?? credentials.targetNameOverride ?? target.defaultAuthority
        scheme = credentials.encryption == .none ? "http" : "https"
        userAgent = UserAgent.value(
            prefix: arguments.userAgentPrefix, suffix: arguments.userAgentSuffix)
        limits = MessageLimits(arguments, heldBackByteCount: arguments.heldBackByteCount)
        plan = ConnectionPlan(
            target, credentials: credentials, arguments: arguments, queues: queues,
            sockets: sockets, proxy: proxy, otherVersion: otherVersion)
        // The attempts of a measured call begin when the name is resolved (proposal A66).
        let awaitsResolver =
            switch target.resolution {
            case .registered: true
            case _ where plan.metrics?.measuresCalls == true: true
            case .name: arguments.findsServiceConfigInDNS
            case .addresses: false
            }
        methodConfigs =
            awaitsResolver || arguments.serviceConfig != nil
            ? MethodConfigs(
                arguments.serviceConfig ?? ServiceConfig(), serverName: authority,
                awaitsResolver: awaitsResolver) : nil
        let refusal = otherVersion?.isOnly == true ? RPCError.needsHTTP2("\(target)") : nil
        let heads = RequestHeadCache(
            refusalOfGRPC: refusal, hasInsecure: credentials.encryption == .byEndpoint)
        state = Mutex(State(log: log, heads: heads))
        ChannelList.add(self)
        arguments.connectivityMonitor?.add(self, at: target)
        let isOpen = queues.allSatisfy { $0.add(self) }
        // The first queues may have been shut down since the channel was added to them. The shut-down
        // also removes it from the others.
        if !isOpen || connectivity == .shutdown { shutDown() }
    }
}

extension ChannelCore {
    /// Changes the state, and reports a new connectivity to its followers, outside the lock.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, followers) = state.withLock { (body(&$0), $0.followers) }
        followers.tell()
        log.deliver()
        return result
    }
}

extension ChannelCore.State {
    mutating func move(to connectivity: ConnectivityState) {
        guard connectivity != self.connectivity, self.connectivity != .shutdown else { return }
        self.connectivity = connectivity
        followers.note(connectivity, isLast: connectivity == .shutdown)
        log.append(.connectivity(connectivity))
    }

    /// Lets calls wait for another picker.
    mutating func removePicker() {
        picker = nil
        route = .none
        routeVersion &+= 1
    }

    /// Computes the route again. Returns the waiting calls, which must try it: see
    /// ``ChannelCore/beginHandedOut(_:)``.
    mutating func renewRoute() -> [CallCore] {
        routeVersion &+= 1
        switch picker {
        case nil: return []
        case let single as SinglePicker:
            if single.subchannel.authority == nil, let member = members[single.subchannel.id],
                let link = member.onlyLink as? Link
            {
                route = .link(ChannelCore.DirectRoute(link, member))
            } else {
                route = .picker(single)
            }
        case let picker?: route = .picker(picker)
        }
        return waiting.handOutAll()
    }

    /// The connection of a direct route has refused a call. Until the next route is computed, calls
    /// ask the picker. Another thread may have drained the connection, and computes the next route
    /// only after it has reported the change to the balancer. That may take long, and the balancer
    /// may make the call itself.
    mutating func abandon(_ refused: ChannelCore.DirectRoute) {
        guard case .link(let present) = route, present === refused, let picker else { return }
        route = .picker(picker)
    }
}

// MARK: - Calls

extension ChannelCore: CallBackend {
    /// What to do with a call, decided under the lock.
    private enum Choice {
        case open(DirectRoute, PreparedHeaders)
        case pick(any Picker, version: UInt64, PreparedHeaders)
        case wait(startsUp: Bool, removed: [CallCore])
        case fail(RPCError)
        case closed
    }

    /// Begins the calls that the computation of a route has returned.
    func beginHandedOut(_ calls: [CallCore]) {
        for call in calls where !call.isEnded { begin(call) }
        if !calls.isEmpty { state.withLock { $0.waiting.begun(calls.count) } }
        shutDownIfReleased()
    }

    func begin(_ call: CallCore) {
        while true {
            switch choose(for: call) {
            case .open(let route, let prepared):
                if route.link.open(call, prepared) { return }
                // The connection accepts no more calls.
                route.subchannel.drainRefusing(route.link)
                state.withLock { $0.abandon(route) }
            case .pick(let picker, let version, let prepared):
                if carryOut(picker, version, call, prepared) { return }
            case .wait(let startsUp, let removed):
                _ = removed
                if startsUp { post(.start) }
                return
            case .fail(let error): return call.end(with: error)
            case .closed: return call.end(with: closedError)
            }
        }
    }

    private func choose(for call: CallCore) -> Choice {
        state.withLock { state in
            state.wasUsed = true
            if state.connectivity == .shutdown { return .closed }
            do throws(RPCError) {
                switch state.route {
                case .link(let route):
                    return .open(route, try prepared(for: call, in: &state.heads))
                case .picker(let picker):
                    return .pick(
                        picker, version: state.routeVersion,
                        try prepared(for: call, in: &state.heads))
                case .none:
                    let removed = state.waiting.append(call)
                    return .wait(startsUp: state.connectivity == .idle, removed: removed)
                }
            } catch {
                return .fail(error)
            }
        }
    }

    /// Performs the picker's decision for the call. A picker that queues it without a subchannel leaves idle
    /// mode for it. False if the call must try again because the
    /// route has changed.
    private func carryOut(
        _ picker: any Picker, _ version: UInt64, _ call: CallCore, _ prepared: PreparedHeaders
    ) -> Bool {
        HeldLocks.assertNone(calling: "picker")
        let pick = picker.pick(PickInfo(call))
        switch consume pick {
        case .subchannel(let subchannel, let trackers):
            let isTracked = !trackers.isEmpty
            if isTracked { call.track(consume trackers) }
            if let meter = call.meter, let labels = subchannel.backend?.labels {
                meter.isRouted(to: labels)
            }
            var prepared = prepared
            if let authority = subchannel.authority, call.head.options.authority == nil {
                do throws(RPCError) {
                    prepared = try state.withLock { (state) throws(RPCError) in
                        try self.prepared(for: call, as: authority, in: &state.heads)
                    }
                } catch {
                    let error = error.ofControlPlane("the balancing policy")
                    call.end(with: error)
                    return true
                }
            }
            if case .opened? = subchannel.backend?.open(call, prepared) { return true }
            if isTracked { call.track(CallTrackers()) }
            return wait(call, version)
        case .queue(let subchannel):
            guard wait(call, version) else { return false }
            if let subchannel { member(subchannel)?.handle(.wanted) } else { connect() }
            return true
        case .fail(let error):
            if call.head.waitForReady { return wait(call, version) }
            var error = current(error).ofControlPlane("the balancing policy or the resolver")
            // A picker may pass on any error, for example one of the resolver. Only a drop is final.
            if error.finality != nil { error.finality = nil }
            call.attemptFailed(with: error)
            return true
        case .drop(let error):
            var error = error.ofControlPlane("the balancing policy")
            error.finality = .dropped
            call.end(with: error)
            return true
        }
    }

    /// Makes the call wait for the next route. False if the route has changed already.
    private func wait(_ call: CallCore, _ version: UInt64) -> Bool {
        let removed: [CallCore]? = state.withLock { state in
            guard state.routeVersion == version, state.connectivity != .shutdown else { return nil }
            return state.waiting.append(call)
        }
        return removed != nil
    }

    private func prepared(
        for call: CallCore, as picked: String? = nil, in cache: inout RequestHeadCache
    ) throws(RPCError) -> PreparedHeaders {
        try cache.prepared(
            for: call, picked: picked, defaultAuthority: authority, scheme: scheme,
            userAgent: userAgent)
    }

    /// A picker's error, with the time that now remains until the next attempt to connect.
    private func current(_ error: RPCError) -> RPCError {
        let members = state.withLock { Array($0.members.values.prefix(2)) }
        guard error.reconnection != nil, members.count == 1,
            let reconnection = members[0].reconnection
        else { return error }
        var error = error
        error.reconnection = reconnection
        return error
    }

    /// The error of calls after the channel or its queue closed.
    var closedError: RPCError {
        let what = queue.isShutDown ? "completion queue of the channel" : "channel"
        var error = RPCError(.unavailable, "the \(what) to \(target) was closed").notExecuted
        error.finality = .channelClosed
        return error
    }

    func forget(_ call: CallCore) {
        // The loop's thread may have taken calls from `waiting` and not begun them yet. The check
        // runs on the loop, so that these calls begin before the channel shuts down.
        let isReleased = state.withLock { state in
            state.unsentFailureCount &+= 1
            return state.isReleased
        }
        if isReleased { loop.run { [self] in shutDownIfReleased() } }
    }
}
