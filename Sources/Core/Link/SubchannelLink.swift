package import SwiftletTransport

/// A connection of a subchannel, in any version of HTTP.
package protocol SubchannelLink: AnyObject, Sendable {
    /// The number of the connection in the process.
    var diagnosticID: UInt64 { get }
    var address: SocketAddress { get }
    /// The text of the address.
    var peer: String { get }
    /// Whether the connection carries several calls at once. It then queues those that get no stream at once.
    var isMultiplexed: Bool { get }
    /// Whether a call of the program has shown that the server is useful.
    var hasCarriedCall: Bool { get }
    /// The time since the connection was ready.
    func age(at now: MonotonicInstant) -> Duration
    /// Calls that have a stream or are queued for one.
    var callCount: Int { get }
    /// How many streams could be opened now.
    var roomCount: Int { get }
    /// Makes the connection report once when a stream is free. False if one is free now.
    func reportRoom() -> Bool
    var counts: ChannelCounts { get }
    func snapshot(isDraining: Bool) -> ConnectionSnapshot
    /// Whether the connection can still get calls.
    var acceptsCalls: Bool { get }
    var hasEnded: Bool { get }
    /// Why the connection accepts no calls.
    var loss: LinkError { get }
    /// Gives the call a stream, or queues it for one.
    func place(_ call: CallCore, _ prepared: PreparedHeaders) -> CallPlacing
    /// Replaces the receiver of the connection's events.
    func changeOwner(to owner: any LinkOwner)
    /// Drains the connection: it accepts no calls, and ends after the last one.
    func leave()
    /// Ends the connection and every call on it, behind what its loop has read: a call whose response has begun must not
    /// be sent again. Only the first end has an effect.
    func endSoon(with error: LinkError)
    /// Ends every call.
    func endCalls(with error: RPCError)
}

/// What a connection has done with a call.
package enum CallPlacing: Sendable {
    /// The call has a stream or is queued for one, or has ended.
    case placed
    /// Another call was faster.
    case busy
    /// The connection accepts no calls.
    case refused
}
