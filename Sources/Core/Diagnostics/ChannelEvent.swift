/// A change of a channel's connectivity, endpoints or connections. Calls cause no events of their
/// own.
public struct ChannelEvent: Sendable {
    /// What happened.
    @nonexhaustive
    public enum Kind: Sendable {
        /// The channel's connectivity changed.
        case connectivity(ConnectivityState)
        /// The resolver reported endpoints.
        case resolved(endpointCount: Int)
        /// The resolver reported an error. Endpoints of an earlier result stay in use.
        case resolutionFailed(RPCError)
        /// The resolver reported a service config that is not valid (proposal A21).
        case serviceConfigRejected(RPCError)
        /// Another policy spreads the calls from now on.
        case balancing(policy: String)
        /// The balancer made a subchannel to an endpoint.
        case subchannelCreated(id: UInt64, endpoint: String)
        /// A subchannel's state changed. The balancer may receive only the last of several changes.
        /// The error is the reason of a failure.
        case subchannel(id: UInt64, ConnectivityState, RPCError?)
        /// The balancer dropped a subchannel. Calls on its connections continue.
        case subchannelDropped(id: UInt64)
        /// A connection is ready for calls.
        case connectionOpened(subchannel: UInt64, peer: String)
        /// A connection has ended.
        case connectionClosed(subchannel: UInt64, peer: String, cause: String)
        /// The server has no health service, so that it counts as healthy (proposal A17).
        case healthCheckUnsupported(subchannel: UInt64, peer: String)
        /// The server has no service for reports of its load, so that none arrive outside of calls (proposal A51).
        case loadReportsUnsupported(subchannel: UInt64, peer: String)
        /// The control plane demands TLS for a cluster, and the channel has no encryption: the calls to the cluster
        /// are sent unencrypted. Use `ChannelCredentials.xds(fallback:)`.
        case encryptionIgnored(cluster: String)
    }

    /// When it happened, as the time since the first of January 1970, UTC.
    public let time: Duration
    /// What happened.
    public let kind: Kind
}

extension ChannelEvent {
    /// Whether the event reports a failure.
    public var isFailure: Bool {
        switch kind {
        case .resolutionFailed, .serviceConfigRejected, .connectivity(.transientFailure),
            .subchannel(_, .transientFailure, _), .healthCheckUnsupported,
            .loadReportsUnsupported, .encryptionIgnored:
            true
        default: false
        }
    }
}

extension ChannelEvent: CustomStringConvertible {
    /// One line, without the time.
    public var description: String {
        switch kind {
        case .connectivity(let state): "the channel is \(state.protocolName)"
        case .resolved(let count): "the resolver found \(count) endpoint\(count == 1 ? "" : "s")"
        case .resolutionFailed(let error): "the resolver failed: \(error)"
        case .serviceConfigRejected(let error): "the service config is not valid: \(error)"
        case .balancing(let policy): "calls are spread by \(policy)"
        case .subchannelCreated(let id, let endpoint): "subchannel \(id) to \(endpoint) was made"
        case .subchannel(let id, let state, let error):
            "subchannel \(id) is \(state.protocolName)" + (error.map { ": \($0)" } ?? "")
        case .subchannelDropped(let id): "subchannel \(id) was dropped"
        case .connectionOpened(let id, let peer): "subchannel \(id) is connected to \(peer)"
        case .connectionClosed(let id, let peer, let cause):
            "the connection of subchannel \(id) to \(peer) has ended: \(cause)"
        case .healthCheckUnsupported(let id, let peer):
            "\(peer) (subchannel \(id)) has no health service and counts as healthy"
        case .loadReportsUnsupported(let id, let peer):
            "\(peer) (subchannel \(id)) has no service for reports of its load"
        case .encryptionIgnored(let cluster):
            "the control plane demands TLS for the cluster '\(cluster)', but the channel is insecure: its calls are not encrypted"
        }
    }
}

extension ConnectivityState {
    /// As gRPC's documents write it: `TRANSIENT_FAILURE`.
    public var protocolName: String {
        switch self {
        case .idle: "IDLE"
        case .connecting: "CONNECTING"
        case .ready: "READY"
        case .transientFailure: "TRANSIENT_FAILURE"
        case .shutdown: "SHUTDOWN"
        }
    }
}
