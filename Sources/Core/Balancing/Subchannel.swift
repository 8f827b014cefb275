package import SwiftletTransport

/// One endpoint to which a balancer can send calls. Two values are equal when they are the same
/// subchannel.
public struct Subchannel: Hashable, Sendable {
    /// Numbers the subchannels of a channel, from 1.
    public let id: UInt64
    /// The connections that carry the calls; nil in a test of a balancer.
    package let backend: (any SubchannelBackend)?
    /// The `:authority` of the call that a picker sends to the subchannel, unless the call sets its own (proposal
    /// A81). Nil, the default, means the channel's. It is here, and not beside the tracker, so that the pickers
    /// above pass it on. Its text must be checked: calls compare it.
    package var authority: String?

    package init(id: UInt64, backend: (any SubchannelBackend)? = nil) {
        self.id = id
        self.backend = backend
    }

    public static func == (left: Subchannel, right: Subchannel) -> Bool { left.id == right.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Subchannel: CustomStringConvertible {
    public var description: String { "subchannel \(id)" }
}

/// The connections of a subchannel.
package protocol SubchannelBackend: AnyObject, Sendable {
    /// Gives the call a stream, or makes it wait for one.
    func open(_ call: CallCore, _ prepared: PreparedHeaders) -> SubchannelOpening

    /// Starts to connect soon, unless the subchannel is connected or connecting already. Pickers
    /// call it on any thread; it must not block.
    func requestConnection()

    /// What metrics say of calls on it; nil if a control plane has not set it.
    var labels: BackendLabels? { get }
}

/// The result of ``SubchannelBackend/open(_:_:)``.
package enum SubchannelOpening: Sendable {
    /// The call has a stream, waits for one on its connection, or has ended.
    case opened
    /// The subchannel has no connection.
    case disconnected
}

/// The state of a subchannel, as the channel reports it to the balancer.
public struct SubchannelState: Sendable {
    /// IDLE, CONNECTING, READY or TRANSIENT_FAILURE. A subchannel that failed stays in
    /// TRANSIENT_FAILURE while it tries again, until it is READY.
    public var connectivity: ConnectivityState
    /// Why the last attempt to connect failed, in TRANSIENT_FAILURE; nil in other states.
    public var failure: RPCError?
    /// The address of the connection, in READY: one of the endpoint's. Nil in other states, and in the tests of
    /// most balancers.
    package var address: ServerAddress?

    /// Makes a state.
    public init(_ connectivity: ConnectivityState, failure: RPCError? = nil) {
        self.connectivity = connectivity
        self.failure = failure
    }
}
