/// Keeps a connection to every endpoint, for `round_robin` and similar policies.
///
/// It connects all subchannels at once, and reports every state but READY. The policy itself
/// reports READY with a picker: the methods return whether the policy must make a new picker.
package struct ConnectedEndpoints<Extra: Sendable>: Sendable {
    package private(set) var list = EndpointList<Extra>()
    private var reported: ConnectivityState?

    package init() {}
}

// MARK: - Inputs

extension ConnectedEndpoints {
    /// Replaces the endpoints. Throws when there are none.
    package mutating func update(
        _ endpoints: [Endpoint], _ context: inout BalancerContext, extra: (Endpoint) -> Extra
    ) throws(RPCError) -> Bool {
        list.update(endpoints, &context, extra: extra)
        guard !list.isEmpty else {
            reported = .transientFailure
            context.reportFailure(.noAddresses)
            throw .noAddresses
        }
        for place in list.members.indices where list.members[place].connectivity == .idle {
            context.connect(list.members[place].subchannel)
        }
        return report(&context, readyChanged: true, failureChanged: false)
    }

    /// Reports the resolver's error if there are no endpoints to use.
    package mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        guard list.isEmpty else { return }
        reported = .transientFailure
        context.reportFailure(error)
    }

    /// Records the state of a subchannel and connects it again when it lost its connection.
    package mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) -> Bool {
        guard let change = list.subchannel(subchannel, changedTo: state) else { return false }
        let failed = state.connectivity == .transientFailure
        let readyChanged = (change.before == .ready) != (change.after == .ready)
        if failed || (readyChanged && change.before == .ready) { context.requestResolution() }
        if state.connectivity == .idle { context.connect(subchannel) }
        return report(&context, readyChanged: readyChanged, failureChanged: failed)
    }

    /// Visits the endpoints. The policy may change what it keeps for each.
    package mutating func forEach(_ body: (inout EndpointList<Extra>.Member) -> Void) {
        list.forEach(body)
    }

    /// Changes what the policy keeps for the endpoint of a subchannel.
    package mutating func changeExtra(of subchannel: Subchannel, _ body: (inout Extra) -> Void) {
        list.changeExtra(of: subchannel, body)
    }

    /// Drops all subchannels.
    package mutating func close(_ context: inout BalancerContext) {
        list.removeAll(&context)
        reported = nil
    }
}

// MARK: - States

extension ConnectedEndpoints {
    /// READY if a subchannel is READY, else CONNECTING if one is CONNECTING or IDLE, else
    /// TRANSIENT_FAILURE (A48).
    package var connectivity: ConnectivityState {
        if list.count(of: .ready) > 0 { return .ready }
        if list.count(of: .connecting) + list.count(of: .idle) > 0 { return .connecting }
        return .transientFailure
    }

    /// Reports a state other than READY if the state changed, or if a subchannel failed. Returns
    /// whether the policy must report a new picker over the READY subchannels.
    private mutating func report(
        _ context: inout BalancerContext, readyChanged: Bool, failureChanged: Bool
    ) -> Bool {
        let connectivity = connectivity
        let stateChanged = connectivity != reported
        reported = connectivity
        switch connectivity {
        case .ready: return readyChanged
        case .transientFailure where stateChanged || failureChanged:
            context.reportFailure(list.lastFailure ?? .noReason)
        case .connecting where stateChanged: context.reportConnecting()
        default: break
        }
        return false
    }
}
