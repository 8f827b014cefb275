import SwiftletTransport
import Synchronization

// The resolver and the balancer of a channel: their inputs, and the actions that they request.

/// The resolver and the balancer of a channel that is not idle.
///
/// Both get one input at a time, in the order in which the inputs were posted, on the channel's loop and outside of
/// every lock: a resolver or a balancer that the program supplies may be slow, and may call the channel.
final class Balancing: Sendable {
    /// An input of the balancer or the resolver.
    enum Input: Sendable {
        /// A call needs a connection while the channel is idle.
        case start
        case exitIdle
        /// The network is back.
        case resetBackoff
        case resolved(ResolverResult, generation: Int)
        /// The delay after a result that was not accepted has passed.
        case resolveAgain
        case subchannel(SubchannelCore)
        case load(SubchannelCore, LoadReport)
        /// A time that the balancer requested, or a picker that needs it.
        case timeHasCome
        /// The channel becomes idle, or is shut down.
        case stop
    }

    /// The state that only the thread which handles inputs uses.
    struct State: ~Copyable {
        var resolver: (any Resolver)?
        /// The delays between results that are not accepted; nil after one that is. A resolver that cannot be
        /// made counts as one.
        var resolutionBackoff: Backoff?
        /// Whether the balancer has asked for a fresh result while it handled the input.
        var wantsResolution = false
        var balancer: (any Balancer)?
        /// The config in use; nil before the first.
        var config: ServiceConfig?
        /// Counts resolvers: a result of a resolver that was stopped is ignored.
        var generation = 0
        /// The times at which the balancer wants to be called, each once: a balancer may ask for the same time with
        /// each update.
        var wakeTimes: [Duration] = []
        /// Whether the balancer must exit idle mode after its first update.
        var mustExitIdle = false
    }

    let inputs = SerialMailbox<Input>()
    let timer = TimerSlot()
    /// Runs while the channel waits before it asks for another result.
    let resolutionTimer = TimerSlot()
    let state = Mutex(State())
    /// The instant from which the balancer's time is counted.
    let epoch = MonotonicInstant.now
}

extension ChannelCore {
    /// Connects without a call.
    func connect() {
        let isIdle = state.withLock { $0.connectivity == .idle }
        if isIdle { post(.exitIdle) }
    }

    /// Handles the input soon, on the loop: a caller must not wait for a resolver or a balancer. They outlive it, and must
    /// not get the values and the deadline of its task.
    @inline(never)  // Has many callers.
    func post(_ input: Balancing.Input) { loop.run { [self] in handleNow(input) } }

    /// Handles the input before it returns, unless another thread handles one: that thread handles this one, too.
    func handleNow(_ input: Balancing.Input) {
        balancing.inputs.handle(input) { handle($0) }
    }

    private func handle(_ input: Balancing.Input) {
        // The state is moved out of the lock: a second reference would copy the balancer's arrays.
        var work = Balancing.State()
        balancing.state.withLock { swap(&$0, &work) }
        switch input {
        case .start: start(&work)
        case .exitIdle:
            start(&work)
            // Before the first endpoints, the balancer could connect nothing.
            work.mustExitIdle = work.balancer == nil
            run(&work) { $0.exitIdle(&$1) }
        case .resetBackoff: resetResolutionBackoff(&work)
        case .resolveAgain: resolveAgain(&work)
        case .resolved(let result, let generation):
            if generation == work.generation { receive(result, &work) }
        case .subchannel(let core):
            let isMember = state.withLock { $0.members[core.id] === core }
            let subchannel = Subchannel(id: core.id, backend: core)
            if let report = core.takeReport(), isMember {
                run(&work) { $0.subchannel(subchannel, changedTo: report, &$1) }
            }
            core.readNextReports()
        case .load(let core, let load):
            let isMember = state.withLock { $0.members[core.id] === core }
            let subchannel = Subchannel(id: core.id, backend: core)
            if isMember { run(&work) { $0.subchannel(subchannel, reported: load, &$1) } }
            core.readNextReports()
        case .timeHasCome:
            let now = balancing.epoch.duration(to: .now)
            work.wakeTimes.removeAll { $0 <= now }
            run(&work) { $0.timeHasCome(&$1) }
            scheduleWake(work)
        case .stop: stop(&work)
        }
        requestResolutionIfWanted(&work)
        balancing.state.withLock { swap(&$0, &work) }
    }
}

