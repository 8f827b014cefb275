/// What a channel can do for a call right now.
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
