public import SwiftletCore
import SwiftletTransport

/// Sends calls to the first of several groups of endpoints that can be reached: the policy
/// `priority_experimental` (A56).
///
/// The first name in the path of an endpoint's attributes is the group that it belongs to. A group
/// is connected when each group before it has failed, or has not connected within 10 seconds.
public struct Priority: BalancingPolicy {
    /// One group.
    public struct Child: Hashable, Sendable {
        /// Whether requests of the group for fresh endpoints are ignored; false by default.
        public var ignoresResolutionRequests: Bool
        private var box: PolicyBox

        /// Makes a group.
        public init(policy: any BalancingPolicy, ignoresResolutionRequests: Bool = false) {
            box = PolicyBox(policy: policy)
            self.ignoresResolutionRequests = ignoresResolutionRequests
        }

        /// How calls are spread over the endpoints of the group.
        public var policy: any BalancingPolicy {
            get { box.policy }
            set { box.policy = newValue }
        }
    }

    /// The groups by name.
    public var children: [String: Child]
    /// The names of the groups, the preferred one first. Names without a group are ignored.
    public var priorities: [String]

    /// Makes the policy.
    public init(children: [String: Child], priorities: [String]) {
        self.children = children
        self.priorities = priorities
    }

    public var name: String { "priority_experimental" }

    public func makeBalancer() -> any Balancer { PriorityBalancer() }
}

struct PriorityBalancer: Balancer {
    private var policy = Priority(children: [:], priorities: [])
    private var endpoints: [String: [Endpoint]] = [:]
    private var children: [String: ChildBalancer] = [:]
    private var failovers: [String: FailoverTimer] = [:]
    /// The group whose picker is in use; nil before the first one.
    private var selected: String?

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        if let policy = update.policy as? Priority { self.policy = policy }
        policy.priorities.removeAll { policy.children[$0] == nil }
        endpoints = update.endpoints.byChild()
        var failure: RPCError?
        for name in children.keys.inOrder() {
            if policy.children[name] == nil {
                // A115: at once, and not after 15 minutes like one that is only not in use.
                children.remove(name, &context)
                failovers[name] = nil
            } else if let error = updateChild(name, &context) {
                failure = failure ?? error
            }
        }
        if let error = choose(&context, reported: nil) { failure = failure ?? error }
        if let failure { throw failure }
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        guard !children.isEmpty else { return context.reportFailure(error) }
        run(&context) { balancer, context in balancer.resolverFailed(error, &context) }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {
        run(&context) { balancer, context in
            balancer.subchannel(subchannel, changedTo: state, &context)
        }
    }

    mutating func timeHasCome(_ context: inout BalancerContext) {
        children.removeExpired(&context)
        failovers = failovers.filter { children[$0.key] != nil }
        run(&context, alwaysChoose: true) { balancer, context in balancer.timeHasCome(&context) }
    }

    mutating func exitIdle(_ context: inout BalancerContext) {
        guard let selected else { return }
        _ = runChild(selected, &context) { balancer, context in balancer.exitIdle(&context) }
        _ = choose(&context, reported: [selected])
    }

    mutating func subchannel(
        _ subchannel: Subchannel, reported load: LoadReport, _ context: inout BalancerContext
    ) {
        run(&context) { balancer, context in
            balancer.subchannel(subchannel, reported: load, &context)
        }
    }

    mutating func close(_ context: inout BalancerContext) {
        children.removeAll(&context)
        failovers = [:]
        selected = nil
    }
}

// MARK: - Choosing