// MARK: - Start and stop

extension ChannelCore {
    func start(_ work: inout Balancing.State) {
        guard work.resolver == nil, connectivity != .shutdown else { return }
        scheduleIdleCheck()
        let resolver: any Resolver
        do throws(RPCError) {
            resolver = try makeResolver()
        } catch {
            resolverFailed(error, &work)
            return resolveLater(&work)
        }
        work.generation += 1
        work.resolver = resolver
        change { state in if state.connectivity == .idle { state.move(to: .connecting) } }
        let generation = work.generation
        HeldLocks.assertNone(calling: "resolver")
        resolver.start(
            ResolverResults { [weak self] result in
                self?.post(.resolved(result, generation: generation))
            })
    }

    private func makeResolver() throws(RPCError) -> any Resolver {
        if plan.sockets != nil {
            return FixedResolver(endpoints: [Endpoint([ServerAddress(.unix(path: target.text))])])
        }
        if let proxy = plan.proxy, target.destination != nil {
            return try resolver(of: proxy.host, proxy.port)
        }
        switch target.resolution {
        case .addresses(let addresses):
            var attributes = EndpointAttributes()
            attributes.proxy = plan.proxy
            return FixedResolver(
                endpoints: addresses.map { Endpoint([ServerAddress($0)], attributes: attributes) })
        case .name(let host, let port): return try resolver(of: host, port, findsConfig: true)
        case .registered(let scheme):
            guard let factory = Resolvers.factory(for: scheme) else {
                throw RPCError(.unavailable, "no resolver is registered for '\(scheme)'")
            }
            HeldLocks.assertNone(calling: "resolver factory")
            return try factory(
                ResolverChannel(
                    target: target, authority: authority, arguments: arguments,
                    credentials: credentials, loop: loop, meter: plan.metrics,
                    noteEncryptionIgnored: { [log] in
                        log.note(.encryptionIgnored(cluster: $0))
                    }))
        }
    }

    private func resolver(
        of host: String, _ port: UInt16, findsConfig: Bool = false
    ) throws(RPCError) -> any Resolver {
        if let address = SocketAddress(host: host, port: port) {
            return FixedResolver(endpoints: [Endpoint([ServerAddress(address)])])
        }
        let configLookup =
            findsConfig && arguments.findsServiceConfigInDNS
            ? try ServiceConfigReaders.reader().lookup(of: host, arguments) : nil
        return DNSResolver(
            host: host, port: port, arguments: arguments, loop: loop,
            configLookup: configLookup)
    }

    /// Stops the resolver and the balancer, so that the channel is idle. The next call starts them
    /// again.
    private func stop(_ work: inout Balancing.State) {
        // The clusters of a selector belong to its resolver. Removed first, so that a call which begins now waits for the
        // next resolver: with the present selector it would not start one.
        methodConfigs?.removeResult()
        HeldLocks.assertNone(calling: "resolver")
        work.resolver?.stop()
        work.resolver = nil
        work.generation += 1
        run(&work) { $0.close(&$1) }
        work.balancer = nil
        work.wakeTimes = []
        work.resolutionBackoff = nil
        work.wantsResolution = false
        work.mustExitIdle = false
        balancing.timer.cancel()
        balancing.resolutionTimer.cancel()
        idleTimer.cancel()
        let (members, isAwaited, isOver) = change { state in
            state.removePicker()
            state.isReconnecting = false
            state.move(to: .idle)
            return (
                Array(state.members.values), !state.waiting.isEmpty,
                state.connectivity == .shutdown
            )
        }
        // Drops the subchannels that the balancer did not drop: their connections must not stay
        // open.
        for member in members { dropMember(member) }
        guard !isOver else { return }
        // A call that waits for the service config has found the channel in use, so it did not start it.
        if isAwaited || (methodConfigs?.waitingCount ?? 0) > 0 { post(.start) }
    }

