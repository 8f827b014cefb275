import Synchronization

/// Sends each call to the next endpoint in turn: the policy `round_robin`.
///
/// It keeps a connection to every endpoint. Calls use only the endpoints that are READY.
public struct RoundRobin: BalancingPolicy {
    /// Makes the policy.
    public init() {}

    public var name: String { "round_robin" }

    public func makeBalancer() -> any Balancer { RoundRobinBalancer() }
}

struct RoundRobinBalancer: Balancer {
    private var endpoints = ConnectedEndpoints<Void>()

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        let isDue = try endpoints.update(update.endpoints, &context) { _ in }
        if isDue { reportReady(&context) }
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        endpoints.resolverFailed(error, &context)
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {
        let isDue = endpoints.subchannel(subchannel, changedTo: state, &context)
        if isDue { reportReady(&context) }
    }

    mutating func close(_ context: inout BalancerContext) { endpoints.close(&context) }

    private func reportReady(_ context: inout BalancerContext) {
        var ready: ContiguousArray<Subchannel> = []
        ready.reserveCapacity(endpoints.list.count(of: .ready))
        // By their places, so that no member is copied.
        let members = endpoints.list.members
        for place in members.indices where members[place].connectivity == .ready {
            ready.append(members[place].subchannel)
        }
        context.report(.ready, RoundRobinPicker(ready, startingAt: context.randomNumber()))
    }
}

/// Chooses the subchannels in turn. A final class, so that all threads share one counter.
final class RoundRobinPicker: Picker {
    private let subchannels: ContiguousArray<Subchannel>
    private let turn: Atomic<UInt>

    /// - Parameters:
    ///   - subchannels: At least one.
    ///   - start: A random number, so that the clients of a service do not all begin with the same
    ///     endpoint.
    init(_ subchannels: ContiguousArray<Subchannel>, startingAt start: UInt64) {
        precondition(!subchannels.isEmpty, "a picker needs a subchannel")
        self.subchannels = subchannels
        turn = Atomic(UInt(truncatingIfNeeded: start % UInt64(subchannels.count)))
    }

    func pick(_ call: borrowing PickInfo) -> Pick {
        let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return .subchannel(subchannels[Int(turn % UInt(subchannels.count))])
    }
}