extension PriorityBalancer {
    /// Chooses the group whose picker is in use, and makes groups when they are needed. Reports if
    /// another group is chosen, or if the chosen group is in `reported`. Nil means all groups.
    private mutating func choose(
        _ context: inout BalancerContext, reported: Set<String>?
    ) -> RPCError? {
        guard !policy.priorities.isEmpty else {
            selected = nil
            context.reportFailure(
                .noConnection("priority: the list of priorities is empty"))
            return nil
        }
        var failure: RPCError?
        for (index, name) in policy.priorities.enumerated() {
            if children[name] == nil, let error = makeChild(name, &context) {
                failure = failure ?? error
            }
            children[name]?.reactivate()
            let connectivity = children[name]?.report.connectivity
            if connectivity == .ready || connectivity == .idle {
                for lower in policy.priorities[(index + 1)...] {
                    children[lower]?.deactivate(&context)
                }
                select(name, &context, reported: reported)
                return failure
            }
            if failovers[name]?.isRunning(at: context.now) ?? false {
                select(name, &context, reported: reported)
                return failure
            }
        }
        let connecting = policy.priorities.first {
            children[$0]?.report.connectivity == .connecting
        }
        let last = policy.priorities[policy.priorities.count - 1]
        select(connecting ?? last, &context, reported: reported)
        return failure
    }

    private mutating func select(
        _ name: String, _ context: inout BalancerContext, reported: Set<String>?
    ) {
        let isNew = name != selected || reported?.contains(name) ?? true
        selected = name
        if isNew, let report = children[name]?.report { context.report(report) }
    }
}

// MARK: - Children

extension PriorityBalancer {
    private mutating func run(
        _ context: inout BalancerContext, alwaysChoose: Bool = false,
        _ call: (inout GracefulSwitch, inout BalancerContext) -> Void
    ) {
        var reported: Set<String> = []
        for name in children.keys.inOrder() where runChild(name, &context, call) {
            reported.insert(name)
        }
        guard !reported.isEmpty || alwaysChoose else { return }
        _ = choose(&context, reported: reported)
    }

    /// Calls a child. Returns whether it made a report.
    private mutating func runChild<Failure: Error>(
        _ name: String, _ context: inout BalancerContext,
        _ call: (inout GracefulSwitch, inout BalancerContext) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard var child = children.removeValue(forKey: name) else { return false }
        let before = child.report.connectivity
        let othersWantResolution = context.takeResolutionRequest()
        defer {
            let wantsResolution = context.takeResolutionRequest()
            let isIgnored = policy.children[name]?.ignoresResolutionRequests ?? false
            if othersWantResolution || wantsResolution && !isIgnored { context.requestResolution() }
            let after = child.report.connectivity
            if failovers[name]?.changed(from: before, to: after, at: context.now) ?? false {
                failovers[name]?.wake(&context)
            }
            children[name] = child
        }
        return try child.run(&context, call)
    }

    private mutating func makeChild(_ name: String, _ context: inout BalancerContext) -> RPCError? {
        children[name] = ChildBalancer()
        let timer = FailoverTimer(startedAt: context.now)
        failovers[name] = timer
        timer.wake(&context)
        return updateChild(name, &context)
    }

    private mutating func updateChild(_ name: String, _ context: inout BalancerContext) -> RPCError?
    {
        guard let policy = policy.children[name]?.policy else { return nil }
        let update = BalancerUpdate(endpoints: endpoints[name] ?? [], policy: policy)
        do throws(RPCError) {
            _ = try runChild(name, &context) { (balancer, context) throws(RPCError) in
                try balancer.update(update, &context)
            }
            return nil
        } catch {
            return error
        }
    }
}

/// Bounds the time for which a group may connect before the next one is tried (A56).
struct FailoverTimer: Sendable {
    private static let duration = Duration.seconds(10)

    /// When the next group is tried; nil when the timer is cancelled.
    private var end: Duration?
    /// Whether the group failed more recently than it was READY or IDLE.
    private var hasFailed = false

    init(startedAt now: Duration) { end = now + Self.duration }

    func isRunning(at now: Duration) -> Bool { end.map { now < $0 } ?? false }

    func wake(_ context: inout BalancerContext) {
        if let end { context.wake(at: end) }
    }

    /// Follows the states of the group. Returns whether the timer was started.
    mutating func changed(
        from before: ConnectivityState, to after: ConnectivityState, at now: Duration
    ) -> Bool {
        switch after {
        case .ready, .idle:
            (end, hasFailed) = (nil, false)
        case .transientFailure:
            (end, hasFailed) = (nil, true)
        case .connecting where before != .connecting && !hasFailed:
            end = now + Self.duration
            return true
        case .connecting, .shutdown:
            break
        }
        return false
    }
}