    private func dropMember(_ member: SubchannelCore) {
        guard !member.isDropped else { return }
        log.note(.subchannelDropped(id: member.diagnosticID))
        member.handle(.dropped)
    }
}

// MARK: - Actions of the balancer

extension ChannelCore {
    /// Calls the balancer, and performs the actions that it requested.
    func run(
        _ work: inout Balancing.State,
        _ body: (inout any Balancer, inout BalancerContext) -> Void
    ) {
        guard var balancer = work.balancer.take() else { return }
        let config = work.config
        var context = BalancerContext(
            now: balancing.epoch.duration(to: .now), random: { .random(in: 0 ... .max) },
            recordsDecisions: plan.metrics?.measuresBalancing ?? false,
            wakeUp: { [weak self] in self?.post(.timeHasCome) },
            makeSubchannel: { [self] in makeSubchannel(to: $0, checksHealth: $1, config) })
        HeldLocks.assertNone(calling: "balancer")
        body(&balancer, &context)
        work.balancer = balancer
        carryOut(&context, &work)
    }

    /// Performs what the balancer has requested. Not inlined: ``run(_:_:)`` is compiled for each of its closures.
    @inline(never)
    private func carryOut(_ context: inout BalancerContext, _ work: inout Balancing.State) {
        for action in context.actions { carryOut(action) }
        if let (connectivity, picker) = context.takeReport() { install(connectivity, picker) }
        for decision in context.decisions { plan.metrics?.record(decision) }
        if context.wantsResolution { work.wantsResolution = true }
        if !context.wakeTimes.isEmpty {
            for time in context.wakeTimes where !work.wakeTimes.contains(time) {
                work.wakeTimes.append(time)
            }
            scheduleWake(work)
        }
    }

    private func makeSubchannel(
        to endpoint: Endpoint, checksHealth: Bool, _ config: ServiceConfig?
    ) -> Subchannel {
        let core = state.withLock { state in
            state.lastSubchannelID += 1
            let core = SubchannelCore(
                id: state.lastSubchannelID, endpoint, plan: plan,
                maxConnectionCount: maxConnectionCount(config),
                checksHealth: checksHealth && arguments.checksHealth,
                healthCheck: config?.healthCheck, owner: self)
            if state.connectivity != .shutdown { state.members[core.id] = core }
            return core
        }
        log.note(.subchannelCreated(id: core.diagnosticID, endpoint: "\(endpoint)"))
        if connectivity == .shutdown { core.handle(.dropped) }
        return Subchannel(id: core.id, backend: core)
    }

    private func carryOut(_ action: BalancerContext.Action) {
        switch action {
        // The subchannel was made when the balancer requested it.
        case .make: return
        case .update(let subchannel, let endpoint): member(subchannel)?.handle(.endpoint(endpoint))
        case .connect(let subchannel): member(subchannel)?.handle(.wanted)
        case .drop(let subchannel): if let member = member(subchannel) { dropMember(member) }
        case .reportLoad(let subchannel, let interval, let requester, let source):
            member(subchannel)?.handle(.loadInterval(interval, requester: requester, source))
        }
    }

    func member(_ subchannel: Subchannel) -> SubchannelCore? {
        state.withLock { $0.members[subchannel.id] }
    }

    func install(_ connectivity: ConnectivityState, _ picker: any Picker) {
        let calls = change { state in
            guard state.connectivity != .shutdown, !state.isReconnecting else {
                return [] as [CallCore]
            }
            state.picker = picker
            state.move(to: connectivity)
            return state.renewRoute()
        }
        beginHandedOut(calls)
    }

    private func scheduleWake(_ work: borrowing Balancing.State) {
        guard let first = work.wakeTimes.min() else { return }
        balancing.timer.schedule(at: balancing.epoch + max(first, .zero), on: loop) {
            [weak self] in self?.post(.timeHasCome)
        }
    }
}
