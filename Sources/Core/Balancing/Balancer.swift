/// Decides over which endpoints calls are spread.
///
/// A balancer is a value without I/O. It receives endpoints and the states of its subchannels.
/// Through the context, it makes, connects and drops subchannels, and reports a picker. The channel
/// calls one method at a time, and never under a lock. Balancers nest: a policy such as `priority`
/// holds the balancers of its children and forwards inputs to them.
public protocol Balancer: Sendable {
    /// The resolver found endpoints, or the policy's configuration changed. Called first.
    ///
    /// Throws if the balancer cannot use the endpoints. The channel then asks the resolver again.
    /// It still performs the actions, and uses the report, that the balancer put into the context
    /// before the error.
    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError)

    /// The resolver failed. A balancer that has endpoints continues to use them. A balancer without
    /// endpoints reports TRANSIENT_FAILURE with the error.
    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext)

    /// A subchannel changed its state. A balancer ignores subchannels that it did not make.
    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext)

    /// A time that this balancer, or another balancer of the channel, passed to
    /// ``BalancerContext/wake(at:)`` has been reached. The balancer compares
    /// ``BalancerContext/now`` with its own times.
    mutating func timeHasCome(_ context: inout BalancerContext)

    /// A call needs a connection while the balancer reports IDLE.
    mutating func exitIdle(_ context: inout BalancerContext)

    /// A subchannel reported its load outside of calls (proposal A51).
    mutating func subchannel(
        _ subchannel: Subchannel, reported load: LoadReport, _ context: inout BalancerContext)

    /// The balancer is not needed any more. It drops its subchannels.
    mutating func close(_ context: inout BalancerContext)
}

extension Balancer {
    public mutating func timeHasCome(_ context: inout BalancerContext) {}

    public mutating func exitIdle(_ context: inout BalancerContext) {}

    public mutating func subchannel(
        _ subchannel: Subchannel, reported load: LoadReport, _ context: inout BalancerContext
    ) {}

    /// Updates, and returns the error that ``update(_:_:)`` throws, for a closure that cannot throw.
    package mutating func failure(
        of update: BalancerUpdate, _ context: inout BalancerContext
    ) -> RPCError? {
        do throws(RPCError) {
            try self.update(update, &context)
            return nil
        } catch {
            return error
        }
    }
}

/// The endpoints and the configuration that a balancer receives.
public struct BalancerUpdate: Sendable {
    /// The endpoints. May be empty.
    public var endpoints: [Endpoint]
    /// The policy that the balancer was made by, with its present configuration.
    public var policy: any BalancingPolicy

    /// Makes an update.
    public init(endpoints: [Endpoint], policy: any BalancingPolicy) {
        self.endpoints = endpoints
        self.policy = policy
    }
}

/// The configuration of a balancer, and the way to make one.
///
/// ```swift
/// arguments.serviceConfig = ServiceConfig(balancing: RoundRobin())
/// ```
public protocol BalancingPolicy: Hashable, Sendable {
    /// The name in a service config: `round_robin`. A balancer is kept as long as the name stays the
    /// same.
    var name: String { get }

    /// Makes the balancer. Its first call is ``Balancer/update(_:_:)`` with this policy.
    func makeBalancer() -> any Balancer
}
