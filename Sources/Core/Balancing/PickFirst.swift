/// Sends all calls to the first address that can be reached: the policy `pick_first`, the default.
///
/// When the connection is lost, the channel becomes IDLE, and the next call connects again.
public struct PickFirst: BalancingPolicy {
    /// Whether the endpoints are tried in a random order, in which larger weights tend to come first; false by default.
    public var shuffleAddressList: Bool

    /// Makes the policy.
    public init(shuffleAddressList: Bool = false) { self.shuffleAddressList = shuffleAddressList }

    public var name: String { "pick_first" }

    public func makeBalancer() -> any Balancer { PickFirstBalancer() }
}

/// Keeps one subchannel that holds the addresses of all endpoints and tries them in turn.
///
/// The reported state is sticky: after a failure it stays TRANSIENT_FAILURE until the subchannel is
/// READY (A62).
struct PickFirstBalancer: Balancer {
    private var subchannel: Subchannel?
    /// The state of the subchannel as it was last reported.
    private var connectivity = ConnectivityState.idle

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        let shuffles = (update.policy as? PickFirst)?.shuffleAddressList ?? false
        let endpoints = shuffles ? update.endpoints.shuffled(&context) : update.endpoints
        guard let endpoint = endpoints.flattened() else {
            close(&context)
            context.reportFailure(.noAddresses)
            throw .noAddresses
        }
        if let subchannel {
            context.update(subchannel, to: endpoint)
        } else {
            let subchannel = context.makeSubchannel(to: endpoint)
            self.subchannel = subchannel
            connectivity = .connecting
            context.connect(subchannel)
            context.reportConnecting()
        }
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        if subchannel == nil { context.reportFailure(error) }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {
        guard subchannel == self.subchannel else { return }
        let lostConnection = connectivity == .ready && state.connectivity != .ready
        if lostConnection || state.connectivity == .transientFailure { context.requestResolution() }
        switch state.connectivity {
        case .ready:
            connectivity = .ready
            context.report(.ready, SinglePicker(subchannel))
        case .transientFailure:
            connectivity = .transientFailure
            context.reportFailure(state.error)
        case .connecting where connectivity != .transientFailure:
            connectivity = .connecting
            context.reportConnecting()
        case .idle where connectivity == .transientFailure:
            context.connect(subchannel)
        case .idle:
            connectivity = .idle
            context.report(.idle, QueuePicker(connecting: subchannel))
        case .connecting, .shutdown:
            break
        }
    }

    mutating func exitIdle(_ context: inout BalancerContext) {
        guard connectivity == .idle, let subchannel else { return }
        context.connect(subchannel)
    }

    mutating func close(_ context: inout BalancerContext) {
        if let subchannel = subchannel.take() { context.drop(subchannel) }
        connectivity = .idle
    }
}
