/// The connectivity state of a channel, as gRPC defines it.
public enum ConnectivityState: Hashable, Sendable {
    /// No connection, and no call that needs one.
    case idle
    /// A connection is being made.
    case connecting
    /// Calls are sent at once.
    case ready
    /// The last attempts to connect failed; the next follows after a while. Calls fail, unless
    /// they wait for the channel to be ready.
    case transientFailure
    /// The channel was closed.
    case shutdown
}

extension ConnectivityState {
    /// The situation of a call that has no stream yet, as text before `to` and the target.
    var whileCallsWait: String {
        switch self {
        case .idle: "before there was a connection"
        case .connecting: "while the channel connected"
        case .ready: "before there was a stream for the call"
        case .transientFailure: "while the channel failed to connect"
        case .shutdown: "after the close of the channel"
        }
    }
}
