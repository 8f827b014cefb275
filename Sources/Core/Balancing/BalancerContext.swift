/// The context of a running method of a balancer: the current time, random numbers, and the
/// functions that act on subchannels and report a picker.
public struct BalancerContext: ~Copyable {
    /// The actions that a balancer can request.
    package enum Action: Sendable {
        case make(Subchannel, Endpoint, checksHealth: Bool)
        case update(Subchannel, Endpoint)
        case connect(Subchannel)
        case drop(Subchannel)
        case reportLoad(Subchannel, interval: Duration?, requester: String, any ReportSource)
    }

    /// The time, counted from any fixed moment.
    public let now: Duration

    /// The actions that the balancer requested. The channel performs them after the method returns.
    package private(set) var actions: [Action] = []
    /// The state and picker that were reported last; nil when none were.
    private(set) var report: (connectivity: ConnectivityState, picker: any Picker)?
    package private(set) var wantsResolution = false
    /// The times at which the balancer wants to be called.
    package private(set) var wakeTimes: [Duration] = []
    /// For metrics; empty if ``recordsDecisions`` is false.
    package private(set) var decisions: [BalancingDecision] = []
    /// Whether a sink wants ``decisions``.
    package let recordsDecisions: Bool
    /// For pickers, on any thread: makes the channel call ``Balancer/timeHasCome(_:)`` soon. The balancer knows
    /// why, because its picker has told it.
    package let wakeUp: @Sendable () -> Void

    private let makeSubchannel: (Endpoint, _ checksHealth: Bool) -> Subchannel
    private let random: () -> UInt64

    package init(
        now: Duration, random: @escaping () -> UInt64, recordsDecisions: Bool = false,
        wakeUp: @escaping @Sendable () -> Void = {},
        makeSubchannel: @escaping (Endpoint, _ checksHealth: Bool) -> Subchannel
    ) {
        self.now = now
        self.random = random
        self.recordsDecisions = recordsDecisions
        self.wakeUp = wakeUp
        self.makeSubchannel = makeSubchannel
    }
}

// MARK: - Subchannels

extension BalancerContext {
    /// Makes a subchannel to an endpoint, in the state IDLE.
    ///
    /// - Parameters:
    ///   - endpoint: The server, with at least one address.
    ///   - checksHealth: Whether to check the server's health if the service config sets
    ///     `healthCheckServiceName` (proposal A17), and to eject it if `outlier_detection` is in use; false
    ///     by default. While the server reports another status than SERVING, or is ejected, a checked
    ///     subchannel is in TRANSIENT_FAILURE. A policy that uses one connection at a time, such as
    ///     `pick_first`, does not want this: it would close the connection (proposal A61).
    public mutating func makeSubchannel(
        to endpoint: Endpoint, checksHealth: Bool = false
    ) -> Subchannel {
        let subchannel = makeSubchannel(endpoint, checksHealth)
        actions.append(.make(subchannel, endpoint, checksHealth: checksHealth))
        return subchannel
    }

    /// Gives a subchannel other addresses or attributes. A connection stays in use if it leads to
    /// one of the new addresses and the TLS name is the same. Otherwise the connection is drained.
    /// If no connection stays in use, a READY subchannel becomes IDLE, or CONNECTING if an attempt
    /// to connect was running. Such an attempt continues with the new addresses, unless it performs a handshake
    /// with an address that is gone: then another attempt starts.
    public mutating func update(_ subchannel: Subchannel, to endpoint: Endpoint) {
        actions.append(.update(subchannel, endpoint))
    }

    /// Makes a subchannel connect, unless it is connected or is connecting already. It tries again
    /// after each failure, with a growing delay, until it is dropped.
    @inline(never)  // Has many callers.
    public mutating func connect(_ subchannel: Subchannel) { actions.append(.connect(subchannel)) }

    /// Removes a subchannel. Calls on its connections continue.
    @inline(never)  // Has many callers.
    public mutating func drop(_ subchannel: Subchannel) { actions.append(.drop(subchannel)) }

    /// Withdraws those of the drops since the action number `start` whose subchannels `isKept` accepts. A parent
    /// so keeps a subchannel that its child has dropped: it must drop the subchannel itself later.
    package mutating func withdrawDrops(since start: Int, where isKept: (Subchannel) -> Bool) {
        var kept = Array(actions[start...])
        kept.removeAll { action in
            if case .drop(let subchannel) = action { isKept(subchannel) } else { false }
        }
        if kept.count < actions.count - start { actions.replaceSubrange(start..., with: kept) }
    }

    package mutating func reportLoad(
        of subchannel: Subchannel, every interval: Duration?, requester: String,
        by source: any ReportSource
    ) {
        actions.append(
            .reportLoad(subchannel, interval: interval, requester: requester, source))
    }
}

// MARK: - Results, time and random numbers

extension BalancerContext {
    /// Reports the state of the whole balancer, and the picker for calls from now on. A parent
    /// takes its child's report with ``takeReport()`` and makes its own report from it.
    public mutating func report(_ connectivity: ConnectivityState, _ picker: any Picker) {
        report = (connectivity, picker)
    }

    /// Removes and returns the last report in this context; nil if there is none.
    public mutating func takeReport() -> (connectivity: ConnectivityState, picker: any Picker)? {
        report.take()
    }

    /// Asks the resolver for fresh endpoints.
    public mutating func requestResolution() { wantsResolution = true }

    /// Withdraws the request for fresh endpoints. Returns whether there was one.
    package mutating func takeResolutionRequest() -> Bool {
        defer { wantsResolution = false }
        return wantsResolution
    }

    /// Asks for a call of ``Balancer/timeHasCome(_:)`` at `time`, or soon after it.
    public mutating func wake(at time: Duration) { wakeTimes.append(time) }

    /// Records a decision for metrics.
    package mutating func record(_ decision: BalancingDecision) { decisions.append(decision) }

    /// A random number.
    public mutating func randomNumber() -> UInt64 { random() }
}
